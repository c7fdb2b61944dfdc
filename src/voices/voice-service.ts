/** Voices between store and engine: encoded when they are added, and again when a model with another encoder asks. */
import type { Audio } from '../audio/wav.ts';
import type { RunOptions, SpeechSource } from '../engine/engine.ts';
import { needsModel2, type SynthesisRequest } from '../engine/request.ts';
import { SvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import { encoderFingerprint, sameEncoder } from './encoder-fingerprint.ts';
import { parseNewVoiceId, parseVoiceId } from './voice-id.ts';
import type { NewVoice, Voice, VoiceEncoding, VoiceRecord, VoiceRole, VoiceStore } from './voice-store.ts';

export interface VoiceRecording {
  /** Any name that `parseNewVoiceId` accepts. */
  readonly id: string;
  readonly audio: Audio;
  /** What is said in it; needed for a prompt. Empty when nobody knows, which costs likeness. */
  readonly text?: string | undefined;
  /** A prompt when left out. */
  readonly roles?: readonly VoiceRole[] | undefined;
}

export interface AddVoiceOptions extends RunOptions {
  /** What to do when the name is taken; `create` when left out. */
  readonly mode?: 'create' | 'replace';
  /** Without its recording a voice is of use only to models with the encoder that it was added with. `keep` when left out. */
  readonly keepRecording?: NewVoice['keepRecording'];
}

/** The part of a request that makes it speak in the voice. */
export type VoiceRequest = Pick<SynthesisRequest, 'promptAudio' | 'promptText' | 'referenceAudio'>;

/**
 * Encodes a recording and stores it under a name. All is encoded before anything is written.
 *
 * @throws SvcError INVALID_REQUEST, CONFLICT (the name is taken), and those of engine and store
 */
export async function addVoice(
  engine: SpeechSource,
  store: VoiceStore,
  recording: VoiceRecording,
  { mode = 'create', keepRecording = 'keep', signal }: AddVoiceOptions = {},
): Promise<VoiceRecord> {
  const id = parseNewVoiceId(recording.id);
  const text = recording.text === '' ? '' : recording.text?.trim() || undefined;
  const roles = checkRoles(recording.roles ?? ['prompt'], text, engine);
  // Told before a long recording is encoded; `put` makes sure.
  if (mode === 'create' && (await store.get(id)) !== undefined) throw taken(id);
  const fingerprint = await encoderFingerprint(engine);
  const encodings = await encode(engine, recording.audio, roles, fingerprint, signal);
  const voice = { id, roles, recording: recording.audio, keepRecording, encodings };
  return store.put({ ...voice, text }, mode);
}

/** @throws SvcError VOICE_NOT_FOUND; INVALID_REQUEST for what can't be a name. */
export async function findVoice(store: VoiceStore, name: string): Promise<Voice> {
  const id = parseVoiceId(name);
  const voice = await store.get(id);
  if (voice !== undefined) return voice;
  throw new SvcError('VOICE_NOT_FOUND', `expected the name of a stored voice, received ${id}`);
}

/**
 * A stored voice as part of a request. When none of its encodings is of this model's encoder, its recording is
 * encoded, and the outcome stored with it.
 *
 * @throws SvcError VOICE_NOT_FOUND; CONFLICT when the voice is of another model and its recording is not kept;
 *   INVALID_REQUEST for a reference with model 1
 */
export async function loadVoice(
  engine: SpeechSource,
  store: VoiceStore,
  name: string,
  options: RunOptions = {},
): Promise<VoiceRequest> {
  const voice = await findVoice(store, name);
  const roles = usableRoles(voice, engine);
  const fingerprint = await encoderFingerprint(engine);
  const usable = voice.encodings.filter((encoding) => sameEncoder(encoding.fingerprint, fingerprint));
  const missing = roles.filter((role) => !usable.some((encoding) => encoding.role === role));
  if (missing.length > 0) {
    if (!voice.recording.kept) throw ofAnotherModel(voice, engine);
    const audio = await store.recording(voice.id, voice.revision);
    // Replaced or removed since it was read: what is there now counts.
    if (audio === undefined) return loadVoice(engine, store, name, options);
    const added = await encode(engine, audio, missing, fingerprint, options.signal);
    // It may have been replaced while it was encoded; this request speaks in the voice that it has read.
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

/** With model 1, a voice that is both is a prompt. */
function usableRoles({ roles }: Voice, engine: SpeechSource): readonly VoiceRole[] {
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
    `expected a voice of the model ${info.name} for ${id}, received one of ${models} whose recording is not kept; add it again with this model`,
  );
}

const taken = (id: string): SvcError =>
  new SvcError('CONFLICT', `expected an unused name for a new voice, received ${id}, which is taken`);
