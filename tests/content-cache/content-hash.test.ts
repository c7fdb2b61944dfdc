import { expect, it } from '@jest/globals';
import { hashContent } from '../../src/content-cache/content-hash.ts';

it('is the same for the same bytes only', async () => {
  const key = await hashContent(Float32Array.of(1, 2, 3));
  expect(await hashContent(Float32Array.of(0, 1, 2, 3).subarray(1))).toBe(key);
  expect(await hashContent(new Uint8Array(Float32Array.of(1, 2, 3).buffer))).toBe(key);
  expect(await hashContent(Float32Array.of(1, 2, 4))).not.toBe(key);
  expect(await hashContent(Float32Array.of(1, 2))).not.toBe(key);
  expect(key).toHaveLength(32);
});

it('is undefined for memory that threads share', async () => {
  expect(await hashContent(new Uint8Array(new SharedArrayBuffer(4)))).toBeUndefined();
});

it('is undefined in browsers without HTTPS', async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { configurable: true, value: {} });
  try {
    expect(await hashContent(Float32Array.of(1))).toBeUndefined();
  } finally {
    Object.defineProperty(globalThis, 'crypto', { configurable: true, value: crypto });
  }
});
