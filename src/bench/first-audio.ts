/** Measures the time to the first audio, with and without a recording of the voice. */
import type { Engine } from '../engine/engine.ts';
import { openEngine } from '../engine/open-engine.ts';
import type { SpeechRequest } from '../engine/speech-request.ts';
import type { BenchConfiguration } from './configuration.ts';
import { promptAudio, promptText } from './prompt.ts';
import { median } from './statistics.ts';

const repeats = 5;
/** Voices, each new to the engine once. */
const voices = 3;

export interface FirstAudioTimes {
  /** Without a prompt. */
  readonly plainMs: number;
  /** The first request with a recording, which is encoded. */
  readonly recordingMs: number;
  /** The first request with a voice that was encoded before, and later ones. */
  readonly firstMs: number;
  readonly laterMs: number;
}

/**
 * Milliseconds from the request to the first samples, through the engine, as applications use it, and between the chunks
 * that follow.
 *
 * @param most chunks to wait for
 */
export async function timeChunks(
  open: () => AsyncIterable<{ readonly samples: Float32Array }>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly first: number; readonly step: number }> {
  const times = [performance.now()];
  for await (const { samples } of open()) {
    if (samples.length > 0) times.push(performance.now());
    if (times.length > most) break;
  }
  const [first = Number.NaN, ...steps] = times.slice(1).map((time, index) => time - (times[index] as number));
  return { first, step: median(steps) };
}

export const timeFirstAudio = async (engine: Engine, request: SpeechRequest): Promise<number> =>
  (await timeChunks(() => engine.stream(request), 1)).first;

/** Prompts are as long as the configuration says. @throws SvcError */
export async function measureFirstAudio(configuration: BenchConfiguration): Promise<FirstAudioTimes> {
  const { modelPath, backend: name, threads, kernels, text, cfg, timesteps, seed, promptSeconds } = configuration;
  const { backend, engine } = await openEngine(modelPath, { backend: name, threads, kernels }, { maxBatch: 1 });
  try {
    const request = { text, cfg, timesteps, seed, split: false };
    const prompt = (voice: number) => promptAudio(promptSeconds, backend.info.inputSampleRate, voice);
    const [plain, recording, first, later]: [number[], number[], number[], number[]] = [[], [], [], []];
    await timeFirstAudio(engine, request);
    // Only the first encoding loads the encoder.
    await engine.encode(prompt(0), 'prompt');
    for (let voice = 1; voice <= voices; voice += 1) {
      const promptAudio = await engine.encode(prompt(voice), 'prompt');
      const spoken = { ...request, promptAudio, promptText };
      first.push(await timeFirstAudio(engine, spoken));
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        later.push(await timeFirstAudio(engine, spoken));
        plain.push(await timeFirstAudio(engine, request));
      }
      recording.push(await timeFirstAudio(engine, { ...spoken, promptAudio: prompt(voices + voice) }));
    }
    return {
      plainMs: median(plain),
      recordingMs: median(recording),
      firstMs: median(first),
      laterMs: median(later),
    };
  } finally {
    await engine.close();
  }
}
