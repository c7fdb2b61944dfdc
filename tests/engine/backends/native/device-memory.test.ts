import { expect, it } from '@jest/globals';
import { createMemoryGuard } from '../../../../src/engine/backends/native/gpu/device-memory.ts';

const mebibyte = 2 ** 20;

it('refuses a model and sessions before the memory of a device runs out', async () => {
  let free = 1000 * mebibyte;
  const guard = createMemoryGuard('CUDA0', () => ({ freeBytes: free, totalBytes: 1000 * mebibyte }));
  guard.requireModel(900 * mebibyte);
  expect(() => guard.requireModel(950 * mebibyte)).toThrow(
    'the model needs about 1014 MiB on CUDA0, which has 1000 of 1000 MiB free',
  );
  await guard.measure(4, async () => {
    free -= 400 * mebibyte;
    return async () => undefined;
  });
  free = 165 * mebibyte;
  guard.requireSession();
  free = 163 * mebibyte;
  expect(() => guard.requireSession()).toThrow('another utterance needs about 164 MiB on CUDA0');
});

it('refuses nothing where the driver does not tell', () => {
  const guard = createMemoryGuard('Vulkan0', () => ({ freeBytes: 0, totalBytes: 0 }));
  guard.requireModel(2 ** 40);
  guard.requireSession();
});
