import { performance } from 'node:perf_hooks';
import { createEngine } from '../../../engine/open-engine.ts';
import { type Check, checkOfError } from '../check.ts';

/** Speaks one syllable with the demo model, from text to samples. */
export async function probeSpeech(): Promise<readonly Check[]> {
  try {
    const start = performance.now();
    const engine = await createEngine({ backend: 'cpu', threads: 1 });
    try {
      const loaded = performance.now();
      for await (const { samples } of engine.stream({ text: 'Yes.', seed: 1, maxLength: 4 })) {
        if (!samples.every(Number.isFinite)) throw new Error('the speech has samples that are not finite');
        break;
      }
      const first = performance.now();
      const times = { loadMs: Math.round(loaded - start), firstAudioMs: Math.round(first - loaded) };
      const summary = `the demo model speaks: loaded in ${times.loadMs} ms, first audio ${times.firstAudioMs} ms later`;
      return [{ name: 'speech', status: 'ok', summary, details: times }];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [checkOfError('speech', 'failed', error)];
  }
}
