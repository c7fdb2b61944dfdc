/** The means that the routes of a server and other protocols share: models, voices, the queue and limits, without a socket. */
import { createConcurrency } from '../admission/concurrency.ts';
import { openPlayer } from '../audio/loudspeaker.ts';
import { unknownAdapter } from '../engine/lora/adapter-catalog.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import type { ModelLease } from '../model-pool/served-models.ts';
import { requestError } from '../validation.ts';
import { loadPresets } from '../voices/recorded-voices.ts';
import { createVoiceCatalog, createVoiceList, type VoiceCatalog } from '../voices/voice-catalog.ts';
import { checkVoiceNames, type VoiceSources } from '../voices/voice-choice.ts';
import type { VoiceStore } from '../voices/voice-store.ts';
import type { ServerContext } from './context/context.ts';
import { createEncoderPool } from './context/encoder-pool.ts';
import { createForecast } from './context/forecast.ts';
import { limitUploads } from './context/limit-uploads.ts';
import { createMcpSessions } from './context/mcp-sessions.ts';
import { outputRate } from './context/output-rate.ts';
import { checkRequestDefaults } from './context/request-defaults.ts';
import type { ServerSettings } from './context/settings.ts';
import { createSockets } from './context/sockets.ts';
import { createTemporaryFiles } from './context/temporary-file.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { compileFolder } from './recordings/voice-folder.ts';

type Given = 'models' | 'loras' | 'settings' | 'queue' | 'metrics' | 'logger' | 'localModels' | 'recognize';

export interface ContextOptions
  extends Pick<ServerContext, Given>,
    Partial<Pick<ServerContext, 'openPlayer' | 'dialects'>> {
  readonly store: VoiceStore;
  /** Resolves to whether this machine has an audio output. Never rejects. */
  readonly playback?: Promise<boolean> | undefined;
  /** How clients list the voices, for messages; default: the route. */
  readonly listing?: string;
  readonly signal: AbortSignal;
}

/** Checks the settings and compiles voices. The caller closes the encoders, models and store. @throws SvcError */
export async function createContext(options: ContextOptions): Promise<ServerContext> {
  const { models, loras, store, settings, signal, listing = 'GET /v1/voices' } = options;
  const { voiceAliases: aliases, defaultVoice, defaultLora } = settings;
  const sources = { store, presets: await loadPresets(), listing, aliases, defaultVoice };
  const infos = () => models.list().flatMap(({ info }) => info ?? []);
  let hasPlayback: boolean | undefined;
  void options.playback?.then((found) => {
    hasPlayback = found;
  });
  const context: ServerContext = {
    dialects: options.dialects ?? [],
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
    limitUploads: limitUploads(),
    sockets: createSockets(settings),
    mcpSessions: createMcpSessions(settings.limits.sessions),
    temporaryFiles: createTemporaryFiles(settings.limits.temporaryBytes),
    metrics: options.metrics,
    forecast: createForecast(),
    settings,
    logger: options.logger,
    openPlayer: options.openPlayer ?? openPlayer,
    hasPlayback: () => hasPlayback,
    localModels: options.localModels,
    recognize: options.recognize,
  };
  const adapters = loras.list().map(({ name }) => name);
  if (defaultLora !== undefined && !adapters.includes(defaultLora)) {
    throw requestError(`--default-lora: ${unknownAdapter(defaultLora, adapters).message}`);
  }
  if (settings.requestDefaults !== undefined) {
    const names = models.list().flatMap(({ name, aliases: others }) => [name, ...others]);
    checkRequestDefaults(settings.requestDefaults, '--default', names);
  }
  await compileFolders(context, signal);
  await checkVoiceNames(sources);
  signal.throwIfAborted();
  return context;
}

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
