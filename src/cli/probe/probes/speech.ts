import { performance } from 'node:perf_hooks';
import type { DeviceSettings } from '../../../engine/backends/native/device.ts';
import type { EngineOptions } from '../../../engine/engine-options.ts';
import { createEngine } from '../../../engine/open-engine.ts';
import { type Check, checkOfError } from '../check.ts';

/** Speaks one syllable with the demo model, from text to samples. */
export async function speakDemo(
  options: EngineOptions,
  devices: DeviceSettings = {},
): Promise<{ readonly loadMs: number; readonly firstAudioMs: number }> {
  const start = performance.now();
  const engine = await createEngine({ threads: 1, maxBatch: 1, ...options }, { devices });
  try {
    const loaded = performance.now();
    for await (const { samples } of engine.stream({ text: 'Yes.', seed: 1, maxLength: 4 })) {
      if (!samples.every(Number.isFinite)) throw new Error('the speech has samples that are not finite');
      break;
    }
    const first = performance.now();
    return { loadMs: Math.round(loaded - start), firstAudioMs: Math.round(first - loaded) };
  } finally {
    await engine.close();
  }
}

export async function probeSpeech(): Promise<readonly Check[]> {
  try {
    const times = await speakDemo({ backend: 'cpu' });
    const summary = `the demo model speaks: loaded in ${times.loadMs} ms, first audio ${times.firstAudioMs} ms later`;
    return [{ name: 'speech', status: 'ok', summary, details: times }];
  } catch (error) {
    return [checkOfError('speech', 'failed', error)];
  }
}
