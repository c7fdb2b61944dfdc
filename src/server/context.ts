import type { Logger } from 'pino';
import type { AdmissionQueue } from '../admission/queue.ts';
import type { SpeechSource } from '../engine/engine.ts';
import type { VoiceCatalog } from '../voices/voice-catalog.ts';
import type { EncoderPool } from './encoder-pool.ts';
import type { LocalModel } from './local-page.ts';
import type { Metrics } from './metrics.ts';
import type { OpenPlayer } from './playback.ts';
import type { PlaygroundFile } from './playground-page.ts';
import type { ServerSettings } from './settings.ts';

/** Shared by all routes of a server. */
export interface ServerContext {
  readonly engine: SpeechSource;
  readonly voices: VoiceCatalog;
  readonly queue: AdmissionQueue;
  readonly encoders: EncoderPool;
  readonly metrics: Metrics;
  readonly settings: ServerSettings;
  readonly logger: Logger;
  readonly openPlayer: OpenPlayer;
  /** Whether this machine has an audio output; undefined until checked. */
  readonly hasPlayback: () => boolean | undefined;
  /** By URL path. */
  readonly playground: ReadonlyMap<string, PlaygroundFile>;
  /** Models offered to browsers; without them there is no page at `/local`. */
  readonly localModels?: readonly LocalModel[] | undefined;
}
