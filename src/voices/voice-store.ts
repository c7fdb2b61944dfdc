/**
 * The interface of voice stores, for any database. Each method is one transaction; its changes are durable when its
 * promise resolves.
 */
import type { Audio } from '../audio/audio.ts';
import type { LexiconEntry } from '../engine/lexicon/lexicon.ts';
import type { EncodedAudio } from '../engine/voice-fields.ts';

/** How a voice is used: as a prompt that the model continues, or as a reference for the timbre (VoxCPM 2). */
export type VoiceRole = EncodedAudio['role'];

/** Properties of the patches of one role for one encoder. */
export interface EncodingInfo {
  readonly role: VoiceRole;
  /** Fingerprint of the encoder; see `encoder-fingerprint.ts`. */
  readonly fingerprint: string;
  /** Name of the model, for messages. */
  readonly model: string;
  /** Sample rate of the encoder input in Hz. */
  readonly sampleRate: number;
  readonly patchCount: number;
  /** Latent frames per patch. */
  readonly patchSize: number;
  /** Values per latent frame. */
  readonly featureDim: number;
}

export interface VoiceEncoding extends EncodingInfo {
  /** `patchCount × patchSize × featureDim`. */
  readonly patches: Float32Array;
}

export interface RecordingInfo {
  readonly sampleRate: number;
  /** Mono samples at `sampleRate`. */
  readonly sampleCount: number;
  /** Whether the samples are stored, so that the voice can be encoded for another model. */
  readonly kept: boolean;
}

export interface VoiceRecord {
  readonly id: string;
  /** Changes each time a voice is put, so that data of an older revision is not written to a newer one. */
  readonly revision: string;
  /** Transcript of the recording; set for prompts. */
  readonly text?: string;
  /** Pronunciations of this voice; never empty. */
  readonly lexicon?: readonly LexiconEntry[];
  /** BCP 47 tag of the language that it speaks. */
  readonly language?: string;
  /** One or both, the prompt first. */
  readonly roles: readonly VoiceRole[];
  readonly recording: RecordingInfo;
  /** When the name was first put; unchanged when the voice is replaced. */
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly encodings: readonly EncodingInfo[];
}

export interface Voice extends VoiceRecord {
  readonly encodings: readonly VoiceEncoding[];
}

export interface NewVoice {
  /** From `parseVoiceId`. */
  readonly id: string;
  readonly text?: string | undefined;
  readonly lexicon?: readonly LexiconEntry[] | undefined;
  readonly language?: string | undefined;
  readonly roles: readonly VoiceRole[];
  /** Its length and sample rate are stored even if the samples are not. */
  readonly recording: Audio;
  readonly keepRecording: 'keep' | 'discard';
  readonly encodings: readonly VoiceEncoding[];
}

export interface VoiceStore extends AsyncDisposable {
  /** The database, for messages. */
  readonly location: string;
  /** @throws SvcError CONFLICT, without changes, if the voice exists and `mode` is `create` */
  put(voice: NewVoice, mode: 'create' | 'replace'): Promise<VoiceRecord>;
  get(id: string): Promise<Voice | undefined>;
  /** All voices by name, without their patches. */
  list(): Promise<readonly VoiceRecord[]>;
  /** The recording of a revision of a voice; undefined if it was not kept or no longer exists. */
  recording(id: string, revision: string): Promise<Audio | undefined>;
  /** Adds encodings, replacing those of the same role and fingerprint. False if the revision no longer exists. */
  addEncodings(id: string, revision: string, encodings: readonly VoiceEncoding[]): Promise<boolean>;
  /** False if there was none. */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
