/** Starts a server for models and a voice store: compiles voices, creates the application, opens the socket. */

import type { Logger } from 'pino';
import { createConcurrency } from '../admission/concurrency.ts';
import type { AdmissionQueue } from '../admission/queue.ts';
import type { AudioFormatName } from '../audio/encode/format.ts';
import { type OpenPlayer, openPlayer } from '../audio/loudspeaker.ts';
import { prepareResampling } from '../audio/resample/library-resample.ts';
import { type Adapters, unknownAdapter } from '../engine/lora/adapter-catalog.ts';
import type { Recognize } from '../engine/recognize.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ModelLease, ServedModels } from '../model-pool/served-models.ts';
import { requestError } from '../validation.ts';
import { loadPresets } from '../voices/recorded-voices.ts';
import { createVoiceCatalog, createVoiceList, type VoiceCatalog } from '../voices/voice-catalog.ts';
import { checkVoiceNames, type VoiceSources } from '../voices/voice-choice.ts';
import type { VoiceStore } from '../voices/voice-store.ts';
import { createApp } from './app.ts';
import type { ServerContext } from './context.ts';
import { type ListenOptions, listen, type RunningServer } from './http/listen.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { createSockets } from './live/sockets.ts';
import type { LocalModel } from './pages/local-page.ts';
import { compileFolder } from './recordings/voice-folder.ts';
import type { ServerSettings } from './settings.ts';
import { createEncoderPool } from './speech/encoder-pool.ts';
import { createForecast } from './speech/forecast.ts';
import { outputRate } from './speech/output-rate.ts';
import { checkRequestDefaults } from './speech/request-defaults.ts';
import { createTemporaryFiles } from './speech/temporary-file.ts';

/** Another way in, for clients that don't speak HTTP. */
export interface ProtocolServer {
  /** As `RunningServer.close`. */
  close(milliseconds: number): Promise<void>;
}

export interface ServerOptions {
  readonly models: ServedModels;
  readonly loras: Adapters;
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
  /** Formats whose codec is loaded before a request; default: that of the public API, MP3. */
  readonly formatsAhead?: readonly AudioFormatName[] | undefined;
  readonly openProtocolServer?: ((context: ServerContext) => Promise<ProtocolServer>) | undefined;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** The caller closes models and store, after the server. */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const { models, loras, store, settings, metrics, logger, signal } = options;
  const { voiceAliases: aliases, defaultVoice, defaultLora } = settings;
  const sources = { store, presets: await loadPresets(), listing: 'GET /v1/voices', aliases, defaultVoice };
  const infos = () => models.list().flatMap(({ info }) => info ?? []);
  let hasPlayback: boolean | undefined;
  void options.playback?.then((found) => {
    hasPlayback = found;
  });
  const context: ServerContext = {
    models,
    loras,
    allVoices: () => createVoiceList(infos()[0], sources),
    voicesOf: rememberVoices(sources, settings.lexicon),
    queue: options.queue,
    concurrency: createConcurrency(),
    rates: createRateLimits(),
    encoders: createEncoderPool((format) =>
      infos().map(({ outputSampleRate }) => outputRate(format, outputSampleRate, settings.pcmRate)),
    ),
    sockets: createSockets(settings),
    openTemporaryFile: createTemporaryFiles(settings.limits.temporaryBytes),
    metrics,
    forecast: createForecast(),
    settings,
    logger,
    openPlayer: options.openPlayer ?? openPlayer,
    hasPlayback: () => hasPlayback,
    localModels: options.localModels,
    recognize: options.recognize,
  };
  if (defaultLora !== undefined && !loras.list().some(({ name }) => name === defaultLora)) {
    const names = loras.list().map(({ name }) => name);
    throw requestError(`--default-lora: ${unknownAdapter(defaultLora, names).message}`);
  }
  if (settings.requestDefaults !== undefined) {
    const names = models.list().flatMap(({ name, aliases: others }) => [name, ...others]);
    checkRequestDefaults(settings.requestDefaults, '--default', names);
  }
  await compileFolders(context, signal);
  await checkVoiceNames(sources);
  signal.throwIfAborted();
  const onError = ({ message }: Error): void => logger.error({ reason: message }, 'socket failed');
  const server = await listen(createApp(context), context.queue, {
    onError,
    sockets: context.sockets,
    stallMilliseconds: settings.limits.stallMilliseconds,
    ...options.listen,
  });
  const front = await options.openProtocolServer?.(context).catch(async (error) => {
    await server.close(0);
    throw error;
  });
  // With the resampler of the `pcm` of the public API; otherwise the first request would wait for them.
  for (const format of options.formatsAhead ?? ['mp3']) context.encoders.prepare(format);
  // A request that needs it reports the error.
  prepareResampling().catch(() => undefined);
  return {
    ...server,
    async close(milliseconds) {
      await Promise.all([server.close(milliseconds), front?.close(milliseconds)]);
      await context.encoders.close();
    },
  };
}

/** The voices of each engine, with what it has encoded. */
function rememberVoices(sources: VoiceSources, lexicon: ServerSettings['lexicon']): ServerContext['voicesOf'] {
  const known = new WeakMap<SpeechSource, VoiceCatalog>();
  return (engine) => {
    const voices = known.get(engine) ?? createVoiceCatalog(engine, sources, lexicon);
    known.set(engine, voices);
    return voices;
  };
}

/** Loads the default model only for recordings that are new or changed. */
async function compileFolders(context: ServerContext, signal: AbortSignal): Promise<void> {
  const { models, settings, logger, allVoices, voicesOf } = context;
  let lease: ModelLease | undefined;
  const voices: Pick<VoiceCatalog, 'list' | 'add'> = {
    list: async () => (await allVoices().list()).filter(({ aliasOf }) => aliasOf === undefined),
    async add(recording, options) {
      lease ??= await models.lease(models.defaultName, { wait: (load) => load(signal) });
      return voicesOf(lease.engine).add(recording, options);
    },
  };
  try {
    for (const folder of settings.recordingFolders) await compileFolder(folder, { voices, settings, logger }, signal);
  } finally {
    lease?.release();
  }
}
