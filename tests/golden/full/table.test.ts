import { describe, expect, it } from '@jest/globals';
import type { Errors } from './measure.ts';
import { errorTable, judge } from './table.ts';

const errorsOf = (error: number): Errors => ({
  baseLm: error,
  quantizer: error,
  residualLm: error,
  localEncoder: error,
  stopLogits: error,
  flow: error,
  patches: error,
  vae: error,
  audio: error,
});

const failures = (type: string, ours: Errors, ggml: Errors): string[] =>
  judge({ type, errors: ours, ggml, megabytes: 1 })
    .filter(({ passed }) => !passed)
    .map(({ name }) => name);

describe('judge', () => {
  it("fails where svc loses a quarter more than ggml's products", () => {
    expect(failures('q8_0', { ...errorsOf(0.05), flow: 0.064 }, errorsOf(0.05))).toEqual(['q8_0 flow']);
    expect(failures('q8_0', errorsOf(0.062), errorsOf(0.05))).toEqual([]);
  });

  it('lets the audio VAE of quantized models only round to bfloat16', () => {
    const rounded = { ...errorsOf(1e-6), vae: 0.01, audio: 0.01 };
    expect(failures('q8_0', rounded, errorsOf(1e-6))).toEqual([]);
    expect(failures('f16', rounded, errorsOf(1e-6))).toEqual(['f16 VAE, dB', 'f16 audio, dB']);
  });

  it('fails for values that are not finite', () => {
    const broken = { ...errorsOf(0.01), baseLm: Number.NaN };
    expect(failures('q4_0', broken, errorsOf(0.01))).toEqual(['q4_0 base LM']);
    expect(judge({ type: 'onnx-q8', errors: broken, megabytes: 1 }).filter(({ passed }) => !passed)).toHaveLength(1);
  });
});

it("prints audio in decibels, and ggml's error only where it differs", () => {
  const measured = { type: 'q8_0', errors: errorsOf(0.01), ggml: { ...errorsOf(0.01), flow: 0.02 }, megabytes: 650.4 };
  const [, , official, row] = errorTable(errorsOf(2e-6), [measured]).split('\n');
  expect(official).toContain('| official float32 |  | 2e-6 |');
  expect(official).toMatch(/\| 114\.0 \| 114\.0 \|$/);
  expect(row).toBe('| Q8_0 | 650 | 1.0 % | 1.0 % | 1.0 % | 1.0 % | 1.0 % | 1.0 % (2.0 %) | 1.0 % | 40.0 | 40.0 |');
});
