import { expect, it, jest } from '@jest/globals';
import { createEncodedRecordings } from '../../src/engine/encoded-recordings.ts';

const recording = (...samples: number[]) => ({ samples: Float32Array.from(samples), sampleRate: 8, channels: 1 });
const encoder = () => jest.fn(async () => Float32Array.of(1, 2, 3));

it('encodes a recording once for each role', async () => {
  const recordings = createEncodedRecordings();
  const encode = encoder();
  for (const role of ['prompt', 'reference', 'prompt', 'reference'] as const) {
    expect(await recordings.patchesOf(recording(1, 2), role, encode)).toEqual(Float32Array.of(1, 2, 3));
  }
  expect(encode).toHaveBeenCalledTimes(2);
  expect(recordings.bytes()).toBe(24);
});

it('encodes other samples, and the same ones at another rate', async () => {
  const recordings = createEncodedRecordings();
  const encode = encoder();
  const first = recording(1, 2);
  await recordings.patchesOf(first, 'prompt', encode);
  await recordings.patchesOf(recording(1, 3), 'prompt', encode);
  await recordings.patchesOf({ ...first, sampleRate: 16 }, 'prompt', encode);
  expect(encode).toHaveBeenCalledTimes(3);
  // The caller may use its memory for another recording.
  first.samples[1] = 4;
  await recordings.patchesOf(first, 'prompt', encode);
  expect(encode).toHaveBeenCalledTimes(4);
});

it('gives patches that the caller may change', async () => {
  const recordings = createEncodedRecordings();
  const encode = encoder();
  (await recordings.patchesOf(recording(1), 'prompt', encode)).fill(0);
  (await recordings.patchesOf(recording(1), 'prompt', encode)).fill(0);
  expect(await recordings.patchesOf(recording(1), 'prompt', encode)).toEqual(Float32Array.of(1, 2, 3));
  expect(encode).toHaveBeenCalledTimes(1);
});

it('does not remember failures', async () => {
  const recordings = createEncodedRecordings();
  const failing = () => Promise.reject(new Error('no'));
  await expect(recordings.patchesOf(recording(1), 'prompt', failing)).rejects.toThrow('no');
  expect(await recordings.patchesOf(recording(1), 'prompt', encoder())).toHaveLength(3);
});

it('stays within 16 MiB', async () => {
  const recordings = createEncodedRecordings();
  for (let index = 0; index < 6; index += 1) {
    await recordings.patchesOf(recording(index), 'prompt', async () => new Float32Array(2 ** 20));
  }
  expect(recordings.bytes()).toBe(16 * 2 ** 20);
});

it('encodes once for requests that bring a recording at the same time', async () => {
  const recordings = createEncodedRecordings();
  const encode = encoder();
  const all = await Promise.all([1, 2, 3].map(() => recordings.patchesOf(recording(1, 2), 'prompt', encode)));
  expect([all.length, encode.mock.calls.length]).toEqual([3, 1]);
});
