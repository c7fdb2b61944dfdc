/** All voices that requests may name: stored voices, recorded voices and the model's own voice. */
import type { Audio } from '../audio/audio.ts';
import type { ModelInfo } from '../engine/backend.ts';
import { type LexiconEntry, overlayLexicon } from '../engine/lexicon/lexicon.ts';
import { needsModel2, type SynthesisRequest } from '../engine/request.ts';
import type { RunOptions, SpeechSource } from '../engine/speech-source.ts';
import type { EncodedAudio } from '../engine/voice-fields.ts';
import { SvcError } from '../errors.ts';
import { type RecordedVoice, recordedRevision } from './recorded-voices.ts';
import {
  chooseVoice,
  findAnyVoice,
  isOwnVoice,
  type MixedVoice,
  recordedIds,
  type VoiceChoice,
  type VoiceSources,
  voiceNotFound,
} from './voice-choice.ts';
import { ownVoiceId, parseVoiceId, voiceExists } from './voice-id.ts';
import { type MixedReference, mixReferences } from './voice-mix.ts';
import { type AddVoiceOptions, addVoice, loadVoice, type VoiceRecording, type VoiceRequest } from './voice-service.ts';
import type { VoiceRecord, VoiceRole } from './voice-store.ts';

export interface CatalogVoice {
  readonly id: string;
  /** Name of the voice, for an alias. */
  readonly aliasOf?: string;
  readonly text?: string;
  readonly lexicon?: readonly LexiconEntry[];
  readonly language?: string;
  readonly roles: readonly VoiceRole[];
  readonly seconds: number;
  /** Sample rate of the encoder input. */
  readonly sampleRate: number;
  readonly patchCount: number;
  readonly patchSize: number;
  readonly featureDim: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Names of the models for which the voice is encoded. */
  readonly models: readonly string[];
  readonly origin: 'stored' | 'preset';
  /** Whether its recording is stored. */
  readonly hasRecording: boolean;
}

/** A voice loaded for a model. */
export interface LoadedVoice {
  /** Request fields that select the voice. The seed of the request takes precedence. */
  readonly request: VoiceRequest & Pick<SynthesisRequest, 'seed' | 'voices'>;
  readonly warnings: readonly string[];
}

/** Operations on voices without a model. */
export interface VoiceList {
  /** All stored voices, and other voices that the model supports. */
  list(): Promise<readonly CatalogVoice[]>;
  /** The model's own voice, which is always there. */
  own(): CatalogVoice;
  /** @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
  get(name: string): Promise<CatalogVoice>;
  /** @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
  choose(name: string): Promise<VoiceChoice>;
  /** @throws SvcError VOICE_NOT_FOUND, also for a voice whose recording was not kept; INVALID_REQUEST */
  recording(name: string): Promise<Audio>;
  /** @throws SvcError VOICE_NOT_FOUND; FORBIDDEN for a built-in voice, an alias, and a voice that the server names */
  remove(name: string): Promise<string>;
}

export interface VoiceCatalog extends VoiceList {
  /** @throws SvcError CONFLICT, INVALID_REQUEST */
  add(recording: VoiceRecording, options: AddVoiceOptions): Promise<CatalogVoice>;
  /** Loads a voice; encodes it if necessary. */
  load(choice: VoiceChoice, options: RunOptions): Promise<LoadedVoice>;
}

function describeStored({ encodings, recording, ...voice }: VoiceRecord, info: ModelInfo | undefined): CatalogVoice {
  const own = encodings.find(({ model }) => model === info?.name) ?? encodings[0];
  return {
    ...voice,
    seconds: recording.sampleCount / recording.sampleRate,
    sampleRate: own?.sampleRate ?? info?.inputSampleRate ?? recording.sampleRate,
    patchCount: own?.patchCount ?? 0,
    patchSize: own?.patchSize ?? info?.patchSize ?? 0,
    featureDim: own?.featureDim ?? info?.featureDim ?? 0,
    models: [...new Set(encodings.map(({ model }) => model))],
    origin: 'stored',
    hasRecording: recording.kept,
  };
}

/**
 * @param info of the model that the list is for; before a model was loaded, the sizes of encodings are unknown
 * @param isEncoded whether the model has encoded a recorded voice
 */
export function createVoiceList(
  info: ModelInfo | undefined,
  sources: VoiceSources,
  isEncoded: (voice: RecordedVoice) => boolean = () => false,
): VoiceList {
  const { store, aliases = new Map<string, string>() } = sources;

  function describeRecorded(voice: RecordedVoice): CatalogVoice {
    const { id, text, audio, changedAt } = voice;
    const seconds = audio.samples.length / audio.sampleRate;
    return {
      id,
      text,
      roles: ['prompt'],
      seconds,
      sampleRate: info?.inputSampleRate ?? audio.sampleRate,
      patchCount: info === undefined ? 0 : Math.ceil((seconds * info.inputSampleRate) / info.inputPatchSamples),
      patchSize: info?.patchSize ?? 0,
      featureDim: info?.featureDim ?? 0,
      createdAt: changedAt,
      updatedAt: changedAt,
      models: info !== undefined && isEncoded(voice) ? [info.name] : [],
      origin: 'preset',
      hasRecording: true,
    };
  }

  /** The model's own voice, under its name or an alias. */
  const describeOwn = (id: string): CatalogVoice => ({
    id,
    roles: [],
    seconds: 0,
    sampleRate: info?.inputSampleRate ?? 0,
    patchCount: 0,
    patchSize: info?.patchSize ?? 0,
    featureDim: info?.featureDim ?? 0,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    models: [],
    origin: 'preset',
    hasRecording: false,
  });

  async function find(id: string): Promise<CatalogVoice | undefined> {
    const aliasOf = aliases.get(id);
    if (aliasOf !== undefined) {
      const voice = (await find(aliasOf)) ?? (isOwnVoice(aliasOf) ? describeOwn(id) : undefined);
      return voice && { ...voice, id, aliasOf };
    }
    const found = await findAnyVoice(id, sources);
    if (found === undefined) return undefined;
    return found.origin === 'stored' ? describeStored(found.voice, info) : describeRecorded(found.voice);
  }

  async function get(name: string): Promise<CatalogVoice> {
    const id = parseVoiceId(name);
    const found = await find(id);
    if (found === undefined) throw await voiceNotFound(id, sources);
    return found;
  }

  return {
    list: async () => {
      const stored = (await store.list()).map((voice) => describeStored(voice, info));
      const recorded = recordedIds(sources).filter((id) => !stored.some((voice) => voice.id === id));
      const found = await Promise.all([...recorded, ...aliases.keys()].map(find));
      return [...stored, ...found.filter((voice) => voice !== undefined)];
    },
    own: () => describeOwn(ownVoiceId),
    get,
    choose: (name) => chooseVoice(name, sources),
    async recording(name) {
      const id = parseVoiceId(name);
      const found = await findAnyVoice(aliases.get(id) ?? id, sources);
      if (found?.origin === 'recorded') return found.voice.audio;
      const { voice } = found ?? {};
      const audio = voice && (await store.recording(voice.id, voice.revision));
      if (audio !== undefined) return audio;
      // An alias of the model's own voice is a voice, but has no recording.
      const { id: known } = await get(id);
      throw new SvcError('VOICE_NOT_FOUND', `voice "${known}" has no recording`);
    },
    async remove(name) {
      const id = parseVoiceId(name);
      const aliasOf = aliases.get(id);
      if (aliasOf !== undefined)
        throw new SvcError('FORBIDDEN', `cannot remove "${id}": it is an alias of "${aliasOf}"`);
      const [alias] = [...aliases].find(([, target]) => target === id) ?? [];
      if (alias !== undefined || id === sources.defaultVoice) {
        const use = alias === undefined ? 'it is the default voice of this server' : `"${alias}" is an alias of it`;
        throw new SvcError('FORBIDDEN', `cannot remove voice "${id}": ${use}`);
      }
      if (await store.remove(id)) return id;
      if (!recordedIds(sources).includes(id)) throw await voiceNotFound(id, sources);
      throw new SvcError('FORBIDDEN', `cannot remove voice "${id}": it is built in`);
    },
  };
}

/** @param lexicon pronunciations of all voices; that of a voice takes precedence */
export function createVoiceCatalog(
  engine: SpeechSource,
  sources: VoiceSources,
  lexicon?: readonly LexiconEntry[],
): VoiceCatalog {
  const { info } = engine;
  const { store } = sources;
  /** Encodings of recorded voices by revision and role. */
  const encoded = new Map<string, Promise<EncodedAudio>>();

  async function load(choice: VoiceChoice, options: RunOptions): Promise<LoadedVoice> {
    const { request, warnings } = await loadAudio(choice, options);
    return { request: { ...request, voiceLexicon: choice.lexicon, voiceLanguage: choice.language }, warnings };
  }

  async function loadAudio(choice: VoiceChoice, options: RunOptions): Promise<LoadedVoice> {
    if (choice.kind === 'own') {
      return { request: { seed: choice.seed }, warnings: [] };
    }
    if (choice.kind === 'mixed')
      return { request: { referenceAudio: await loadMix(choice.parts, options) }, warnings: [] };
    const { id, as } = choice;
    const found = await findAnyVoice(id, sources);
    if (found?.origin !== 'recorded')
      return { request: await loadVoice(engine, store, id, { ...options, as }), warnings: [] };
    if (as === 'reference') return { request: { referenceAudio: await encode(found.voice, as) }, warnings: [] };
    return {
      request: { promptAudio: await encode(found.voice, 'prompt'), promptText: found.voice.text },
      warnings: [],
    };
  }

  /** The references of all voices of a mix, as one. */
  async function loadMix(parts: readonly MixedVoice[], options: RunOptions): Promise<EncodedAudio> {
    assertMixes(info);
    const references: MixedReference[] = [];
    for (const { id, share } of parts) {
      const { request } = await loadAudio({ kind: 'named', id, roles: ['reference'], as: 'reference' }, options);
      const { patches } = request.referenceAudio as EncodedAudio;
      references.push({ patches, share });
    }
    return { role: 'reference', patches: mixReferences(references, info.patchSize * info.featureDim) };
  }

  /** Encodes once for concurrent requests, so it ignores the signal of the first one. */
  function encode(voice: RecordedVoice, role: VoiceRole): Promise<EncodedAudio> {
    const key = keyOf(voice, role);
    const known = encoded.get(key);
    if (known !== undefined) return known;
    const made = engine.encode(voice.audio, role);
    encoded.set(key, made);
    made.catch(() => encoded.delete(key));
    return made;
  }

  return {
    ...createVoiceList(info, sources, (voice) => encoded.has(keyOf(voice, 'prompt'))),
    async add(recording, options) {
      if (sources.aliases?.has(recording.id)) throw voiceExists(recording.id);
      return describeStored(await addVoice(engine, store, recording, options), info);
    },
    async choose(name) {
      const choice = await chooseVoice(name, sources);
      if (choice.kind === 'mixed') assertMixes(info);
      return { ...choice, lexicon: overlayLexicon(lexicon, choice.lexicon) };
    },
    load,
  };
}

/** A mix is a reference. @throws SvcError INVALID_REQUEST */
function assertMixes(info: ModelInfo): void {
  if (info.architecture !== 'voxcpm2') throw needsModel2('a mix of voices', info);
}

const keyOf = (voice: RecordedVoice, role: VoiceRole): string => `${recordedRevision(voice)} ${role}`;
