import { expect, it } from '@jest/globals';
import { createEncoderPool } from '../../../src/server/context/encoder-pool.ts';

const encode = async (pool: ReturnType<typeof createEncoderPool>, sampleRate = 16_000): Promise<Buffer> => {
  const encoder = await pool.open({ format: 'flac', sampleRate });
  const samples = Float32Array.from({ length: 4_000 }, (_, index) => Math.sin(index / 9) / 2);
  const encoded = [...(await encoder.push(samples)), ...(await encoder.flush())];
  encoder.close();
  return Buffer.concat(encoded.map(({ bytes }) => bytes));
};

it('returns the same bytes from a spare encoder as from a new one', async () => {
  const pool = createEncoderPool(() => [16_000]);
  const first = await encode(pool);
  expect((await encode(pool)).equals(first)).toBe(true);
  const [second, third] = await Promise.all([encode(pool), encode(pool)]);
  expect([second.equals(first), third.equals(first)]).toEqual([true, true]);
  await pool.close();
});

it('keeps no spare for other sample rates', async () => {
  const pool = createEncoderPool(() => [16_000]);
  await encode(pool);
  const other = createEncoderPool(() => [24_000]);
  expect((await encode(pool, 24_000)).equals(await encode(other, 24_000))).toBe(true);
  await pool.close();
});

it('works without spares after close', async () => {
  const pool = createEncoderPool(() => [16_000]);
  const first = await encode(pool);
  await pool.close();
  expect((await encode(pool)).equals(first)).toBe(true);
});
