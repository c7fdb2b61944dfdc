/** Connects voice store and engine: encodes voices when they are added, and again for a model with another encoder. */
import { z } from 'zod';
import type { Audio } from '../audio/audio.ts';
import type { LexiconEntry } from '../engine/lexicon/lexicon.ts';
import { needsModel2, type SynthesisRequest } from '../engine/request.ts';
import { languageField, statedLanguage } from '../engine/request-fields.ts';
import type { RunOptions, SpeechSource } from '../engine/speech-source.ts';
import { lexiconField } from '../engine/voice-fields.ts';
import { SvcError } from '../errors.ts';
import { oneOf, parse, requestError, text } from '../validation.ts';
import { encoderFingerprint, sameEncoder } from './encoder-fingerprint.ts';
import { parseNewVoiceId, parseVoiceId, voiceExists } from './voice-id.ts';
import type { NewVoice, Voice, VoiceEncoding, VoiceRecord, VoiceRole, VoiceStore } from './voice-store.ts';

export interface VoiceRecording {
  /** Any name that `parseNewVoiceId` accepts. */
  readonly id: string;
  readonly audio: Audio;
  /** Transcript; required for a prompt. An empty transcript reduces similarity. */
  readonly text?: string | undefined;
  /** Pronunciations of this voice. */
  readonly lexicon?: readonly LexiconEntry[] | undefined;
  /** BCP 47 tag of the language that it speaks, in which numbers are read unless a request states one. */
  readonly language?: string | undefined;
  /** Default: prompt. */
  readonly roles?: readonly VoiceRole[] | undefined;
}

export interface AddVoiceOptions extends RunOptions {
  /** `replace` overwrites an existing voice. Default: `create`. */
  readonly mode?: 'create' | 'replace';
  /** Without its recording, a voice works only with models of the same encoder. Default: `keep`. */
  readonly keepRecording?: NewVoice['keepRecording'];
}

export interface LoadVoiceOptions extends RunOptions {
  /** Takes the timbre alone of a voice that was added as a prompt. */
  readonly as?: 'reference' | undefined;
}

/** Request fields that select a voice. */
export type VoiceRequest = Pick<
  SynthesisRequest,
  'promptAudio' | 'promptText' | 'referenceAudio' | 'voiceLexicon' | 'voiceLanguage'
>;

/** The engine checks the audio, and `parseNewVoiceId` the name. */
const recordingSchema = z.object({
  id: text,
  audio: z.custom((audio) => typeof audio === 'object' && audio !== null, {
    error: 'audio with samples and a sample rate',
  }),
  text: text.optional(),
  lexicon: lexiconField.optional(),
  language: languageField.optional(),
  roles: z.array(oneOf(['prompt', 'reference']), { error: 'an array of roles' }).optional(),
});

const call = z.custom((value) => typeof value === 'function', { error: 'a function' });
const storeSchema = z.looseObject({ get: call, put: call, recording: call, addEncodings: call });
const engineSchema = z.looseObject({ info: z.looseObject({}, { error: 'an object' }) });

/** @throws SvcError INVALID_REQUEST for what is no store */
const checkStore = (store: VoiceStore): void => void parse(storeSchema, store, 'the voice store');

/**
 * Encodes a recording and stores it as a voice. Nothing is written before encoding is complete.
 *
 * @throws SvcError INVALID_REQUEST, CONFLICT (the voice exists), and those of engine and store
 */
export async function addVoice(
  engine: SpeechSource,
  store: VoiceStore,
  recording: VoiceRecording,
  { mode = 'create', keepRecording = 'keep', signal }: AddVoiceOptions = {},
): Promise<VoiceRecord> {
  checkStore(store);
  parse(engineSchema, engine, 'the engine');
  parse(recordingSchema, recording, 'the recording');
  const id = parseNewVoiceId(recording.id);
  const text = recording.text === '' ? '' : recording.text?.trim() || undefined;
  const roles = checkRoles(recording.roles ?? ['prompt'], text, engine);
  // Checked before a long recording is encoded, and again by `put`.
  if (mode === 'create' && (await store.get(id)) !== undefined) throw voiceExists(id);
  const fingerprint = await encoderFingerprint(engine);
  const encodings = await encode(engine, recording.audio, roles, fingerprint, signal);
  const { lexicon } = recording;
  const language = statedLanguage(recording.language);
  const voice = { id, lexicon, language, roles, recording: recording.audio, keepRecording, encodings };
  return store.put({ ...voice, text }, mode);
}

/** @throws SvcError VOICE_NOT_FOUND; INVALID_REQUEST for an invalid name */
export async function findVoice(store: VoiceStore, name: string): Promise<Voice> {
  checkStore(store);
  const id = parseVoiceId(name);
  const voice = await store.get(id);
  if (voice !== undefined) return voice;
  throw new SvcError('VOICE_NOT_FOUND', `unknown voice "${id}"`);
}

/**
 * Loads a stored voice as request fields. If it has no encoding for this model's encoder, encodes its recording and
 * stores the result.
 *
 * @throws SvcError VOICE_NOT_FOUND; CONFLICT if the voice was encoded for another model and its recording was not kept;
 *   INVALID_REQUEST for a reference with model 1
 */
export async function loadVoice(
  engine: SpeechSource,
  store: VoiceStore,
  name: string,
  options: LoadVoiceOptions = {},
): Promise<VoiceRequest> {
  const voice = await findVoice(store, name);
  const roles = usableRoles(options.as === undefined ? voice.roles : [options.as], engine);
  const fingerprint = await encoderFingerprint(engine);
  const usable = voice.encodings.filter((encoding) => sameEncoder(encoding.fingerprint, fingerprint));
  const missing = roles.filter((role) => !usable.some((encoding) => encoding.role === role));
  if (missing.length > 0) {
    if (!voice.recording.kept) throw ofAnotherModel(voice, engine);
    const audio = await store.recording(voice.id, voice.revision);
    // Replaced or removed since it was read, so read it again.
    if (audio === undefined) return loadVoice(engine, store, name, options);
    const added = await encode(engine, audio, missing, fingerprint, options.signal);
    // It may have been replaced during encoding; this request uses the voice that it read.
    await store.addEncodings(voice.id, voice.revision, added);
    usable.push(...added);
  }
  const patchesOf = (role: VoiceRole) => {
    const encoding = roles.includes(role) && usable.find((candidate) => candidate.role === role);
    return encoding ? { role, patches: encoding.patches } : undefined;
  };
  const [prompt, reference] = [patchesOf('prompt'), patchesOf('reference')];
  return {
    ...(prompt === undefined ? {} : { promptAudio: prompt, promptText: voice.text }),
    referenceAudio: reference,
    voiceLexicon: voice.lexicon,
    voiceLanguage: voice.language,
  };
}

async function encode(
  engine: SpeechSource,
  audio: Audio,
  roles: readonly VoiceRole[],
  fingerprint: string,
  signal: AbortSignal | undefined,
): Promise<readonly VoiceEncoding[]> {
  const { name, inputSampleRate: sampleRate, patchSize, featureDim } = engine.info;
  const encodings: VoiceEncoding[] = [];
  for (const role of roles) {
    const { patches } = await engine.encode(audio, role, { signal });
    const patchCount = patches.length / (patchSize * featureDim);
    encodings.push({ role, fingerprint, model: name, sampleRate, patchCount, patchSize, featureDim, patches });
  }
  return encodings;
}

function checkRoles(roles: readonly VoiceRole[], text: string | undefined, engine: SpeechSource): readonly VoiceRole[] {
  const sorted = (['prompt', 'reference'] as const).filter((role) => roles.includes(role));
  if (sorted.length === 0) throw requestError('a voice must be a prompt, a reference or both');
  if (sorted.includes('prompt') && text === undefined) {
    throw requestError('a prompt voice needs the transcript of its recording');
  }
  if (sorted.includes('reference')) requireReferences(engine);
  return sorted;
}

/** With model 1, a voice of both roles is used as a prompt. */
function usableRoles(roles: readonly VoiceRole[], engine: SpeechSource): readonly VoiceRole[] {
  if (engine.info.architecture === 'voxcpm2') return roles;
  if (!roles.includes('prompt')) requireReferences(engine);
  return ['prompt'];
}

function requireReferences({ info }: SpeechSource): void {
  if (info.architecture !== 'voxcpm2') throw needsModel2('a reference voice', info);
}

function ofAnotherModel({ id, encodings }: Voice, { info }: SpeechSource): SvcError {
  const models = [...new Set(encodings.map(({ model }) => model))].join(', ') || 'no model';
  return new SvcError(
    'CONFLICT',
    `voice "${id}" is encoded for ${models}, not for ${info.name}, and its recording was not kept; add it again with this model`,
  );
}
