/**
 * Where voices are kept. One interface for every database: each method is one transaction, and what it changes is
 * durable when its promise is fulfilled.
 */
import type { Audio } from '../audio/wav.ts';
import type { EncodedAudio } from '../engine/request.ts';

/** How a voice is used: as a prompt that the model continues, or as a reference for the timbre (VoxCPM 2). */
export type VoiceRole = EncodedAudio['role'];

/** What is known of the patches of one role for one encoder. */
export interface EncodingInfo {
  readonly role: VoiceRole;
  /** Of the encoder that made the patches: `encoder-fingerprint.ts`. */
  readonly fingerprint: string;
  /** Name of the model that they were made with, for messages. */
  readonly model: string;
  /** Hz of the audio that the encoder read. */
  readonly sampleRate: number;
  readonly patchCount: number;
  /** Latent frames of one patch. */
  readonly patchSize: number;
  /** Values of one latent frame. */
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
  /** Whether the store has the samples, so that the voice can be encoded for another model. */
  readonly kept: boolean;
}

export interface VoiceRecord {
  readonly id: string;
  /** Another one each time a voice is put: what was read of an older one is not written to a newer one. */
  readonly revision: string;
  /** Transcript of the recording; a voice in the role of a prompt has one. */
  readonly text?: string;
  /** One or both, the prompt first. */
  readonly roles: readonly VoiceRole[];
  readonly recording: RecordingInfo;
  /** When the name was first put; replacing the voice leaves it. */
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
  readonly roles: readonly VoiceRole[];
  /** Kept or not, its length and rate are remembered. */
  readonly recording: Audio;
  readonly keepRecording: 'keep' | 'discard';
  readonly encodings: readonly VoiceEncoding[];
}

export interface VoiceStore extends AsyncDisposable {
  /** The database, for messages. */
  readonly location: string;
  /** @throws SvcError CONFLICT when the name is taken and `mode` is `create`; nothing has changed then. */
  put(voice: NewVoice, mode: 'create' | 'replace'): Promise<VoiceRecord>;
  get(id: string): Promise<Voice | undefined>;
  /** All voices by name, without their patches. */
  list(): Promise<readonly VoiceRecord[]>;
  /** The recording of one revision of a voice; undefined when it is not kept, or no longer there. */
  recording(id: string, revision: string): Promise<Audio | undefined>;
  /** Adds encodings, in place of those of the same role and fingerprint. False when the revision is no longer there. */
  addEncodings(id: string, revision: string, encodings: readonly VoiceEncoding[]): Promise<boolean>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
