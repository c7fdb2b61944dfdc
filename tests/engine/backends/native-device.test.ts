import { describe, expect, it } from '@jest/globals';
import type { NativeDevice } from '../../../src/engine/backends/native/addon.ts';
import { chooseDevice, type DeviceSources } from '../../../src/engine/backends/native/device.ts';
import type { GpuBackend } from '../../../src/engine/backends/native/gpu/backends.ts';
import type { CheckedDevice, LibraryReport } from '../../../src/engine/backends/native/gpu/check-library.ts';
import type { GpuLibrary } from '../../../src/engine/backends/native/gpu/libraries.ts';
import type { LoadedAddon } from '../../../src/engine/backends/native/load-addon.ts';

const cpu = { name: 'CPU', type: 'cpu' };
const native = { runtime: { devices: [cpu] }, directories: ['/libraries'] } as unknown as LoadedAddon;

const device = (name: string, type: NativeDevice['type'] = 'gpu'): CheckedDevice => ({
  device: { name, type, description: `a ${name}` } as NativeDevice,
});
const broken = (name: string, cause = 'crashed (SIGABRT): CUDA error: broken'): CheckedDevice => ({
  ...device(name),
  problem: { kind: 'crash', cause },
});

type Reports = Partial<Readonly<Record<GpuBackend, LibraryReport>>>;

/** Libraries as they were found, and which of them were tried. */
function sourcesOf(reports: Reports, gpus: DeviceSources['gpus'] = { nvidia: true, any: true }) {
  const tried: string[] = [];
  const warnings: string[] = [];
  const libraries = (Object.keys(reports) as GpuBackend[]).map(
    (backend): GpuLibrary => ({ backend, path: `/libraries/${backend}`, package: undefined }),
  );
  const examine = async ({ backend }: GpuLibrary): Promise<LibraryReport> => {
    tried.push(backend);
    return reports[backend] as LibraryReport;
  };
  const choose = async (name: Parameters<typeof chooseDevice>[0]) => {
    const settings = { onWarning: (message: string) => warnings.push(message) };
    return (await chooseDevice(name, native, settings, { libraries, examine, gpus })).device.name;
  };
  return { choose, tried, warnings };
}

describe('the device of --backend auto', () => {
  it('is the CPU without a GPU package, for which nothing is tried', async () => {
    const { choose, tried, warnings } = sourcesOf({});
    expect([await choose('auto'), tried, warnings]).toEqual(['CPU', [], []]);
  });

  it('is a discrete GPU, then an integrated one', async () => {
    const { choose, tried } = sourcesOf({
      'ggml-cuda': { devices: [device('CUDA0')] },
      vulkan: { devices: [device('Vulkan0')] },
    });
    expect([await choose('auto'), tried]).toEqual(['CUDA0', ['ggml-cuda']]);
    const integrated = sourcesOf({
      'ggml-cuda': { devices: [device('CUDA0', 'igpu')] },
      vulkan: { devices: [device('Vulkan0', 'igpu'), device('Vulkan1')] },
    });
    expect(await integrated.choose('auto')).toBe('Vulkan1');
    const only = sourcesOf({ vulkan: { devices: [device('Vulkan0', 'igpu')] } });
    expect([await only.choose('auto'), only.warnings]).toEqual(['Vulkan0', []]);
  });

  it('passes over what does not work with one warning', async () => {
    const { choose, warnings } = sourcesOf({
      'ggml-cuda': { devices: [broken('CUDA7'), broken('CUDA8')] },
      vulkan: { devices: [device('Vulkan0')] },
    });
    expect(await choose('auto')).toBe('Vulkan0');
    expect(await choose('auto')).toBe('Vulkan0');
    expect(warnings).toEqual([
      'using Vulkan0, as CUDA7 (a CUDA7) failed a test: crashed (SIGABRT): CUDA error: broken (ggml for CUDA from /libraries/ggml-cuda); update the driver and run svc doctor; --backend cpu uses no GPU',
    ]);
  });

  it('says nothing of a library without a card for it', async () => {
    const problem = { kind: 'load', cause: 'libcuda.so.1: cannot open' } as const;
    const none = sourcesOf({ 'ggml-cuda': { devices: [], problem } }, { nvidia: false, any: false });
    expect([await none.choose('auto'), none.warnings]).toEqual(['CPU', []]);
    const some = sourcesOf({ 'ggml-cuda': { devices: [], problem } });
    expect(await some.choose('auto')).toBe('CPU');
    expect(some.warnings).toEqual([
      expect.stringMatching(
        /^using CPU, as ggml for CUDA from \/libraries\/ggml-cuda did not load \(libcuda.so.1: cannot open\); install the CUDA/,
      ),
    ]);
  });
});

describe('our kernels for NVIDIA cards', () => {
  const tooOld: CheckedDevice = { ...device('CUDA0'), problem: { kind: 'unsupported', cause: 'it has 7.5' } };

  it('come before the package of ggml', async () => {
    const { choose, tried } = sourcesOf({
      cuda: { devices: [device('CUDA0')] },
      'ggml-cuda': { devices: [device('CUDA9')] },
    });
    expect([await choose('auto'), await choose('cuda'), tried]).toEqual(['CUDA0', 'CUDA0', ['cuda', 'cuda']]);
  });

  it('leave a card that is too old to Vulkan without a word, and to the CPU with one', async () => {
    const { choose, warnings } = sourcesOf({ cuda: { devices: [tooOld] }, vulkan: { devices: [device('Vulkan0')] } });
    expect([await choose('auto'), warnings]).toEqual(['Vulkan0', []]);
    const alone = sourcesOf({ cuda: { devices: [tooOld] } });
    expect(await alone.choose('auto')).toBe('CPU');
    expect(alone.warnings).toEqual([expect.stringMatching(/^using CPU, as the kernels cannot run on CUDA0 .* 7\.5/)]);
    await expect(alone.choose('cuda')).rejects.toMatchObject({
      remedy: expect.stringMatching(/^use --backend vulkan/),
    });
  });

  it('say that there is no driver', async () => {
    await expect(sourcesOf({}).choose('cuda')).rejects.toMatchObject({
      message: expect.stringContaining('cannot use backend cuda: there is no NVIDIA driver'),
      remedy: expect.stringMatching(/^install an NVIDIA driver of version 520 or newer/),
    });
  });
});

describe('a device that is named', () => {
  it('is found, or the CPU without trying any', async () => {
    const { choose, tried } = sourcesOf({ 'ggml-cuda': { devices: [broken('CUDA5'), device('CUDA6')] } });
    expect(await choose('cpu')).toBe('CPU');
    expect(tried).toEqual([]);
    expect(await choose('ggml-cuda')).toBe('CUDA6');
  });

  it.each<readonly [string, Reports, string, RegExp]>([
    [
      'is not installed',
      {},
      'ggml for CUDA is not installed',
      /^install it \(\d+ MB .* driver .* with: npm install .*-cuda@/,
    ],
    ['finds no device', { 'ggml-cuda': { devices: [] } }, 'its driver reports no device', /^check the driver/],
    [
      'does not load',
      { 'ggml-cuda': { devices: [], problem: { kind: 'load', cause: 'no libcudart' } } },
      'ggml for CUDA from /libraries/ggml-cuda did not load (no libcudart)',
      /^install the CUDA 13 runtime/,
    ],
    [
      'needs a newer driver',
      { 'ggml-cuda': { devices: [broken('CUDA0', 'the provided PTX was compiled with an unsupported toolchain')] } },
      'CUDA0 (a CUDA0) failed a test: the provided PTX',
      /^update the NVIDIA driver to version \d+/,
    ],
  ])('%s', async (_, reports, reason, remedy) => {
    await expect(sourcesOf(reports).choose('ggml-cuda')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringContaining(`cannot use backend ggml-cuda: ${reason}`),
      remedy: expect.stringMatching(remedy),
    });
  });
});
