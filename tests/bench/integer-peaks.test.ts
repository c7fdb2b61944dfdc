import { describe, expect, it } from '@jest/globals';
import type { BenchConfiguration } from '../../src/bench/configuration.ts';
import { createIntegerPeaks } from '../../src/bench/integer-peaks.ts';

const configuration = (changes: Partial<BenchConfiguration>): BenchConfiguration => ({
  ...{ modelPath: 'model.gguf', engine: 'native', backend: 'cpu', threads: 1, batch: 1, patches: 4 },
  ...{ timesteps: 4, cfg: 2, seed: 1, text: 'Hello.', promptSeconds: 0 },
  ...changes,
});

describe('createIntegerPeaks', () => {
  it('measures each kernel set by itself, and none for other runtimes', async () => {
    const peaks = createIntegerPeaks();
    const [portable, ggml, onnx] = [{ kernels: 'portable' }, { kernels: 'ggml' }, { engine: 'onnx' }] as const;
    for (const changes of [portable, ggml, onnx]) await peaks.measure(configuration(changes));
    expect(peaks.best(configuration(portable))).toBeGreaterThan(1e9);
    expect(peaks.best(configuration(portable))).toBeLessThan(1e13);
    for (const changes of [ggml, onnx, {}]) expect(peaks.best(configuration(changes))).toBeUndefined();
  });

  it('keeps the best', async () => {
    const peaks = createIntegerPeaks();
    const given = configuration({ kernels: 'portable' });
    await peaks.measure(given);
    const first = peaks.best(given) as number;
    await peaks.measure(given);
    expect(peaks.best(given)).toBeGreaterThanOrEqual(first);
  });
});
