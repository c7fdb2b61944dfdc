/** What a server is told when it starts. */
import { shortestSeconds } from '../audio/prompt-check.ts';
import type { RateDialect } from './output-rate.ts';

/** Names of the events in `stream_format: sse`: those of the public speech API, or those of the native server of the family. */
export const sseDialects = ['public', 'native'] as const;
export type SseDialect = (typeof sseDialects)[number];

export interface ServerLimits {
  /** Most bytes of a JSON or form body. */
  readonly bodyBytes: number;
  /** Most bytes of an uploaded recording. */
  readonly uploadBytes: number;
  /** Shortest recording of a voice, in seconds. */
  readonly shortestRecordingSeconds: number;
  /** Longest recording of a voice, in seconds. */
  readonly recordingSeconds: number;
  /** Longest text, in characters. */
  readonly inputCharacters: number;
  /** How long a client may leave audio unread before its slot goes to another request, in milliseconds. */
  readonly pauseMilliseconds: number;
  /** While others wait: seconds of audio that a client may be ahead of its ears, or of service slower than they are. */
  readonly turnSeconds: number;
  /** How long a client may leave audio unread before its connection is cut, in milliseconds. */
  readonly stallMilliseconds: number;
}

export interface ServerSettings {
  /** What requests call the model. */
  readonly modelName: string;
  /** `exact`: a request that names another model is refused. */
  readonly modelMatch: 'exact' | 'any';
  /** Without it every client may do everything. */
  readonly apiKey?: string;
  /** `loopback`: only clients that call this machine by a loopback name are answered, so that no web page is. */
  readonly hosts: 'loopback' | 'any';
  /** Euler steps of requests that don't say. */
  readonly timesteps: number;
  /** Folders that requests may name recordings in, and that are searched for voices at the start. */
  readonly recordingFolders: readonly string[];
  /** Where the model lies; clients that ask are told its last name. */
  readonly modelsFolder: string;
  /** Where voices lie; clients that ask are told its last name. */
  readonly voiceFolder: string;
  /** Web pages that may call this server from a browser. */
  readonly corsOrigins: readonly string[];
  readonly sseDialect: SseDialect;
  /** Rate of `pcm` at the public API's address when a request names none. */
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
