/** Settings and limits of a server. */
import { shortestSeconds } from '../audio/prompt-check.ts';
import type { RateDialect } from './output-rate.ts';

/** Event names of `stream_format: sse`: those of the public speech API or of VoxCPM.cpp's server. */
export const sseDialects = ['public', 'native'] as const;
export type SseDialect = (typeof sseDialects)[number];

export interface ServerLimits {
  /** Maximum size of a JSON or form body. */
  readonly bodyBytes: number;
  /** Maximum size of an uploaded recording. */
  readonly uploadBytes: number;
  /** Minimum length of a recording, in seconds. */
  readonly shortestRecordingSeconds: number;
  /** Maximum length of a recording, in seconds. */
  readonly recordingSeconds: number;
  /** Maximum length of a text, in characters. */
  readonly inputCharacters: number;
  /** How long a client may leave audio unread before it loses its slot, in milliseconds. */
  readonly pauseMilliseconds: number;
  /** While others wait: seconds that audio may be ahead of real time, or seconds of service slower than real time. */
  readonly turnSeconds: number;
  /** How long a client may leave audio unread before it is disconnected, in milliseconds. */
  readonly stallMilliseconds: number;
}

export interface ServerSettings {
  /** Without a key, every client may do everything. */
  readonly apiKey?: string;
  /** `loopback`: accepts only loopback names in the Host header, which keeps web pages out. */
  readonly hosts: 'loopback' | 'any';
  /** Default number of flow-matching steps. */
  readonly timesteps: number;
  /** Folders with recordings that requests may name; searched for voices at the start. */
  readonly recordingFolders: readonly string[];
  /** Folder of the model; clients see only its last segment. */
  readonly modelsFolder: string;
  /** Folder of the voices; clients see only its last segment. */
  readonly voiceFolder: string;
  /** Origins of web pages that may call this server. */
  readonly corsOrigins: readonly string[];
  readonly sseDialect: SseDialect;
  /** Default sample rate of `pcm` in the public API. */
  readonly pcmRate: RateDialect;
  readonly limits: ServerLimits;
}

export const defaultLimits: ServerLimits = {
  bodyBytes: 1024 * 1024,
  uploadBytes: 25 * 1024 * 1024,
  shortestRecordingSeconds: shortestSeconds,
  recordingSeconds: 120,
  inputCharacters: 65_536,
  pauseMilliseconds: 1_000,
  turnSeconds: 10,
  stallMilliseconds: 30_000,
};
