/** Settings and limits of a server. */
import { shortestSeconds } from '../../audio/analyze/prompt-check.ts';
import type { LexiconEntry } from '../../engine/lexicon/lexicon.ts';
import type { VoiceAliases } from '../../voices/voice-aliases.ts';
import type { FindKey } from '../http/api-keys.ts';
import type { BodyLimits } from '../http/body-failure.ts';
import type { SseDialect } from '../http/sse-dialects.ts';
import type { TrustProxy } from '../http/trust-proxy.ts';
import type { Strictness } from '../http/unknown-fields.ts';
import type { RateDialect } from './output-rate.ts';
import type { RequestDefaults } from './request-defaults.ts';

export interface ServerSettings extends Strictness {
  /** Without keys, every client may do everything. */
  readonly findKey?: FindKey | undefined;
  /** Whether the lists of voices and models require a key. */
  readonly lists: 'public' | 'private';
  /**
   * Accepted names in the Host header: only loopback names, or also addresses and names that the public DNS does not have.
   * Either keeps out web pages whose own name resolves to this machine.
   */
  readonly hosts: 'loopback' | 'local' | 'any';
  readonly timesteps: number;
  /** Language of texts that don't show theirs. */
  readonly language?: string | undefined;
  readonly requestDefaults?: RequestDefaults | undefined;
  /** Pronunciations of all voices; those of a voice and of a request take precedence. */
  readonly lexicon?: readonly LexiconEntry[];
  readonly voiceAliases?: VoiceAliases | undefined;
  readonly defaultVoice?: string | undefined;
  /** Folders with recordings that requests may name; searched for voices at the start. */
  readonly recordingFolders: readonly string[];
  /** Folder of the LoRA adapters that requests may load; they may load none if undefined. */
  readonly loraFolder?: string | undefined;
  readonly defaultLora?: string | undefined;
  /** Folder of the model; clients see only its last segment. */
  readonly modelsFolder: string;
  /** Folder of the voices; clients see only its last segment. */
  readonly voiceFolder: string;
  readonly consentFolder: string;
  /** Trusted proxies: those whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy;
  /** Origins of web pages that may call this server, as `parseOrigin` accepts them. */
  readonly corsOrigins: readonly string[];
  readonly sseDialect: SseDialect;
  /** Default sample rate of `pcm` in the public API. */
  readonly pcmRate: RateDialect;
  readonly limits: ServerLimits;
}

export const defaultLimits = {
  bodyBytes: 1024 * 1024,
  uploadBytes: 25 * 1024 * 1024,
  shortestRecordingSeconds: shortestSeconds,
  recordingSeconds: 120,
  inputCharacters: 65_536,
  /** Maximum length of the pauses that a script states, together, in seconds. */
  pausesSeconds: 600,
  // The longest text takes four hours in Chinese, eight at half the speed.
  speechSeconds: 8 * 3600,
  temporaryBytes: 1024 ** 3,
  /** Minimum of free bytes on the disk of the voices, below which none can be added. */
  spareDiskBytes: 256 * 1024 ** 2,
  /** How long a client may leave audio unread before it loses its slot, in milliseconds. */
  pauseMilliseconds: 1_000,
  /** While others wait: seconds that audio may be ahead of real time, or seconds of service slower than real time. */
  turnSeconds: 10,
  /** The same while a request waits that has had no audio yet, if this is less. */
  newcomerTurnSeconds: 2.5,
  /** How long a client may leave what it was sent unread before it is disconnected, in milliseconds. */
  stallMilliseconds: 30_000,
  /** How long the first byte of a WAV or FLAC may wait for the complete file, in milliseconds. */
  completeFileMilliseconds: 2_000,
  /** How long the rest of a text body is still read after an early answer, in milliseconds. */
  lingerMilliseconds: 2_000,
  sessions: 256,
  /** How long a WebSocket may be silent before it is closed, in milliseconds; a new one must state its settings earlier. */
  sessionIdleMilliseconds: 300_000,
  sessionStartMilliseconds: 10_000,
  /** How long the text of a speech over a WebSocket may pause before it counts as complete, in milliseconds. */
  textPauseMilliseconds: 60_000,
  /** Interval of pings to WebSockets, in milliseconds; a client that answers none is gone. */
  heartbeatMilliseconds: 30_000,
} satisfies BodyLimits & Readonly<Record<string, number>>;

export type ServerLimits = Readonly<typeof defaultLimits>;
