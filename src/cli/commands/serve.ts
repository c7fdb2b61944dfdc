import { type Command, Option } from 'commander';
import { aborted } from '../../cancellation.ts';
import type { ModelStatus } from '../../model-pool/served-models.ts';
import type { RateDialect } from '../../server/context/output-rate.ts';
import { type SseDialect, sseDialects } from '../../server/http/sse-dialects.ts';
import { openTracing } from '../../tracing/open-tracing.ts';
import type { Range } from '../../validation.ts';
import { formatWyomingAddress, type WyomingAddress } from '../../wyoming/address.ts';
import type { Io } from '../io.ts';
import type { ServingOptions } from '../model/serving.ts';
import {
  type Access,
  type AccessOptions,
  accessOptions,
  openAccess,
  openWyomingListener,
  type WyomingOptions,
  wyomingOptions,
} from '../options/access-options.ts';
import { setFromEnvironment } from '../options/environment-variables.ts';
import { commandWith, grouped, nameOption, rangeOption, repeated } from '../options/option-values.ts';
import { checkWithOption } from '../options/recognizer.ts';
import { type LogOptions, processOptions } from '../options/service-options.ts';
import { servingOptions } from '../options/serving-options.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { openLog, type ServiceLog } from '../output/logger.ts';
import { helpText } from '../short-help.ts';

interface ServeOptions extends ServingOptions, AccessOptions, WyomingOptions, LogOptions {
  readonly loraDir?: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly sseEvents: SseDialect;
  readonly pcmRate: RateDialect;
  readonly localModel?: readonly string[];
  readonly local: boolean;
  readonly drainSeconds: number;
}

const rateDialects: readonly RateDialect[] = ['public', 'model'];

const limits = {
  port: { kind: 'integer', minimum: 0, maximum: 65_535, default: 8000 },
  maxConnections: { kind: 'integer', minimum: 2, maximum: 100_000, default: 1024 },
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
  const shared = servingOptions();
  const command = commandWith('serve', helpText(examples, details), [
    ...shared.models,
    ...grouped('Model:', ['--lora-dir <folder>: folder of adapters that requests may load (default: none)']),
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
    ...shared.voices,
    ...shared.speech,
    ...grouped('Speech:', [
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
        repeated,
      ),
      '--no-local: do not serve /local, the page that speaks in the browser',
    ]),
    ...shared.broker,
    ...grouped('Process:', processOptions()),
  ]);
  return command.action(() => {
    setFromEnvironment(command, io);
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

async function serveClients(
  options: ServeOptions,
  io: Io,
  { access, logger, announce }: ServiceLog & { readonly access: Access },
): Promise<void> {
  const { tls } = access;
  const [{ localModels }, { chooseServing }] = await Promise.all([
    import('../model/local-models.ts'),
    import('../model/serving.ts'),
  ]);
  const offered = options.local ? await localModels(options.localModel ?? [], io) : undefined;
  const openSpeech = await chooseServing(options, io, logger);
  const [{ openServer }, { connectionLimits }] = await Promise.all([
    import('../../server/open-server.ts'),
    import('../../server/http/connections.ts'),
  ]);
  await using serving = await openSpeech();
  const { wyoming } = options;
  let wyomingAddress: WyomingAddress | undefined;
  const server = await openServer({
    ...serving,
    settings: {
      ...serving.settings,
      ...access.settings,
      sseDialect: options.sseEvents,
      pcmRate: options.pcmRate,
      loraFolder: options.loraDir,
    },
    listen: { host: options.host, port: options.port, tls, connections: connectionLimits(options.maxConnections) },
    localModels: offered,
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
  const { name, info } = serving.models.list()[0] as ModelStatus;
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  const url = `${tls === undefined ? 'http' : 'https'}://${host}:${server.port}`;
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
}
