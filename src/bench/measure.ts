/** Measures one run of one configuration in this process. */
import type { Backend, DeviceUse, StageTimes } from '../engine/backend.ts';
import { loadAddon } from '../engine/backends/native/load-addon.ts';
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open-engine.ts';
import type { BuiltPrefix } from '../engine/prefix.ts';
import { createPreparation } from '../engine/prepare.ts';
import { parseRequest } from '../engine/request.ts';
import type { EncodedAudio } from '../engine/voice-fields.ts';
import type { BenchConfiguration, CardFigures, Measurement } from './configuration.ts';
import { timeFirstAudio } from './first-audio.ts';
import { peakMemory, residentMemory, watchOthers } from './machine.ts';
import { promptAudio, promptText } from './prompt.ts';
import { runUtterances } from './run-utterances.ts';
import { timePrefills, timeStages } from './stages.ts';
import { growth, median, quantile, sum, timed } from './statistics.ts';

/** Repetitions of the other measurements: enough for a median, short compared with the run. */
const repeats = { encode: 3, firstAudio: 5 } as const;
const warmUpPatches = 3;
/** Audio for timing the encoder, as long as a typical prompt. */
const encodeSeconds = 3;

/** @throws SvcError */
export async function measure(configuration: BenchConfiguration): Promise<Measurement> {
  const {
    modelPath,
    backend: name,
    device,
    devices,
    threads,
    batch,
    patches,
    timesteps,
    engine: engineName,
    kernels,
    ditType,
  } = configuration;
  const [{ backend, engine }, loadMs] = await timed(() =>
    openEngine(modelPath, { backend: name, device, devices, threads, kernels, ditType }, { maxBatch: batch }),
  );
  const memory = { rssAfterLoadMb: residentMemory(), peakRssLoadMb: peakMemory() };
  try {
    const { info } = backend;
    const others = watchOthers();
    // A different recording, since engines cache encoded recordings.
    const warm = await prepare(backend, configuration, 2);
    await runUtterances(backend, warm, { ...configuration, patches: warmUpPatches }, warm.context);
    const { promptMs, ...prefix } = await prepare(backend, configuration, 1);
    const { context } = prefix;
    const ttfaMs = await medianFirstAudio(engine, configuration);
    const main = await runUtterances(backend, prefix, configuration, context);
    const peakRssMb = peakMemory();
    const encodeMs = await timeEncoder(backend);
    const prefill = await timePrefills(backend, configuration);
    const audioSeconds = (batch * patches * info.patchSamples) / info.outputSampleRate;
    const [loopMs, vaeMs, prefillMs] = [sum(main.steps), sum(main.decodes) + main.contextMs, main.prefillMs];
    const msPerStep = median(main.steps);
    const vaeMsPerPatch = median(main.decodes) / batch;
    const stages = await timeStages(backend, prefix, configuration, msPerStep, main.stages);
    return {
      model: info.name,
      weightType: info.weightType,
      device: info.device,
      engine: engineName,
      threads,
      ...(kernels === undefined ? {} : { kernels }),
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
      stages: { ...stages, vae: vaeMsPerPatch * batch },
      phases: main.stages?.phases ?? null,
      ...(main.stages?.launches === undefined ? {} : { card: cardFigures(main.stages, backend.deviceUse?.()?.[0]) }),
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

/** @param step medians of the stages of a step */
export function cardFigures(step: StageTimes, use: Partial<DeviceUse> = {}): CardFigures {
  const { launches = 0, bytes = 0, weightBytes = 0, operations = 0 } = step;
  const seconds = (step.flow + step.languageModels + step.localEncoder) / 1000;
  const { bytesPerSecond, operationsPerSecond, freeBytes, totalBytes, room } = use;
  const share = (done: number, most: number | undefined): number | null => (most ? done / seconds / most : null);
  return {
    launches,
    stepMb: bytes / 1e6,
    weightMb: weightBytes / 1e6,
    bandwidth: bytesPerSecond ?? null,
    ofBandwidth: share(bytes, bytesPerSecond),
    ofArithmetic: share(operations, operationsPerSecond),
    usedMb: totalBytes === undefined || freeBytes === undefined ? null : (totalBytes - freeBytes) / 1e6,
    totalMb: totalBytes === undefined ? null : totalBytes / 1e6,
    room: room ?? null,
  };
}

interface Prepared extends BuiltPrefix {
  /** Encoding of the prompt; 0 without one. */
  readonly promptMs: number;
}

async function prepare(
  backend: Backend,
  { text, promptSeconds, cfg, timesteps }: BenchConfiguration,
  recording: number,
): Promise<Prepared> {
  const preparation = createPreparation(backend);
  const { signal } = new AbortController();
  const request = { text, cfg, timesteps, clean: false, split: false };
  const encoding: readonly [EncodedAudio | undefined, number] =
    promptSeconds === 0
      ? [undefined, 0]
      : await timed(() =>
          preparation.encode(promptAudio(promptSeconds, backend.info.inputSampleRate, recording), 'prompt', signal),
        );
  const [encoded, promptMs] = encoding;
  const prompt = encoded === undefined ? {} : { promptAudio: encoded, promptText };
  const utterance = await preparation.prepare({ ...parseRequest({ ...request, ...prompt }), seed: 1 }, signal);
  return { ...utterance, promptMs };
}

/** Uses a different recording each time; the first one only warms up. */
async function timeEncoder(backend: Backend): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= repeats.encode; index += 1) {
    const { samples } = promptAudio(encodeSeconds, backend.info.inputSampleRate, 3 + index);
    times.push((await timed(() => backend.encode(samples)))[1]);
  }
  return median(times.slice(1));
}

/** Without the first, which warms up. */
async function medianFirstAudio(engine: Engine, { text, cfg, timesteps, seed }: BenchConfiguration): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= repeats.firstAudio; index += 1) {
    times.push(await timeFirstAudio(engine, { text, cfg, timesteps, seed, split: false }));
  }
  return median(times.slice(1));
}

/** Measures only steps and decoding. @throws SvcError */
export async function measureSteps(
  configuration: BenchConfiguration,
): Promise<Pick<Measurement, 'msPerStep' | 'vaeMsPerPatch'>> {
  const { modelPath, backend: name, devices, threads, kernels, batch, slowness } = configuration;
  const { backend, engine } = await openEngine(
    modelPath,
    { backend: name, devices, threads, kernels },
    { maxBatch: 1 },
  );
  try {
    if (slowness !== undefined) (await loadAddon()).slowDown(threads, slowness);
    const prefix = await prepare(backend, configuration, 1);
    const { context } = prefix;
    await runUtterances(backend, prefix, { ...configuration, patches: warmUpPatches }, context);
    const { steps, decodes } = await runUtterances(backend, prefix, configuration, context);
    return { msPerStep: median(steps), vaeMsPerPatch: median(decodes) / batch };
  } finally {
    await engine.close();
  }
}
