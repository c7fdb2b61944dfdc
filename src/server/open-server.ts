/** Starts a server for an engine and a voice store: compiles voices, creates the application, opens the socket. */

import type { Logger } from 'pino';
import { createConcurrency } from '../admission/concurrency.ts';
import type { AdmissionQueue } from '../admission/queue.ts';
import { prepareResampling } from '../audio/library-resample.ts';
import type { SpeechSource } from '../engine/engine.ts';
import type { Recognize } from '../engine/recognize.ts';
import { loadPresets } from '../voices/recorded-voices.ts';
import { createVoiceCatalog } from '../voices/voice-catalog.ts';
import type { VoiceStore } from '../voices/voice-store.ts';
import { createApp } from './app.ts';
import type { ServerContext } from './context.ts';
import { createEncoderPool } from './encoder-pool.ts';
import { createForecast } from './forecast.ts';
import { type ListenOptions, listen, type RunningServer } from './listen.ts';
import type { LocalModel } from './local-page.ts';
import type { Metrics } from './metrics.ts';
import { outputRate } from './output-rate.ts';
import { type OpenPlayer, openPlayer } from './playback.ts';
import { createRateLimits } from './rate-limits.ts';
import type { ServerSettings } from './settings.ts';
import { compileFolder } from './voice-folder.ts';

export interface ServerOptions {
  readonly engine: SpeechSource;
  readonly store: VoiceStore;
  readonly settings: ServerSettings;
  readonly queue: AdmissionQueue;
  readonly listen: ListenOptions;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly openPlayer?: OpenPlayer;
  /** Resolves to whether this machine has an audio output. Never rejects. */
  readonly playback?: Promise<boolean> | undefined;
  readonly localModels?: readonly LocalModel[] | undefined;
  /** Transcribes uploaded voices without transcript. */
  readonly recognize?: Recognize | undefined;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** The caller closes engine and store, after the server. */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { engine, store, settings, metrics, logger, signal } = options;
  const presets = await loadPresets();
  let hasPlayback: boolean | undefined;
  void options.playback?.then((found) => {
    hasPlayback = found;
  });
  const context: ServerContext = {
    engine,
    voices: createVoiceCatalog(engine, { store, presets, listing: 'GET /v1/voices' }, settings.lexicon),
    queue: options.queue,
    concurrency: createConcurrency(),
    rates: createRateLimits(),
    encoders: createEncoderPool((format) => outputRate(format, engine.info.outputSampleRate, settings.pcmRate)),
    metrics,
    forecast: createForecast(),
    settings,
    logger,
    openPlayer: options.openPlayer ?? openPlayer,
    hasPlayback: () => hasPlayback,
    localModels: options.localModels,
    recognize: options.recognize,
  };
  for (const folder of settings.recordingFolders) await compileFolder(folder, context, signal);
  signal.throwIfAborted();
  const onError = ({ message }: Error): void => logger.error({ reason: message }, 'socket failed');
  const server = await listen(createApp(context), context.queue, { onError, ...options.listen });
  // The public API's default format, and the resampler of its `pcm`; otherwise the first request would wait for them.
  context.encoders.prepare('mp3');
  // A request that needs it reports the error.
  prepareResampling().catch(() => undefined);
  return {
    ...server,
    async close(milliseconds) {
      await server.close(milliseconds);
      await context.encoders.close();
    },
  };
}
