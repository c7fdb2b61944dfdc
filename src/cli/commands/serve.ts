import { delimiter, dirname } from 'node:path';
import { Command, Option } from 'commander';
import { aborted } from '../../cancellation.ts';
import { ranges, requestFields } from '../../engine/request.ts';
import type { ModelStatus } from '../../model-pool/served-models.ts';
import { type SseDialect, sseDialects } from '../../server/dialects/sse-dialects.ts';
import type { ServerSettings } from '../../server/settings.ts';
import type { RateDialect } from '../../server/speech/output-rate.ts';
import type { RequestDefaults } from '../../server/speech/request-defaults.ts';
import { openTracing } from '../../tracing/open-tracing.ts';
import type { Range } from '../../validation.ts';
import { parseVoiceAliases, type VoiceAliases } from '../../voices/voice-aliases.ts';
import { parseVoiceId } from '../../voices/voice-id.ts';
import { formatWyomingAddress, type WyomingAddress } from '../../wyoming/address.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { localModels } from '../model/local-models.ts';
import { chooseSpeech, type ServedSpeechOptions } from '../model/served-speech.ts';
import {
  type Access,
  type AccessOptions,
  accessOptions,
  accessVariables,
  openAccess,
} from '../options/access-options.ts';
import { brokerOption, brokerTlsOptions, queueOption } from '../options/broker-choice.ts';
import { readVariable } from '../options/environment-variables.ts';
import { loraOptions } from '../options/lora-options.ts';
import { setFromEnvironment } from '../options/option-variables.ts';
import { grouped, lexiconOption, modelOptions, nameOption } from '../options/options.ts';
import { checkWithOption, chooseRecognizer, type RecognizerOptions } from '../options/recognizer.ts';
import { readLexicons } from '../options/script-options.ts';
import { servedModelOptions } from '../options/served-model-options.ts';
import {
  drainSecondsOption,
  type LogOptions,
  logFormatOption,
  logLevelOption,
  rangeOption,
} from '../options/service-options.ts';
import { namedVoiceFolder, openVoiceStore, voiceStorePath } from '../options/voice-choice.ts';
import {
  openWyomingListener,
  type WyomingOptions,
  wyomingOptions,
  wyomingVariables,
} from '../options/wyoming-options.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { openLog, type ServiceLog } from '../output/logger.ts';
import { helpText } from '../short-help.ts';

interface ServeOptions extends ServedSpeechOptions, AccessOptions, WyomingOptions, LogOptions, RecognizerOptions {
  readonly voiceDir?: string;
  readonly loraDir?: string;
  readonly defaultLora?: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly inferenceTimesteps: number;
  readonly strict?: boolean;
  readonly sseEvents: SseDialect;
  readonly pcmRate: RateDialect;
  readonly localModel?: readonly string[];
  readonly local: boolean;
  readonly drainSeconds: number;
  readonly lexicon?: readonly string[];
  readonly defaultVoice?: string;
  /** Defaults of request fields, as written. */
  readonly default?: readonly string[];
  readonly voiceAlias?: VoiceAliases;
}

const rateDialects: readonly RateDialect[] = ['public', 'model'];

const limits = {
  port: { kind: 'integer', minimum: 0, maximum: 65_535, default: 8000 },
  maxConnections: { kind: 'integer', minimum: 2, maximum: 100_000, default: 1024 },
  maxQueue: { kind: 'integer', minimum: 0, maximum: 10_000, default: 64 },
} as const satisfies Record<string, Range>;

const examples = `
Examples:
  svc serve
  svc serve --model voxcpm-0.5b --port 8080 --voice-dir voices
  svc serve --model voxcpm-0.5b --model mine=mine.gguf \\
    --alias tts-1=voxcpm-0.5b --keep-alive 30m --memory-limit 4GiB
  SVC_API_KEY=… svc serve --host 0.0.0.0 --model voxcpm-0.5b
  svc serve --model voxcpm-0.5b --lora anna=anna-lora --lora ben=ben-lora:0.8
  svc serve --wyoming tcp://0.0.0.0:10200   (for Home Assistant)
  svc serve --broker redis://127.0.0.1   (no model here; see svc worker --help)
  curl http://127.0.0.1:8000/v1/audio/speech -o hello.wav \\
    -d '{"input": "Hello there.", "response_format": "wav"}'`;

const details = `
Several API keys, each with a name and perhaps limits, come from a JSON file:
  {"anna": {"key": "…", "rate_limit": 60}, "ben": {"sha256": "…", "weight": 2}}

Without an API key and without --disable-auth, only this machine is served:
any other --host is refused.

Recordings in --voice-dir that have a transcript of the same name (anna.wav,
anna.txt) become voices at startup, and requests may name any recording in it
as prompt_wav_path. Without --voice-dir, requests can read no files.

docs/cli.md lists the environment variables that set options, such as
SVC_API_KEY, SVC_VOICE_DIR, SVC_MODELS_DIR and SVC_BROKER_URL, and svc doctor
those in effect. OTEL_EXPORTER_OTLP_ENDPOINT and other variables of
OpenTelemetry turn on traces, see docs/operations.md.
Options override them, except SVC_SQLITE_PATH and SVC_DATABASE_URL.`;

/** `svc serve`: the HTTP server. */
export function serveCommand(io: Io): Command {
  const command = new Command('serve')
    .description('Run the HTTP server and the playground.')
    .addHelpText('after', helpText(examples, details));
  const options = [
    ...servedModelOptions(),
    ...modelOptions().filter(({ long }) => long !== '--model'),
    ...grouped('Model:', [
      new Option('--model-name <name>', 'name of the only model in requests; other names are refused'),
    ]),
    ...loraOptions('may be repeated; requests choose one with the field lora'),
    ...grouped('Model:', [
      new Option('--default-lora <name>', 'default LoRA adapter'),
      new Option('--lora-dir <folder>', 'folder of adapters that requests may load (default: none)'),
    ]),
    ...grouped('Network:', [
      new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
      rangeOption('-p, --port', limits.port, 'port to listen on; 0 picks a free one'),
      rangeOption(
        '--max-connections',
        limits.maxConnections,
        'maximum number of open connections, at most half of them from one address',
      ),
      ...wyomingOptions(),
    ]),
    ...grouped('Access:', accessOptions()),
    ...grouped('Voices:', [
      new Option(
        '--cache-dir, --voice-dir <folder>',
        "folder of the voice store and of recordings that requests may use (default: the user's data folder, without recordings)",
      ),
      suggesting(new Option('--default-voice <name>', 'default voice').argParser(parseVoiceId), 'voices'),
      new Option(
        '--voice-alias <alias=name>',
        'another name for a voice, such as alloy=anna; may be repeated',
      ).argParser((text: string, others?: VoiceAliases) => parseVoiceAliases(text, '--voice-alias', others)),
      lexiconOption('pronunciations of all voices'),
    ]),
    ...grouped('Speech:', [
      rangeOption('--max-queue', limits.maxQueue, 'maximum number of waiting requests'),
      rangeOption('--max-batch', ranges.maxBatch, 'requests processed at once, sharing each pass over the weights'),
      rangeOption(
        '--inference-timesteps',
        requestFields.timesteps,
        'default number of flow-matching steps (a request may override it)',
      ),
      new Option(
        '--default <field=value>',
        'default of a request field, as normalize=on; for a model, demo:normalize=on; for a voice, voice/iris:speed=1.1; may be repeated',
      ).argParser((text: string, others: readonly string[] = []) => [...others, text]),
      new Option('--strict', 'refuse instructions that the model or voice cannot follow, instead of ignoring them'),
      nameOption('--sse-events', sseDialects, 'event names of server-sent events').default('public'),
      nameOption(
        '--pcm-rate',
        rateDialects,
        "sample rate of pcm from /v1/audio/speech: 24 kHz as in the public API, or the model's",
      ).default('public'),
      checkWithOption('recognizer to check requests with retry_badcase and to transcribe uploaded voices'),
    ]),
    ...grouped('Models in the browser:', [
      new Option('--local-model <folder>', 'ONNX model that browsers may download and run; may be repeated').argParser(
        (folder: string, others: readonly string[] = []) => [...others, folder],
      ),
      new Option('--no-local', 'do not serve /local, the page that speaks in the browser'),
    ]),
    ...grouped('Broker:', [
      brokerOption(
        'Redis or Valkey, such as redis://host:6379; workers generate the speech, and no model is loaded here',
      ).conflicts([
        'model',
        'modelPath',
        'type',
        'file',
        'backend',
        'threads',
        'ditType',
        'maxBatch',
        'keepAlive',
        'memoryLimit',
        'lora',
        'loraAlpha',
        'loraDir',
      ]),
      ...brokerTlsOptions(),
      queueOption(),
    ]),
    ...grouped('Process:', [drainSecondsOption(), logLevelOption(), logFormatOption()]),
  ];
  for (const option of options) command.addOption(option);
  return command.action(() => {
    const variables = { strict: 'SVC_STRICT', defaultVoice: 'SVC_DEFAULT_VOICE', voiceAlias: 'SVC_VOICE_ALIAS' };
    setFromEnvironment(command, { ...accessVariables, ...wyomingVariables, ...variables }, io);
    return serve(command.opts<ServeOptions>(), io);
  });
}

async function serve(options: ServeOptions, io: Io): Promise<void> {
  const { logger, announce } = await openLog(options, io);
  const access = await openAccess(options, io, logger);
  const tracing = await openTracing(io.environment, 'svc-serve', logger);
  try {
    await serveClients(options, io, { access, logger, announce });
  } finally {
    access.close();
    await tracing.close();
  }
}

/** Defaults of request fields as they are written, and where. */
function defaultsOf(
  { default: given }: ServeOptions,
  io: Io,
): { readonly source: string; readonly texts: readonly string[] } {
  if (given !== undefined) return { source: '--default', texts: given };
  const texts = (readVariable(io, 'SVC_DEFAULTS') ?? '').split(/[;\n]/).map((text) => text.trim());
  return { source: 'SVC_DEFAULTS', texts: texts.filter((text) => text !== '') };
}

async function serveClients(
  options: ServeOptions,
  io: Io,
  { access, logger, announce }: ServiceLog & { readonly access: Access },
): Promise<void> {
  const { host, port } = options;
  const { tls } = access;
  const storePath = voiceStorePath(options, io);
  const lexicon = await serverLexicon(options, io);
  const offered = options.local ? await localModels(options.localModel ?? [], io) : undefined;
  const recognize = await chooseRecognizer(options, io);
  const openSpeech = await chooseSpeech(options, io);
  const [
    { openServer },
    { connectionLimits },
    { createMetrics, watchProcess },
    { defaultLimits },
    { parseRequestDefault },
  ] = await Promise.all([
    import('../../server/open-server.ts'),
    import('../../server/http/connections.ts'),
    import('../../metrics/metrics.ts'),
    import('../../server/settings.ts'),
    import('../../server/speech/request-defaults.ts'),
  ]);
  const { source, texts } = defaultsOf(options, io);
  const requestDefaults = texts.reduce<RequestDefaults | undefined>(
    (others, text) => parseRequestDefault(text, source, others),
    undefined,
  );
  if (lexicon.entries.length > 0) logger.info({ entries: lexicon.entries.length }, 'lexicon loaded');
  for (const reason of lexicon.warnings) logger.warn({ reason }, 'pronunciation ignored');
  const metrics = createMetrics();
  watchProcess(metrics);
  const store = await openVoiceStore(options, io, (reason) => logger.warn({ reason }, 'no voice store'));
  try {
    const speech = await openSpeech({ metrics, logger, recognize });
    try {
      const { models, queue, loras, modelsFolder } = speech;
      const voiceFolder = namedVoiceFolder(options, io);
      const settings: ServerSettings = {
        ...access.settings,
        instructions: options.strict ? 'strict' : 'lenient',
        timesteps: options.inferenceTimesteps,
        requestDefaults,
        lexicon: lexicon.entries,
        voiceAliases: options.voiceAlias,
        defaultVoice: options.defaultVoice,
        recordingFolders: voiceFolder === undefined ? [] : [voiceFolder],
        voiceFolder: voiceFolder ?? dirname(storePath),
        modelsFolder,
        loraFolder: options.loraDir,
        defaultLora: options.defaultLora,
        sseDialect: options.sseEvents,
        pcmRate: options.pcmRate,
        limits: defaultLimits,
      };
      const { wyoming } = options;
      let wyomingAddress: WyomingAddress | undefined;
      const server = await openServer({
        models,
        loras,
        store,
        settings,
        queue,
        listen: { host, port, tls, connections: connectionLimits(options.maxConnections) },
        metrics,
        logger,
        localModels: offered,
        recognize,
        playback: io.loudspeaker.find().then(({ status }) => status === 'ok'),
        openProtocolServer:
          wyoming &&
          (async (context) => {
            const front = await openWyomingListener(context, wyoming, options);
            wyomingAddress = front.address;
            return front;
          }),
        signal: io.signal,
      });
      const { name, info } = models.list()[0] as ModelStatus;
      const url = `${tls === undefined ? 'http' : 'https'}://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`;
      announce(
        `Listening on ${url} (playground; API reference at ${url}/docs). Press Ctrl-C to stop.`,
        { url, model: info?.name ?? name, device: info?.device, host: server.host, port: server.port },
        'listening',
      );
      if (info !== undefined) noteDemoModel(info, {}, io);
      if (wyomingAddress !== undefined) {
        const uri = formatWyomingAddress(wyomingAddress);
        announce(`Listening on ${uri} for Wyoming clients.`, { uri }, 'listening for Wyoming');
      }
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

/** The files of `--lexicon`, else of `SVC_LEXICON`. @throws SvcError INVALID_REQUEST */
function serverLexicon(options: ServeOptions, io: Io): ReturnType<typeof readLexicons> {
  const files = options.lexicon ?? readVariable(io, 'SVC_LEXICON')?.split(delimiter).filter(Boolean);
  return readLexicons({ lexicon: files }, io);
}
