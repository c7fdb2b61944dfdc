import { expect, it } from '@jest/globals';
import { createMemoryGuard } from '../../../../src/engine/backends/native/gpu/device-memory.ts';
import { SvcError } from '../../../../src/errors.ts';

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

it('halves the streams of a step until they fit, and says how many more sessions do', async () => {
  const total = 1000 * mebibyte;
  let free = total;
  const guard = createMemoryGuard('CUDA0', () => ({ freeBytes: free, totalBytes: total }));
  expect(guard.state()).toEqual({ mostStreams: undefined });
  const tried: number[] = [];
  await guard.measure(16, async (count) => {
    tried.push(count);
    // A batch takes 30 MiB a session for good, and each session 20 MiB while it is open.
    if (count * 50 * mebibyte > total) throw new SvcError('OUT_OF_MEMORY', 'full');
    free -= count * 50 * mebibyte;
    return async () => {
      free += count * 20 * mebibyte;
    };
  });
  expect(tried).toEqual([16]);
  await guard.measure(64, async (count) => {
    tried.push(count);
    if (count > 4) throw new SvcError('OUT_OF_MEMORY', 'full');
    return async () => undefined;
  });
  expect(tried).toEqual([16, 64, 32, 16, 8, 4]);
  // 1000 − 16 · 30 MiB, without the reserve.
  expect(guard.state()).toEqual({ freeBytes: 520 * mebibyte, totalBytes: total, mostStreams: 4, room: 9 });
  const full = guard.measure(1, async () => {
    throw new SvcError('OUT_OF_MEMORY', 'full');
  });
  await expect(full).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
});
