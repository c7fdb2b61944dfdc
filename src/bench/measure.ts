/** One run of one configuration, in this process. */
import type { Backend, Prefix, Session, Step } from '../engine/backend.ts';
import { createEngineOver, type Engine } from '../engine/engine.ts';
import { type NoiseSource, seededNoise } from '../engine/noise.ts';
import { openBackend } from '../engine/open-engine.ts';
import { createPreparation, type PreparedUtterance } from '../engine/prepare.ts';
import { type EncodedAudio, parseRequest } from '../engine/request.ts';
import type { BenchConfiguration, Measurement } from './configuration.ts';
import { flowEvaluations } from './flow-evaluations.ts';
import { watchOthers } from './processor.ts';
import { promptAudio, promptText } from './prompt.ts';
import { growth, median, quantile, sum } from './statistics.ts';

/** What is measured besides the run: enough for a median, short beside the run. */
const repeats = { encode: 3, prefill: 3, firstAudio: 5, shortFlow: 8 } as const;
const warmUpPatches = 3;
/** Audio that the encoder is timed with, as long as a usual prompt. */
const encodeSeconds = 3;
const prefillLength = 256;
/** Steps of flow matching of the short runs that its share is found by. */
const fewTimesteps = 2;

const megabytes = (bytes: number): number => bytes / 1e6;

/** A process's high-water mark; `maxRSS` is in KiB on every platform. */
const peakMemory = (): number => megabytes(process.resourceUsage().maxRSS * 1024);

const residentMemory = (): number => megabytes(process.memoryUsage.rss());

async function timed<Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> {
  const started = performance.now();
  const value = await work();
  return [value, performance.now() - started];
}

/** @throws SvcError */
export async function measure(configuration: BenchConfiguration): Promise<Measurement> {
  const { modelPath, backend: name, threads, batch, patches, timesteps, engine: engineName } = configuration;
  const [{ backend, engine }, loadMs] = await timed(async () => {
    const opened = await openBackend(modelPath, { backend: name, threads });
    return { backend: opened, engine: createEngineOver(opened, { maxBatch: 1 }) };
  });
  const memory = { rssAfterLoadMb: residentMemory(), peakRssLoadMb: peakMemory() };
  try {
    const { info } = backend;
    const others = watchOthers();
    const { utterance, prefix, promptMs } = await prepare(backend, configuration);
    await run(backend, prefix, { ...configuration, patches: warmUpPatches }, utterance.context);
    const ttfaMs = await timeFirstAudio(engine, configuration);
    const main = await run(backend, prefix, configuration, utterance.context);
    const peakRssMb = peakMemory();
    const encodeMs = await timeEncoder(backend);
    const prefill = await timePrefill(backend, configuration);
    const flow = await timeFlow(backend, prefix, configuration, median(main.steps));
    const audioSeconds = (batch * patches * info.patchSamples) / info.outputSampleRate;
    const [loopMs, vaeMs, prefillMs] = [sum(main.steps), sum(main.decodes) + main.contextMs, main.prefillMs];
    const msPerStep = median(main.steps);
    const vaeMsPerPatch = median(main.decodes) / batch;
    return {
      model: info.name,
      weightType: info.weightType,
      device: info.device,
      engine: engineName,
      threads,
      batch,
      patches,
      timesteps,
      prefixPositions: prefix.tokens.length,
      audioSeconds,
      inputSampleRate: info.inputSampleRate,
      loadMs,
      prefillMs,
      ...prefill,
      msPerStep,
      msPerStepP10: quantile(main.steps, 0.1),
      msPerStepP90: quantile(main.steps, 0.9),
      stages: {
        flow,
        languageModels: flow === null ? null : Math.max(0, msPerStep - flow),
        vae: vaeMsPerPatch * batch,
      },
      vaeMsPerPatch,
      vaeGrowth: growth(main.decodes),
      loopMs,
      vaeMs,
      encodeMs,
      encodeSeconds,
      rtfModel: (prefillMs + loopMs) / 1000 / audioSeconds,
      rtfWithoutEncode: (prefillMs + loopMs + vaeMs) / 1000 / audioSeconds,
      rtfFull: (promptMs + prefillMs + loopMs + vaeMs) / 1000 / audioSeconds,
      ttfaMs,
      ...memory,
      peakRssMb,
      peakRssAllMb: peakMemory(),
      memoryGrowth: main.memoryGrowth,
      othersBusy: others(),
    };
  } finally {
    await engine.close();
  }
}

interface Prepared {
  readonly utterance: PreparedUtterance;
  readonly prefix: Prefix;
  /** Encoding of the prompt; 0 without one. */
  readonly promptMs: number;
}

async function prepare(
  backend: Backend,
  { text, promptSeconds, cfg, timesteps }: BenchConfiguration,
): Promise<Prepared> {
  const preparation = createPreparation(backend);
  const { signal } = new AbortController();
  const request = { text, cfg, timesteps, clean: false, split: false };
  const encoding: readonly [EncodedAudio | undefined, number] =
    promptSeconds === 0
      ? [undefined, 0]
      : await timed(() =>
          preparation.encode(promptAudio(promptSeconds, backend.info.inputSampleRate), 'prompt', signal),
        );
  const [encoded, promptMs] = encoding;
  const prompt = encoded === undefined ? {} : { promptAudio: encoded, promptText };
  const utterance = await preparation.prepare(parseRequest({ ...request, ...prompt }), signal);
  return { utterance, prefix: utterance.prefix, promptMs };
}

interface Run {
  /** Of all sessions. */
  readonly prefillMs: number;
  /** Decoding of the last patches of the prompt. */
  readonly contextMs: number;
  readonly steps: readonly number[];
  readonly decodes: readonly number[];
  readonly memoryGrowth: number;
}

/** Utterances of exactly so many patches, whatever the stop head says. */
async function run(
  backend: Backend,
  prefix: Prefix,
  { batch, patches, timesteps, cfg, seed }: BenchConfiguration,
  context: Float32Array,
): Promise<Run> {
  const sessions: Session[] = [];
  try {
    const [, prefillMs] = await timed(async () => {
      for (let index = 0; index < batch; index += 1) sessions.push(await backend.open(prefix, { cfg, timesteps }));
    });
    const primed = sessions.map((session) => ({ session, patches: context }));
    const [, contextMs] = context.length === 0 ? [[], 0] : await timed(() => backend.decode(primed));
    const noise = sessions.map((_, index) => seededNoise(seed + index));
    const steps: number[] = [];
    const decodes: number[] = [];
    const memory: number[] = [];
    for (let index = 0; index < patches; index += 1) {
      const [outputs, stepMs] = await timed(() => step(backend, sessions, noise));
      const decoding = outputs.map(({ patch }, number) => ({ session: sessions[number] as Session, patches: patch }));
      const [, decodeMs] = await timed(() => backend.decode(decoding));
      steps.push(stepMs);
      decodes.push(decodeMs);
      memory.push(residentMemory());
    }
    return { prefillMs, contextMs, steps, decodes, memoryGrowth: growth(memory) };
  } finally {
    for (const session of sessions) await session.close();
  }
}

function step(backend: Backend, sessions: readonly Session[], noise: readonly NoiseSource[]): Promise<Step[]> {
  const { patchSize, featureDim } = backend.info;
  return backend.step(
    sessions.map((session, index) => ({
      session,
      noise: (noise[index] as NoiseSource).next(patchSize * featureDim),
    })),
  );
}

async function timeEncoder(backend: Backend): Promise<number> {
  const { samples } = promptAudio(encodeSeconds, backend.info.inputSampleRate);
  const times: number[] = [];
  // The first one builds what the others use again.
  for (let index = 0; index <= repeats.encode; index += 1) times.push((await timed(() => backend.encode(samples)))[1]);
  return median(times.slice(1));
}

/** Of a prefix of text. Its last position is left to the first step, as always. */
async function timePrefill(
  backend: Backend,
  { cfg, timesteps }: BenchConfiguration,
): Promise<Pick<Measurement, 'prefillTokens' | 'prefillTokensPerSecond'>> {
  const length = Math.min(prefillLength, Math.floor(backend.info.maxLength / 2)) + 1;
  const prefix: Prefix = {
    tokens: Int32Array.from({ length }, (_, index) => 3 + (index % 90)),
    audioMask: new Uint8Array(length),
    features: new Float32Array(0),
  };
  const times: number[] = [];
  for (let index = 0; index <= repeats.prefill; index += 1) {
    const [session, milliseconds] = await timed(() => backend.open(prefix, { cfg, timesteps }));
    times.push(milliseconds);
    await session.close();
  }
  const prefillTokens = length - 1;
  return { prefillTokens, prefillTokensPerSecond: (prefillTokens * 1000) / median(times.slice(1)) };
}

/** Through the engine, as a listener meets it. */
async function timeFirstAudio(engine: Engine, { text, cfg, timesteps, seed }: BenchConfiguration): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= repeats.firstAudio; index += 1) {
    const started = performance.now();
    for await (const { samples } of engine.stream({ text, cfg, timesteps, seed, split: false })) {
      if (samples.length === 0) continue;
      times.push(performance.now() - started);
      break;
    }
  }
  return median(times.slice(1));
}

/** Milliseconds of flow matching in a step: all else in a step is the same for any number of timesteps. */
async function timeFlow(
  backend: Backend,
  prefix: Prefix,
  configuration: BenchConfiguration,
  msPerStep: number,
): Promise<number | null> {
  const { timesteps } = configuration;
  if (flowEvaluations(timesteps) <= flowEvaluations(fewTimesteps)) return null;
  try {
    const few = { ...configuration, timesteps: fewTimesteps, patches: repeats.shortFlow + warmUpPatches };
    const { steps } = await run(backend, prefix, few, new Float32Array(0));
    const each =
      (msPerStep - median(steps.slice(warmUpPatches))) / (flowEvaluations(timesteps) - flowEvaluations(fewTimesteps));
    return Math.min(msPerStep, Math.max(0, each * flowEvaluations(timesteps)));
  } catch {
    // Models of one fixed number of timesteps refuse another.
    return null;
  }
}
