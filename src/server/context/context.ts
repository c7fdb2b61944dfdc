import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Concurrency } from '../../admission/concurrency.ts';
import type { AdmissionQueue, Hold } from '../../admission/queue.ts';
import type { OpenPlayer } from '../../audio/loudspeaker.ts';
import type { Adapters, CatalogAdapter } from '../../engine/lora/adapter-catalog.ts';
import type { Recognize } from '../../engine/recognize.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ServedModels } from '../../model-pool/served-models.ts';
import type { VoiceCatalog, VoiceList } from '../../voices/voice-catalog.ts';
import type { RateLimits } from '../http/rate-limits.ts';
import type { LocalModel } from '../pages/local-page.ts';
import type { EncoderPool } from './encoder-pool.ts';
import type { Forecast } from './forecast.ts';
import type { McpSessions } from './mcp-sessions.ts';
import type { ServerSettings } from './settings.ts';
import type { Sockets } from './sockets.ts';
import type { SpeechDialect } from './speech-dialect.ts';
import type { OpenTemporaryFile, TemporaryFiles } from './temporary-file.ts';

export interface ServerContext {
  readonly dialects: readonly SpeechDialect[];
  readonly models: ServedModels;
  readonly loras: Adapters;
  /** The voices, without a loaded model. */
  readonly allVoices: () => VoiceList;
  readonly voicesOf: (engine: SpeechSource) => VoiceCatalog;
  readonly queue: AdmissionQueue;
  readonly concurrency: Concurrency;
  readonly rates: RateLimits;
  readonly encoders: EncoderPool;
  readonly limitUploads: RequestHandler;
  readonly sockets: Sockets;
  readonly mcpSessions: McpSessions;
  readonly temporaryFiles: TemporaryFiles;
  readonly metrics: Metrics;
  readonly forecast: Forecast;
  readonly settings: ServerSettings;
  readonly logger: Logger;
  readonly openPlayer: OpenPlayer;
  /** Whether this machine has an audio output; undefined until checked. */
  readonly hasPlayback: () => boolean | undefined;
  readonly localModels?: readonly LocalModel[] | undefined;
  /** Transcribes uploaded voices without transcript, if there is one. */
  readonly recognize?: Recognize | undefined;
}

export interface ModelContext extends ServerContext {
  readonly modelName: string;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  readonly engine: SpeechSource;
  readonly voices: VoiceCatalog;
  /** Within the share of this request, and of its API key. */
  readonly openTemporaryFile: OpenTemporaryFile;
  /** The adapter that has this name now, held until the request ends. @throws SvcError INVALID_REQUEST */
  readonly pinAdapter: (name: string) => CatalogAdapter | undefined;
  /** The place in the queue of a request that waited for its model, or was admitted before its text was read. */
  readonly hold: () => Hold | undefined;
  /**
   * Counts the request as waiting from now on: reading a long text that is then refused would take time from others.
   *
   * @returns aborted when the request is canceled
   * @throws SvcError QUEUE_FULL, BACKEND_UNAVAILABLE
   */
  readonly admit: () => AbortSignal;
}
