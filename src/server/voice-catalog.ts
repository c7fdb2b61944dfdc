/** All voices that requests may name: those of the store, those that come with the package, and the model's own. */
import type { RunOptions, SpeechSource } from '../engine/engine.ts';
import type { EncodedAudio } from '../engine/request.ts';
import { SvcError } from '../errors.ts';
import { ownVoiceId, parseVoiceId } from '../voices/voice-id.ts';
import {
  type AddVoiceOptions,
  addVoice,
  loadVoice,
  type VoiceRecording,
  type VoiceRequest,
} from '../voices/voice-service.ts';
import type { VoiceRecord, VoiceRole, VoiceStore } from '../voices/voice-store.ts';
import type { PresetVoice } from './preset-voices.ts';

export interface CatalogVoice {
  readonly id: string;
  readonly text?: string;
  readonly roles: readonly VoiceRole[];
  readonly seconds: number;
  /** Of what the encoder reads. */
  readonly sampleRate: number;
  readonly patchCount: number;
  readonly patchSize: number;
  readonly featureDim: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Names of the models that it is encoded for. */
  readonly models: readonly string[];
  readonly origin: 'stored' | 'preset';
}

/** What a name stands for. */
export type VoiceChoice =
  | { readonly kind: 'own'; readonly seed?: number }
  | { readonly kind: 'named'; readonly id: string; readonly roles: readonly VoiceRole[] };

export interface VoiceCatalog {
  list(): Promise<readonly CatalogVoice[]>;
  /** @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
  get(name: string): Promise<CatalogVoice>;
  /** @throws SvcError CONFLICT, INVALID_REQUEST */
  add(recording: VoiceRecording, options: AddVoiceOptions): Promise<CatalogVoice>;
  /** @throws SvcError VOICE_NOT_FOUND; FORBIDDEN for one that comes with the package */
  remove(name: string): Promise<string>;
  /** @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
  choose(name: string): Promise<VoiceChoice>;
  /** The part of a request that makes it speak in the voice; encodes it when it is not encoded for this model. */
  load(choice: VoiceChoice, options: RunOptions): Promise<VoiceRequest>;
}

/**
 * Voices of the public speech API, which its clients name by default. Unless one of that name is stored they are
 * the model's own voice, each with a seed of its own, so that a name gives the same speech each time.
 */
const publicNames = ['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable', 'marin', 'nova', 'onyx', 'sage'];
const publicVoices = [...publicNames, 'shimmer', 'verse'];

export function createVoiceCatalog(
  engine: SpeechSource,
  store: VoiceStore,
  presets: readonly PresetVoice[],
): VoiceCatalog {
  const { info } = engine;
  const encoded = new Map<string, Promise<EncodedAudio>>();
  const presetOf = (id: string): PresetVoice | undefined => presets.find((preset) => preset.id === id);
  const started = new Date();

  function describeStored({ encodings, recording, ...voice }: VoiceRecord): CatalogVoice {
    const own = encodings.find(({ model }) => model === info.name) ?? encodings[0];
    return {
      ...voice,
      seconds: recording.sampleCount / recording.sampleRate,
      sampleRate: own?.sampleRate ?? info.inputSampleRate,
      patchCount: own?.patchCount ?? 0,
      patchSize: own?.patchSize ?? info.patchSize,
      featureDim: own?.featureDim ?? info.featureDim,
      models: [...new Set(encodings.map(({ model }) => model))],
      origin: 'stored',
    };
  }

  function describePreset({ id, text, audio }: PresetVoice): CatalogVoice {
    const seconds = audio.samples.length / audio.sampleRate;
    return {
      id,
      text,
      roles: ['prompt'],
      seconds,
      sampleRate: info.inputSampleRate,
      patchCount: Math.ceil((seconds * info.inputSampleRate) / info.inputPatchSamples),
      patchSize: info.patchSize,
      featureDim: info.featureDim,
      createdAt: started,
      updatedAt: started,
      models: encoded.has(id) ? [info.name] : [],
      origin: 'preset',
    };
  }

  async function find(id: string): Promise<CatalogVoice | undefined> {
    const stored = await store.get(id);
    if (stored !== undefined) return describeStored(stored);
    const preset = presetOf(id);
    return preset && describePreset(preset);
  }

  async function get(name: string): Promise<CatalogVoice> {
    const id = parseVoiceId(name);
    const found = await find(id);
    if (found === undefined) throw notFound(id);
    return found;
  }

  async function choose(name: string): Promise<VoiceChoice> {
    if (name === '' || name === ownVoiceId) return { kind: 'own' };
    const id = parseVoiceId(name);
    const found = await find(id);
    if (found !== undefined) return { kind: 'named', id, roles: found.roles };
    if (publicVoices.includes(id)) return { kind: 'own', seed: publicVoices.indexOf(id) + 1 };
    throw notFound(id);
  }

  async function load(choice: VoiceChoice, options: RunOptions): Promise<VoiceRequest> {
    if (choice.kind === 'own') return {};
    const preset = presetOf(choice.id);
    if (preset === undefined || (await store.get(choice.id)) !== undefined) {
      return loadVoice(engine, store, choice.id, options);
    }
    return { promptAudio: await encodePreset(preset), promptText: preset.text };
  }

  /** Not with the signal of the request that is first: others wait for the same outcome. */
  function encodePreset({ id, audio }: PresetVoice): Promise<EncodedAudio> {
    const known = encoded.get(id);
    if (known !== undefined) return known;
    const made = engine.encode(audio, 'prompt');
    encoded.set(id, made);
    made.catch(() => encoded.delete(id));
    return made;
  }

  return {
    list: async () => {
      const stored = (await store.list()).map(describeStored);
      const shown = presets.filter(({ id }) => !stored.some((voice) => voice.id === id)).map(describePreset);
      return [...stored, ...shown];
    },
    get,
    add: async (recording, options) => describeStored(await addVoice(engine, store, recording, options)),
    async remove(name) {
      const id = parseVoiceId(name);
      if (await store.remove(id)) return id;
      if (presetOf(id) === undefined) throw notFound(id);
      throw new SvcError(
        'FORBIDDEN',
        `expected a voice that was added for removal, received ${id}, which comes with svc`,
      );
    },
    choose,
    load,
  };
}

const notFound = (id: string): SvcError =>
  new SvcError('VOICE_NOT_FOUND', `expected the name of a voice, received ${id}`);
