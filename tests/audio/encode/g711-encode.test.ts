import { describe, expect, it } from '@jest/globals';
import { encodeAudio, openEncoder } from '../../../src/audio/encode/format.ts';
import { expectError } from '../../support/errors.ts';

/** Samples of 16 bits as floats. */
const samples = Float32Array.from([0, 1000, -1000, 32_767, -32_768], (value) => value / 32_768);

describe('raw samples of telephony', () => {
  it.each([
    // ITU-T G.711, tables 1 and 2, with the inversions that the recommendation requires for transmission.
    ['ulaw', [0xff, 0xce, 0x4e, 0x80, 0x00]],
    ['alaw', [0xd5, 0xfa, 0x7a, 0xaa, 0x2a]],
  ] as const)('are %s as in the recommendation', async (sampleFormat, bytes) => {
    expect([...(await encodeAudio(samples, { format: 'pcm', sampleRate: 8_000, sampleFormat }))]).toEqual(bytes);
  });

  it('are for raw samples only', async () => {
    await expect(openEncoder({ format: 'wav', sampleRate: 8_000, sampleFormat: 'ulaw' })).rejects.toThrow(
      'sample format ulaw needs the format pcm, not wav',
    );
    await expect(openEncoder({ format: 'pcm', sampleRate: 8_000, sampleFormat: 'f32' })).rejects.toThrow(
      'sample format f32 needs the format wav, not pcm',
    );
  });
});

describe('bit rates', () => {
  it.each([
    ['mp3', 22_050, 32_000],
    ['mp3', 44_100, 192_000],
    ['opus', 48_000, 32_000],
    ['opus', 48_000, 192_000],
  ] as const)('of %s at %i Hz are as requested: %i', async (format, sampleRate, bitRate) => {
    const seconds = 4;
    const noise = Float32Array.from({ length: seconds * sampleRate }, (_, n) => Math.sin(n * n) / 2);
    const { length } = await encodeAudio(noise, { format, sampleRate, bitRate });
    // That of Opus varies.
    expect((length * 8) / seconds / bitRate).toBeGreaterThan(0.95);
    expect((length * 8) / seconds / bitRate).toBeLessThan(format === 'opus' ? 1.5 : 1.05);
  });

  it.each([7_999, 320_001])('are refused if they are %i', async (bitRate) => {
    const refused = openEncoder({ format: 'mp3', sampleRate: 48_000, bitRate });
    await expectError(refused, 'INVALID_REQUEST', `bitRate must be an integer from 8000 to 320000, got ${bitRate}`);
  });

  it('may be the highest of MP3', async () => {
    expect(
      (await encodeAudio(samples, { format: 'mp3', sampleRate: 48_000, bitRate: 320_000 })).length,
    ).toBeGreaterThan(0);
  });
});
