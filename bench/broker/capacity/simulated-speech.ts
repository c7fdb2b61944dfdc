/** A model in name only: a `SpeechSource` that sleeps as long as a pass over the weights takes. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Accepted, acceptSteps } from '../../../src/engine/accepted.ts';
import type { ModelInfo } from '../../../src/engine/backend.ts';
import type { LiveSpeech } from '../../../src/engine/live/live-request.ts';
import type { SpeechEvent } from '../../../src/engine/speech-event.ts';
import type { SpeechSource } from '../../../src/engine/speech-source.ts';
import { writeTime } from './time-in-samples.ts';

/** As VoxCPM-0.5B: patches of 80 ms. */
export const simulatedInfo: ModelInfo = {
  name: 'simulated',
  architecture: 'voxcpm',
  patchSize: 2,
  featureDim: 64,
  patchSamples: 1280,
  inputPatchSamples: 1280,
  inputSampleRate: 16_000,
  outputSampleRate: 16_000,
  contextLength: 4096,
  weightType: 'f32',
  device: 'simulated',
  limits: {},
};

export const patchSeconds = simulatedInfo.patchSamples / simulatedInfo.outputSampleRate;

export const textOfSeconds = (seconds: number): string => `Speak for ${seconds} seconds.`;

const secondsOf = (text: string): number => Number(/\d+(\.\d+)?/.exec(text)?.[0] ?? 1);

const unsupported = (): never => {
  throw new Error('the simulated model only streams');
};

/**
 * All utterances step together, as in a batch; each patch begins with the time when it was made.
 *
 * @param speed seconds of audio per second, of each utterance
 * @param onPass called at the end of each pass
 */
export function simulateSpeech(speed: number, onPass?: () => void): SpeechSource {
  const passMilliseconds = (1000 * patchSeconds) / speed;
  let pass: Promise<void> | undefined;
  let due = 0;

  /** Resolves at the end of the pass that begins when the present one has ended. */
  function step(): Promise<void> {
    pass ??= (async () => {
      due = Math.max(due + passMilliseconds, performance.now() + 1);
      await wait(due - performance.now());
      pass = undefined;
      onPass?.();
    })();
    return pass;
  }

  async function* speak(
    speech: Accepted | LiveSpeech,
    { signal }: Parameters<SpeechSource['speak']>[1] = {},
  ): AsyncGenerator<SpeechEvent, void, undefined> {
    if ('text' in speech) return unsupported();
    const [{ text } = { text: '' }] = speech.passages;
    const patches = Math.ceil(secondsOf(text) / patchSeconds);
    for (let index = 0; index < patches; index += 1) {
      await step();
      signal?.throwIfAborted();
      const samples = new Float32Array(simulatedInfo.patchSamples);
      writeTime(samples, performance.timeOrigin + performance.now());
      const end = index === patches - 1 ? { end: 'stop' as const, isLast: true as const } : {};
      yield { samples, part: 0, patches: 1, ...(index === 0 && { text }), ...end };
    }
  }

  return {
    info: simulatedInfo,
    normalizes: false,
    preview: unsupported,
    accept: (request) => acceptSteps(request, simulatedInfo),
    acceptLive: unsupported,
    speak,
    encode: unsupported,
  };
}
