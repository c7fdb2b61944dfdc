import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { encodePcm, encodeWav } from '../../../src/audio/encode/wav-encode.ts';

describe('encodeWav', () => {
  it('writes a 16-bit mono file', () => {
    const bytes = Buffer.from(encodeWav(Float32Array.of(0.5, -0.5), 48_000));
    expect(bytes.toString('hex')).toBe(
      '524946462800000057415645666d7420100000000100010080bb00000077010002001000646174610400000000' + '4000c0',
    );
  });

  it('rounds both signs by the same scale and clips', () => {
    const steps = [-2, -1, -0.75, 0, 0.4, 0.6, 32_766.6, 32_767, 40_000].map((value) => value / 32_768);
    const bytes = encodeWav(Float32Array.from([-1.5, -1, ...steps, 1, 1.5, Number.NaN]), 16_000);
    expect([...new Int16Array(bytes.buffer, 44)]).toEqual([
      -32_768, -32_768, -2, -1, -1, 0, 0, 1, 32_767, 32_767, 32_767, 32_767, 32_767, 0,
    ]);
  });

  it('preserves decoded samples', () => {
    const every = Float32Array.from({ length: 65_536 }, (_, index) => (index - 32_768) / 32_768);
    expect(decodeWav(encodeWav(every, 44_100))).toEqual({ samples: every, sampleRate: 44_100, channels: 1 });
  });
});

it.each(['s16', 'f32'] as const)('encodePcm gives the bytes of a %s file after its header', (format) => {
  const halves = Array.from({ length: 2_000 }, (_, index) => (index - 1_000) / 65_536);
  const samples = Float32Array.from([...halves, -1.5, -1, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -0]);
  expect(Buffer.from(encodePcm(samples, format))).toEqual(Buffer.from(encodeWav(samples, 16_000, format).subarray(44)));
});
