import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { ranges, requestFields } from '../../engine/request.ts';
import type { ModelStatus } from '../../model-pool/served-models.ts';
import type { RateDialect } from '../../server/output-rate.ts';
import type { ServerSettings, SseDialect } from '../../server/settings.ts';
import { invalid, type Range, requestError, show } from '../../validation.ts';
import type { Io } from '../io.ts';
import { localModels } from '../model/local-models.ts';
import { chooseSpeech, type ServedSpeechOptions } from '../model/served-speech.ts';
import { brokerOption, queueOption } from '../options/broker-choice.ts';
import { modelOptions, nameOption } from '../options/options.ts';
import { servedModelOptions } from '../options/served-model-options.ts';
import {
  aborted,
  drainSecondsOption,
  type LogOptions,
  logFormatOption,
  logLevelOption,
  rangeOption,
} from '../options/service-options.ts';
import { namedVoiceFolder, openVoiceStore, voiceStorePath } from '../options/voice-choice.ts';
import { openLog } from '../output/logger.ts';

interface ServeOptions extends ServedSpeechOptions, LogOptions {
  readonly voiceDir?: string;
  readonly host: string;
  readonly port: number;
  readonly apiKey?: string;
  readonly disableAuth?: boolean;
  readonly inferenceTimesteps: number;
  readonly corsOrigin?: readonly string[];
  readonly sseEvents: SseDialect;
  readonly pcmRate: RateDialect;
  readonly localModel?: readonly string[];
  readonly local: boolean;
  readonly drainSeconds: number;
}

const dialects: readonly SseDialect[] = ['public', 'native'];
const rateDialects: readonly RateDialect[] = ['public', 'model'];

const limits = {
  port: { kind: 'integer', minimum: 0, maximum: 65_535, default: 8000 },
  maxQueue: { kind: 'integer', minimum: 0, maximum: 10_000, default: 64 },
} as const satisfies Record<string, Range>;

const help = `
Examples:
  svc serve
  svc serve --model voxcpm-0.5b --port 8080 --voice-dir voices
  svc serve --model voxcpm-0.5b --model mine=mine.gguf --alias tts-1=voxcpm-0.5b \
    --keep-alive 30m --memory-limit 4GiB
  SVC_API_KEY=… svc serve --host 0.0.0.0 --model voxcpm-0.5b
  svc serve --broker redis://127.0.0.1   (no model here; see svc worker --help)
  curl http://127.0.0.1:8000/v1/audio/speech -o hello.wav \\
    -d '{"input": "Hello there.", "response_format": "wav"}'

Without an API key and without --disable-auth, only this machine is served:
any other --host is refused.

Recordings in --voice-dir that have a transcript of the same name (anna.wav,
anna.txt) become voices at startup, and requests may name any recording in it
as prompt_wav_path. Without --voice-dir, requests can read no files.

Environment variables:
  SVC_MODELS_DIR    folder with one .gguf file or an ONNX model
  SVC_DEVICE        same as --backend
  SVC_VOICE_DIR     same as --voice-dir
  SVC_SQLITE_PATH   file that stores voices
  SVC_DATABASE_URL  PostgreSQL database that stores voices, instead of a file
  SVC_BROKER_URL    same as --broker
  SVC_API_KEY       same as --api-key
Options override them, except SVC_SQLITE_PATH and SVC_DATABASE_URL.`;

/** `svc serve`: the HTTP server. */
export function serveCommand(io: Io): Command {
  const command = new Command('serve')
    .description('Run the HTTP server and the playground.')
    .addHelpText('after', help);
  const options = [
    ...modelOptions().filter(({ long }) => long !== '--model'),
    ...servedModelOptions(),
    brokerOption('Redis or Valkey whose workers speak, as redis://host:6379; no model is loaded here').conflicts([
      'model',
      'modelPath',
      'type',
      'file',
      'backend',
      'threads',
      'maxBatch',
      'keepAlive',
      'memoryLimit',
    ]),
    queueOption(),
    new Option('--model-name <name>', 'what requests call a single model; other names are then refused'),
    new Option(
      '--cache-dir, --voice-dir <folder>',
      'folder of the voice store, and of recordings that requests may use (default: store in the user data folder, no recordings)',
    ),
    new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
    rangeOption('-p, --port', limits.port, 'port to listen on; 0 picks a free one'),
    new Option('--api-key <key>', 'bearer token that requests must carry'),
    new Option('--disable-auth', 'serve everyone who can reach the address'),
    rangeOption('--max-queue', limits.maxQueue, 'maximum number of waiting requests'),
    rangeOption('--max-batch', ranges.maxBatch, 'requests processed at once, sharing each pass over the weights'),
    rangeOption(
      '--inference-timesteps',
      requestFields.timesteps,
      'default number of flow-matching steps (a request may override it)',
    ),
    new Option('--cors-origin <origin>', 'web page that may call from a browser; may be repeated').argParser(
      (origin: string, others: readonly string[] = []) => [...others, parseOrigin(origin)],
    ),
    new Option('--local-model <folder>', 'ONNX model that browsers may run themselves; may be repeated').argParser(
      (folder: string, others: readonly string[] = []) => [...others, folder],
    ),
    new Option('--no-local', 'leave out the page that speaks in the browser, /local'),
    nameOption('--sse-events', dialects, 'names of server-sent events').default('public'),
    nameOption(
      '--pcm-rate',
      rateDialects,
      "rate of pcm from /v1/audio/speech, 24 kHz as the public API or the model's",
    ).default('public'),
    drainSecondsOption(),
    logLevelOption(),
    logFormatOption(),
  ];
  for (const option of options) command.addOption(option);
  return command.action((given: ServeOptions) => serve(given, io));
}

async function serve(options: ServeOptions, io: Io): Promise<void> {
  const { host, port } = options;
  const access = chooseAccess(options, io);
  const storePath = voiceStorePath(options, io);
  const offered = options.local ? await localModels(options.localModel ?? [], io) : undefined;
  const openSpeech = await chooseSpeech(options, io);
  const [{ openServer }, { createMetrics, watchProcess }, { defaultLimits }] = await Promise.all([
    import('../../server/open-server.ts'),
    import('../../server/metrics.ts'),
    import('../../server/settings.ts'),
  ]);
  const { logger, announce } = await openLog(options, io);
  const metrics = createMetrics();
  watchProcess(metrics);
  const store = await openVoiceStore(options, io);
  try {
    const speech = await openSpeech({ metrics, logger });
    try {
      const { models, queue, modelsFolder } = speech;
      const voiceFolder = namedVoiceFolder(options, io);
      const settings: ServerSettings = {
        ...access,
        timesteps: options.inferenceTimesteps,
        recordingFolders: voiceFolder === undefined ? [] : [voiceFolder],
        voiceFolder: voiceFolder ?? dirname(storePath),
        modelsFolder,
        corsOrigins: options.corsOrigin ?? [],
        sseDialect: options.sseEvents,
        pcmRate: options.pcmRate,
        limits: defaultLimits,
      };
      const server = await openServer({
        models,
        store,
        settings,
        queue,
        listen: { host, port },
        metrics,
        logger,
        localModels: offered,
        playback: io.loudspeaker.find().then(({ status }) => status === 'ok'),
        signal: io.signal,
      });
      const { name, info } = models.list()[0] as ModelStatus;
      const url = `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`;
      announce(
        `Listening on ${url} (playground; API reference at ${url}/docs). Press Ctrl-C to stop.`,
        { url, model: info?.name ?? name, device: info?.device, host: server.host, port: server.port },
        'listening',
      );
      await aborted(io.signal);
      logger.info('shutting down');
      await server.close(options.drainSeconds * 1000);
    } finally {
      await speech.close();
    }
  } finally {
    await store.close();
  }
}

/** @throws SvcError INVALID_REQUEST when other machines could reach a server that requires no key */
function chooseAccess(
  { host, apiKey, disableAuth }: ServeOptions,
  { environment }: Io,
): Pick<ServerSettings, 'apiKey' | 'hosts'> {
  const key = apiKey ?? (environment.SVC_API_KEY || undefined);
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    // The key itself is not shown.
    throw requestError(`--api-key ${key === '' ? 'is empty' : 'must consist of visible ASCII characters'}`);
  }
  if (disableAuth) return { hosts: 'any' };
  if (key !== undefined) return { apiKey: key, hosts: 'any' };
  if (isLoopback(host)) return { hosts: 'loopback' };
  throw requestError(
    `--host ${show(host)} is reachable from other machines: set --api-key, or --disable-auth to serve everyone`,
  );
}

/** Whether only this machine can reach the address. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

function parseOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw invalid('an origin such as https://example.org', '--cors-origin', show(text));
}
