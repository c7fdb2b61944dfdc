import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { chooseDevice } from '../../../src/engine/backends/native/device.ts';
import type { LoadedAddon } from '../../../src/engine/backends/native/load-addon.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();

const cpu = { name: 'CPU', type: 'cpu' };
const native = (devices: readonly object[] = [cpu], backends: readonly string[] = ['CPU']): LoadedAddon =>
  ({
    addon: { explainLibrary: () => 'libcudart.so.13: cannot open' },
    runtime: { devices, backends },
    directories: [folder.join('nowhere'), folder.path],
  }) as unknown as LoadedAddon;

describe('chooseDevice', () => {
  it('prefers a discrete GPU, then an integrated one', () => {
    const [gpu, integrated] = [
      { name: 'Vulkan1', type: 'gpu' },
      { name: 'Vulkan0', type: 'igpu' },
    ];
    expect(chooseDevice('auto', native([cpu, integrated, gpu]))).toBe(gpu);
    expect(chooseDevice('auto', native([cpu, integrated]))).toBe(integrated);
    expect(chooseDevice('auto', native())).toBe(cpu);
    expect(chooseDevice('vulkan', native([cpu, integrated, gpu]))).toBe(integrated);
    expect(chooseDevice('cpu', native([integrated, cpu]))).toBe(cpu);
  });

  const refusal = (loaded: LoadedAddon) => {
    try {
      return chooseDevice('cuda', loaded);
    } catch (error) {
      return error;
    }
  };

  it('says what is missing for a device', async () => {
    const error = { code: 'BACKEND_UNAVAILABLE' };
    expect(refusal(native())).toMatchObject({
      ...error,
      message: expect.stringMatching(/^cannot use backend cuda: its libraries are not installed/),
      remedy: expect.stringMatching(/^install them with: .*-cuda@/),
    });
    expect(refusal(native([cpu], ['CPU', 'CUDA']))).toMatchObject({
      ...error,
      message: expect.stringMatching(/^cannot use backend cuda: its driver reports no device/),
    });
    await writeFile(folder.join('libggml-cuda.so'), '');
    expect(refusal(native())).toMatchObject({
      ...error,
      message: expect.stringContaining(`${folder.join('libggml-cuda.so')} did not load (libcudart.so.13: cannot open)`),
      remedy: expect.stringMatching(/^install the NVIDIA driver and the CUDA 13 runtime/),
    });
  });
});
