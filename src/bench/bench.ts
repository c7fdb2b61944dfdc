/** Runs all configurations of `svc bench` in turn and summarizes them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../audio/encode/wav-encode.ts';
import { memoryBandwidth } from './bandwidth.ts';
import type { BenchConfiguration, Measurement } from './configuration.ts';
import { besideBusyProcess } from './contention.ts';
import { createIntegerPeaks } from './integer-peaks.ts';
import { measureInProcess } from './isolate.ts';
import { describeMachine, type Machine } from './machine.ts';
import { readThrough } from './page-cache.ts';
import { type PeerMeasurement, runPeer } from './peer.ts';
import { promptAudio, promptText } from './prompt.ts';
import { bytesPerStep, flowEvaluations, operationsPerPosition } from './roofline.ts';
import { medianOf } from './statistics.ts';

export interface BenchPlan {
  /** Not empty. The first one gives the report's own figures and is used for peer and contention. */
  readonly configurations: readonly BenchConfiguration[];
  /** Runs of each configuration; figures are medians. */
  readonly rounds: number;
  /** Path of VoxCPM.cpp's `voxcpm_tts`, run after each of our runs. */
  readonly compare?: string | undefined;
  readonly contention: 'measure' | 'leave out';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onRun?: ((what: string) => void) | undefined;
}

export interface BenchResult extends Measurement {
  /** Size of the model's files. */
  readonly modelMb: number;
  /** Lower bound for a step: its weights divided by the bandwidth. Null for ONNX models. */
  readonly rooflineMs: number | null;
  /** `msPerStep` divided by `rooflineMs`. */
  readonly rooflineRatio: number | null;
  /** Integer operations per second of the kernels' instructions, in 10^9. Null without own kernels. */
  readonly peakGops: number | null;
  /** Operations per second of the language models in the three prefills, divided by the peak; null for float weights. */
  readonly prefillOfPeak: number | null;
  readonly prefillOfPeak27: number | null;
  readonly prefillOfPeak64: number | null;
}

export interface Contended {
  readonly msPerStep: number;
  readonly rtfFull: number;
  /** `msPerStep` relative to the same processors without the busy process. */
  readonly slowdown: number;
}

/** The first configuration's figures are the report's own. */
/** Starts of a card, in milliseconds. */
export interface CardStart {
  /** Until a request can be taken, and of that, in which the driver made kernels ready: by compiling them. */
  readonly coldMs: number;
  readonly coldKernelsMs: number;
  /** The same with the compiled kernels that the driver keeps. */
  readonly warmMs: number;
  readonly warmKernelsMs: number;
}

export interface BenchReport extends BenchResult {
  readonly machine: Machine;
  readonly rounds: number;
  /** Measured between the runs, with the first configuration's number of threads. */
  readonly bandwidthGbPerSecond: number;
  /** Weights read per step; null for ONNX models. */
  readonly mbPerStep: number | null;
  readonly configurations: readonly BenchResult[];
  readonly contention?: Contended | undefined;
  /** Of the first configuration on a card. */
  readonly start?: CardStart | undefined;
  readonly peer?: PeerMeasurement | undefined;
  /** The peer's full RTF divided by ours. */
  readonly ratio?: number | undefined;
}

/** @throws SvcError of a run or of the peer; CANCELLED */
export async function runBench(plan: BenchPlan): Promise<BenchReport> {
  const { configurations, rounds, signal, onRun } = plan;
  const primary = configurations[0] as BenchConfiguration;
  const bytes = new Map<string, number>();
  for (const { modelPath } of configurations) {
    if (!bytes.has(modelPath)) bytes.set(modelPath, await readThrough(modelPath, signal));
  }
  const bandwidths = new Map<number, number>();
  const peaks = createIntegerPeaks();
  const measured: Measurement[][] = configurations.map(() => []);
  const peers: PeerMeasurement[] = [];
  let inputSampleRate = 0;
  for (let round = 0; round < rounds; round += 1) {
    await measureBandwidths(configurations, bandwidths, signal);
    for (const configuration of configurations) await peaks.measure(configuration);
    for (const [index, configuration] of configurations.entries()) {
      onRun?.(`${describe(configuration)}, round ${round + 1} of ${rounds}`);
      const measurement = await measureInProcess('everything', configuration, { signal });
      measured[index]?.push(measurement);
      inputSampleRate = measurement.inputSampleRate;
    }
    if (plan.compare === undefined) continue;
    onRun?.(`${plan.compare}, round ${round + 1} of ${rounds}`);
    peers.push(await runPeerOnce(plan.compare, primary, inputSampleRate, plan));
  }
  await measureBandwidths(configurations, bandwidths, signal);
  const weights = await weightsPerStep(primary);
  const results: BenchResult[] = [];
  for (const [index, configuration] of configurations.entries()) {
    const measurement = medianOf(measured[index] as Measurement[]);
    const perStep = await weightsPerStep(configuration);
    const { card } = measurement;
    const bandwidth = card === undefined ? bandwidths.get(configuration.threads) : card.bandwidth;
    const rooflineMs = perStep === null || !bandwidth ? null : (perStep * 1000) / bandwidth;
    results.push({
      ...measurement,
      modelMb: (bytes.get(configuration.modelPath) as number) / 1e6,
      rooflineMs,
      rooflineRatio: rooflineMs === null ? null : measurement.msPerStep / rooflineMs,
      ...(await prefillsOfPeak(configuration, measurement, peaks.best(configuration))),
    });
  }
  const first = results[0] as BenchResult;
  const contention = plan.contention === 'measure' ? await contended(primary, plan) : undefined;
  const start = first.card === undefined ? undefined : await measureStart(primary, plan);
  const peer = peers.length === 0 ? undefined : medianOf(peers);
  return {
    ...first,
    machine: describeMachine(),
    rounds,
    bandwidthGbPerSecond: (bandwidths.get(primary.threads) as number) / 1e9,
    mbPerStep: weights === null ? null : weights / 1e6,
    configurations: results,
    contention,
    ...(start === undefined ? {} : { start }),
    ...(peer === undefined ? {} : { peer, ratio: peerRtf(peer) / first.rtfFull }),
  };
}

/** Keeps the best measurement per number of threads, since other processes can only slow it down. */
async function measureBandwidths(
  configurations: readonly BenchConfiguration[],
  best: Map<number, number>,
  signal: AbortSignal,
): Promise<void> {
  for (const threads of new Set(configurations.map((configuration) => configuration.threads))) {
    best.set(threads, Math.max(best.get(threads) ?? 0, await memoryBandwidth(threads, signal)));
  }
}

/** Share of the peak that the prefills reach; the peak bounds products of quantized weights only. */
async function prefillsOfPeak(
  { modelPath }: BenchConfiguration,
  measurement: Measurement,
  peak: number | undefined,
): Promise<Pick<BenchResult, 'peakGops' | 'prefillOfPeak' | 'prefillOfPeak27' | 'prefillOfPeak64'>> {
  const peakGops = peak === undefined ? null : peak / 1e9;
  if (peak === undefined || !measurement.weightType.startsWith('q')) {
    return { peakGops, prefillOfPeak: null, prefillOfPeak27: null, prefillOfPeak64: null };
  }
  const each = (await operationsPerPosition(modelPath)) / peak;
  return {
    peakGops,
    prefillOfPeak: measurement.prefillTokensPerSecond * each,
    prefillOfPeak27: measurement.prefillTokensPerSecond27 * each,
    prefillOfPeak64: measurement.prefillTokensPerSecond64 * each,
  };
}

/** (Encoding + prefill + loop + VAE) / audio, from the printed seconds, which have more digits than the printed RTF. */
const peerRtf = ({ encodeSeconds, modelSeconds, vaeSeconds, audioSeconds }: PeerMeasurement): number =>
  (encodeSeconds + modelSeconds + vaeSeconds) / audioSeconds;

const describe = ({ engine, kernels, threads, batch }: BenchConfiguration): string =>
  `${engine}, ${kernels === undefined ? '' : `${kernels}, `}${threads} ${threads === 1 ? 'thread' : 'threads'}, batch ${batch}`;

const weightsPerStep = async ({ engine, modelPath, timesteps }: BenchConfiguration): Promise<number | null> =>
  engine === 'native' ? bytesPerStep(modelPath, flowEvaluations(timesteps)) : null;

/** Binds both processes to as many processors as threads; otherwise idle processors would take the load. */
async function contended(configuration: BenchConfiguration, { signal, onRun }: BenchPlan): Promise<Contended> {
  const processors = Array.from({ length: configuration.threads }, (_, index) => index);
  const run = () => measureInProcess('everything', configuration, { signal, processors });
  onRun?.(`${describe(configuration)}, on processors ${processors}`);
  const alone = await run();
  onRun?.(`${describe(configuration)}, next to a busy process`);
  const { msPerStep, rtfFull } = await besideBusyProcess(processors, run);
  return { msPerStep, rtfFull, slowdown: msPerStep / alone.msPerStep };
}

/** Opens the model without the kernels that the driver has compiled before, and with them. */
async function measureStart(configuration: BenchConfiguration, { signal, onRun }: BenchPlan): Promise<CardStart> {
  onRun?.(`${describe(configuration)}, cold start`);
  const environment = { CUDA_CACHE_DISABLE: '1' };
  const cold = await measureInProcess('loading', configuration, { signal, environment });
  onRun?.(`${describe(configuration)}, warm start`);
  // The first may be the one that fills the driver's cache.
  await measureInProcess('loading', configuration, { signal });
  const warm = await measureInProcess('loading', configuration, { signal });
  return {
    coldMs: cold.loadMs,
    coldKernelsMs: cold.compileMs ?? 0,
    warmMs: warm.loadMs,
    warmKernelsMs: warm.compileMs ?? 0,
  };
}

async function runPeerOnce(
  program: string,
  { modelPath, text, patches, threads, timesteps, cfg, promptSeconds }: BenchConfiguration,
  sampleRate: number,
  { environment, signal }: BenchPlan,
): Promise<PeerMeasurement> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const audio = join(folder, 'prompt.wav');
    if (promptSeconds > 0) {
      await writeFile(audio, encodeWav(promptAudio(promptSeconds, sampleRate, 1).samples, sampleRate));
    }
    const prompt = promptSeconds > 0 ? { prompt: { audio, text: promptText } } : {};
    const output = join(folder, 'speech.wav');
    return await runPeer({
      ...{ program, modelPath, text, patches, threads, timesteps, cfg, output, environment, signal },
      ...prompt,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
