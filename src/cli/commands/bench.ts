import { constants } from 'node:fs';
import { access, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type BenchConfiguration, benchEngines } from '../../bench/configuration.ts';
import { publishedModels } from '../../bench/synthetic/published-configs.ts';
import { defaultThreads } from '../../engine/backends/native/default-threads.ts';
import { type KernelName, kernelNames } from '../../engine/backends/native/kernel-names.ts';
import { ranges, requestFields } from '../../engine/request-fields.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { type Range, requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { type BenchModelOptions, benchModels } from '../model/bench-models.ts';
import { deviceSettings } from '../model/device-settings.ts';
import { deviceOf, threadsOf } from '../model/engine-environment.ts';
import { readVariable } from '../options/environment-variables.ts';
import { modelOptions } from '../options/model-options.ts';
import {
  commandWith,
  listOf,
  nameOption,
  namesOption,
  parseNumber,
  rangeOption,
  refuseOptions,
} from '../options/option-values.ts';
import { fieldOption } from '../options/speech-options.ts';
import { benchTable } from '../output/bench-table.ts';
import { loadTable } from '../output/load-table.ts';
import { printNote, printWarning } from '../output/messages.ts';
import { helpText } from '../short-help.ts';

interface BenchOptions extends BenchModelOptions {
  readonly keep: boolean;
  readonly threads?: readonly number[];
  readonly kernels?: readonly KernelName[];
  readonly batch: readonly number[];
  readonly patches: number;
  readonly rounds?: number;
  readonly text: string;
  readonly promptSeconds: number;
  readonly inferenceTimesteps?: number;
  readonly cfgValue?: number;
  readonly seed?: number;
  readonly contention?: boolean;
  readonly json?: boolean;
  readonly server?: string;
  readonly streams?: number;
  readonly requests?: number;
  readonly duration?: number;
  readonly voice: string;
  readonly apiKey?: string;
}

/** The sentence of published figures; 26 positions. */
const defaultText = 'The quick brown fox jumps over the lazy dog near the river bank.';
const comparedRounds = 3;
/** Processors that other work may keep busy without a warning. */
const quiet = 0.05;

const limits = {
  batch: { kind: 'integer', minimum: 1, maximum: ranges.maxBatch.maximum },
  patches: { kind: 'integer', minimum: 4, maximum: 4096, default: 48 },
  rounds: { kind: 'integer', minimum: 1, maximum: 99 },
  promptSeconds: { kind: 'number', minimum: 0, maximum: 60, default: 0 },
  streams: { kind: 'integer', minimum: 1, maximum: 10_000 },
  requests: { kind: 'integer', minimum: 1, maximum: 10_000_000 },
  duration: { kind: 'number', minimum: 0.1, maximum: 86_400 },
} as const satisfies Record<string, Range>;

/** Options about models of this machine. */
const ofModels = ['synthetic', 'modelPath', 'compare', 'contention'];

const examples = `
Examples:
  svc bench --model-path voxcpm-0.5b-q8_0.gguf
  svc bench --synthetic 0.5b --type q8_0 --threads 1,2 --batch 1,2,4
  svc bench --synthetic 0.5b --engine native,onnx
  svc bench --synthetic 0.5b --kernels avx512,avx2
  svc bench --synthetic 1.5 --threads 2 --json --compare ./voxcpm_tts
  svc bench --server http://127.0.0.1:8000 --streams 16 --duration 60`;

const details = `
Each configuration of --engine, --threads, --kernels and --batch runs in a
process of its own, after a warm-up. Figures are medians of the patches of a run
and, with --rounds, of the runs. Other work on the machine spoils them: "others
busy" should be below 0.05.

--synthetic writes a model of random weights in the published dimensions to
SVC_CACHE_DIR/bench, once. Its size in MB:
  type     0.5b     1.5       2
  q8_0      850    1050    2650
  q4_k      560     700    1600
  f16      1500    1800    4800
  f32      2950    3600    9600
--no-keep removes it afterwards.

RTF is seconds of computing per second of audio: of prefill and steps ("model
only"), with the audio VAE, and with the encoding of the prompt ("full"). With
a batch, all of its audio counts. "Over roofline" is the time of a step over
the time to read its weights. "Phases" is how often the threads wait for each
other in a step.

--compare runs VoxCPM.cpp's voxcpm_tts in turn with svc on the same file, text,
patches and threads.

--server measures a running server of the public speech API instead, with
simulated listeners that play what arrives in real time: the time to the first
audio, the longest gap between two pieces, and underruns, the pauses that a
listener hears. Without --requests and --duration, each stream sends one
request. --model and --voice are fields of the requests.

Environment variables: SVC_API_KEY (same as --api-key).`;

/** `svc bench`: measures a model on this machine, or a server. */
export function benchCommand(io: Io): Command {
  const what = 'benchmark random weights of --type in the shape of a published model';
  return commandWith('bench', helpText(examples, details), [
    ...modelOptions().filter(({ long }) => long !== '--threads'),
    nameOption('--synthetic', publishedModels, what).conflicts(['model', 'modelPath', 'file']),
    '--no-keep: delete the model with random weights afterwards',
    namesOption('--engine', benchEngines, 'with --synthetic, engines to measure', 'native'),
    new Option(
      '--threads <numbers>',
      'CPU threads, such as 1,2 (default: SVC_THREADS, or one per physical core)',
    ).argParser(listOf(parseNumber('--threads', ranges.threads))),
    namesOption('--kernels', kernelNames, 'CPU kernels to measure', 'the fastest that the processor runs'),
    new Option('--batch <numbers>', 'utterances that share each pass over the weights, such as 1,2,4')
      .argParser(listOf(parseNumber('--batch', limits.batch)))
      .default([1], '1'),
    rangeOption('--patches', limits.patches, 'patches per utterance'),
    new Option(
      '--rounds <number>',
      `runs of each configuration (default: 1; with --compare ${comparedRounds})`,
    ).argParser(parseNumber('--rounds', limits.rounds)),
    new Option('--text <text>', 'text to speak').default(defaultText),
    rangeOption('--prompt-seconds', limits.promptSeconds, 'length of the prompt audio (noise) in seconds'),
    fieldOption('timesteps'),
    fieldOption('cfg'),
    fieldOption('seed', '1'),
    "--compare <program>: VoxCPM.cpp's voxcpm_tts, to alternate with one configuration of the native engine",
    '--contention: also run beside a busy process on the same processors (Linux)',
    new Option('--server <url>', 'measure a running server, such as http://127.0.0.1:8000').conflicts(ofModels),
    rangeOption('--streams', limits.streams, 'with --server, concurrent requests', '1'),
    new Option('--requests <number>', 'with --server, total number of requests').argParser(
      parseNumber('--requests', limits.requests),
    ),
    new Option('--duration <seconds>', 'with --server, stop starting requests after this many seconds').argParser(
      parseNumber('--duration', limits.duration),
    ),
    suggesting(new Option('--voice <name>', 'with --server, voice of the requests').default('default'), 'voices'),
    '--api-key <key>: with --server, bearer token (default: SVC_API_KEY)',
    '--json: print one line of JSON after the table',
    '--quiet: print errors only on standard error',
  ]).action((given: BenchOptions) => bench(given, io));
}

async function bench(options: BenchOptions, io: Io): Promise<void> {
  if (options.server !== undefined) return benchServer(options.server, options, io);
  const { synthetic, keep, patches, compare, rounds = compare === undefined ? 1 : comparedRounds } = options;
  const warn = (message: string): void => void (options.quiet || printWarning(message, io));
  refuseOptions(options, ['streams', 'requests', 'duration', 'apiKey'], 'needs --server');
  await checkComparison(options);
  if (options.type !== undefined && (options.model ?? synthetic) === undefined)
    throw requestError('--type needs --model or --synthetic');
  if (synthetic === undefined && !keep) throw requestError('--no-keep needs --synthetic');
  const { device } = options;
  if (device === 'all')
    throw requestError('--device all cannot be measured; name one GPU, or measure a server with --server');
  const { cacheFolder, patience } = deviceSettings(io);
  const devices = { cacheFolder, patience };
  const models = await benchModels(options, io);
  try {
    const { threads = [threadsOf(io) ?? defaultThreads().threads], kernels = [undefined], batch } = options;
    const configurations = models.flatMap(({ engine, modelPath }) =>
      threads.flatMap((count) =>
        kernels.flatMap((name) =>
          batch.map(
            (size): BenchConfiguration => ({
              modelPath,
              engine,
              backend: options.backend ?? deviceOf(io) ?? (compare === undefined ? 'auto' : 'cpu'),
              device,
              devices,
              threads: count,
              ...(name === undefined ? {} : { kernels: name }),
              ditType: options.ditType ?? 'auto',
              batch: size,
              patches,
              timesteps: options.inferenceTimesteps ?? requestFields.timesteps.default,
              cfg: options.cfgValue ?? requestFields.cfg.default,
              seed: options.seed ?? 1,
              text: options.text,
              promptSeconds: options.promptSeconds,
            }),
          ),
        ),
      ),
    );
    const { runBench } = await import('../../bench/bench.ts');
    const report = await runBench({
      configurations,
      rounds,
      // A bare name would be searched for in PATH.
      compare: compare && resolve(compare),
      contention: options.contention ? 'measure' : 'leave out',
      environment: io.environment,
      signal: io.signal,
      onRun: (run) => void (options.quiet || printNote(run, io)),
    });
    const busy = Math.max(report.othersBusy, report.peer?.othersBusy ?? 0);
    if (busy > quiet) {
      warn(
        `other processes kept ${busy.toFixed(2)} processors busy, so the figures are too high; stop them and repeat`,
      );
    }
    if (report.peer !== undefined && report.peer.patches !== patches) {
      warn(`the peer generated ${report.peer.patches} patches instead of ${patches}`);
    }
    io.stdout.write(benchTable(report));
    if (options.json) io.stdout.write(`${JSON.stringify(report, rounded)}\n`);
  } finally {
    if (!keep) for (const { modelPath } of models) await rm(modelPath, { recursive: true, force: true });
  }
}

/** @throws SvcError BACKEND_UNAVAILABLE when no request was answered with audio */
async function benchServer(server: string, options: BenchOptions, io: Io): Promise<void> {
  const { streams = 1, duration, text: input, voice, model = 'tts-1' } = options;
  if (!/^https?:/.test(server) || !URL.canParse(server))
    throw requestError(`--server must be a URL, as in http://127.0.0.1:8000, got ${quote(server)}`);
  if (!/\S/.test(input)) throw requestError('--text is empty');
  const { runLoad } = await import('../../bench/load.ts');
  const report = await runLoad({
    server,
    streams,
    requests: options.requests ?? (duration === undefined ? streams : Number.POSITIVE_INFINITY),
    seconds: duration ?? Number.POSITIVE_INFINITY,
    apiKey: options.apiKey ?? readVariable(io, 'SVC_API_KEY'),
    body: () => ({ input, voice, model }),
    signal: io.signal,
  });
  io.stdout.write(loadTable(report));
  if (options.json) io.stdout.write(`${JSON.stringify(report, rounded)}\n`);
  if (report.completed === 0) {
    const reasons = Object.keys(report.failures).join(', ');
    throw new SvcError('BACKEND_UNAVAILABLE', `no request to ${server} was answered with audio: ${reasons}`);
  }
}

/** More digits would not be meaningful in a measurement. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

async function checkComparison(options: BenchOptions): Promise<void> {
  const { compare, engine = ['native'], threads = [1], kernels, batch, cfgValue, text } = options;
  if (!/\S/.test(text)) throw requestError('--text is empty');
  if (compare === undefined) return;
  const requirements: readonly (readonly [isMet: boolean, needed: string, given: string])[] = [
    [engine.length === 1 && engine[0] === 'native', '--engine native', engine.join(',')],
    [threads.length === 1, 'a single value of --threads', threads.join(',')],
    [(kernels ?? []).length <= 1, 'a single value of --kernels', String(kernels)],
    [batch.length === 1 && batch[0] === 1, '--batch 1', batch.join(',')],
    [cfgValue === undefined || cfgValue >= 0.1, '--cfg-value of at least 0.1', String(cfgValue)],
  ];
  for (const [isMet, needed, given] of requirements) {
    if (!isMet) throw requestError(`--compare needs ${needed}, got ${given}`);
  }
  const isFile = (await stat(compare).catch(() => undefined))?.isFile();
  if (!isFile) throw requestError(`no program ${quote(compare)} for --compare`);
  await access(compare, constants.X_OK).catch(() => {
    throw requestError(`${quote(compare)} for --compare is not executable; run chmod +x on it`);
  });
}
