/** Checks what a program hands to a voice store: a database may end the process for values of types that it doesn't know. */
import { z } from 'zod';
import { oneOf, parse, text } from '../validation.ts';
import type { VoiceStore } from './voice-store.ts';

const number = z.number({ error: 'a number' });
const floats = z.instanceof(Float32Array, { error: 'a Float32Array' });
const role = oneOf(['prompt', 'reference']);

const encodings = z.array(
  z.object({
    role,
    fingerprint: text,
    model: text,
    sampleRate: number,
    patchCount: number,
    patchSize: number,
    featureDim: number,
    patches: floats,
  }),
  { error: 'a list of encodings' },
);
const id = text;
const revision = text;
const voice = z.object({
  id,
  text: text.optional(),
  lexicon: z.array(z.any(), { error: 'a list of pronunciations' }).readonly().optional(),
  language: text.optional(),
  roles: z.array(role, { error: 'a list of prompt and reference' }),
  recording: z.looseObject({ samples: floats, sampleRate: number }),
  keepRecording: oneOf(['keep', 'discard']),
  encodings,
});
const schemas = {
  put: z.object({ voice, mode: oneOf(['create', 'replace']) }),
  ofVoice: z.object({ id }),
  ofRevision: z.object({ id, revision }),
  addEncodings: z.object({ id, revision, encodings }),
} as const;
const call = 'the call of the voice store';

/** The same store, whose methods reject with SvcError INVALID_REQUEST for values of other types. */
export const checkedStore = (store: VoiceStore): VoiceStore => ({
  ...store,
  async put(...[given, mode]) {
    const { voice: checked } = parse(schemas.put, { voice: given, mode }, call);
    return store.put({ ...given, ...checked, recording: given.recording }, mode);
  },
  async get(id) {
    parse(schemas.ofVoice, { id }, call);
    return store.get(id);
  },
  async recording(id, revision) {
    parse(schemas.ofRevision, { id, revision }, call);
    return store.recording(id, revision);
  },
  async addEncodings(id, revision, given) {
    const { encodings: checked } = parse(schemas.addEncodings, { id, revision, encodings: given }, call);
    return store.addEncodings(id, revision, checked);
  },
  async remove(id) {
    parse(schemas.ofVoice, { id }, call);
    return store.remove(id);
  },
});
