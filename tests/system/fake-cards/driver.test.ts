/** A driver of NVIDIA cards that runs our kernels on the model of a GPU, or fails in each way. */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chooseDevice } from '../../../src/engine/backends/native/device.ts';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';
import { type CardFault, type FakeDriver, makeFakeDriver } from './fake-cuda.ts';

jest.setTimeout(600_000);

const driverFolder = sharedFolder();
let fake: FakeDriver;
beforeAll(() => {
  fake = makeFakeDriver(driverFolder);
});

const folder = freshFolder();
const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
  Object.assign(process.env, before);
});

/** Chooses with these variables, which the process of the test gets. */
async function choose(backend: 'auto' | 'cuda', variables: Readonly<Record<string, string>>) {
  Object.assign(process.env, variables);
  const warnings: string[] = [];
  const settings = {
    cacheFolder: folder.join('cache'),
    patience: variables.FAKE_CUDA === 'hang' ? 15_000 : undefined,
    onWarning: (message: string) => warnings.push(message),
  };
  const { device } = await chooseDevice(backend, loadNative(), settings);
  return { name: device.name, device, warnings };
}

describe('an NVIDIA driver', () => {
  it('that works is chosen by auto', async () => {
    const { device, warnings } = await choose('auto', { ...fake.environment, FAKE_CUDA_HOPPER: '1' });
    expect({ ...device, warnings }).toMatchObject({ name: 'CUDA0', modules: ['sm_90', 'sm_90a'], warnings: [] });
  });

  it.each<readonly [CardFault, RegExp, RegExp]>([
    ['no-device', /: its driver reports no device$/, /^check the driver/],
    ['not-started', /: the NVIDIA driver failed: cuInit: CUDA_ERROR_NOT_INITIALIZED$/, /^install an NVIDIA driver/],
    [
      'too-old',
      /: the kernels cannot run on CUDA0 \(Fake card\): it has compute capability 7\.5, older than 8\.0/,
      /^use --backend vulkan/,
    ],
    [
      'refuses-module',
      /failed a test: products of i8: the NVIDIA driver cannot compile the kernels: CUDA_ERROR_INVALID_PTX/,
      /version 520/,
    ],
    ['no-memory', /failed a test: .*not enough memory/, /^free memory of the GPU/],
    ['lost', /failed a test: products of i8: the GPU was lost: \w+ failed with CUDA_ERROR_LAUNCH_FAILED/, /^update/],
    ['hang', /failed a test: products of i8: did not answer in 15 s/, /^update/],
    ['wrong', /failed a test: products of i8: wrong results \(\w+ differs by/, /^update .* ggml-cuda/],
  ])('with the fault %s is refused by name, and passed over by auto', async (fault, cause, remedy) => {
    const variables = { ...fake.environment, FAKE_CUDA: fault };
    await expect(choose('cuda', variables)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      problem: expect.stringMatching(/^cannot use backend cuda: [^\n]*$/),
      remedy: expect.stringMatching(remedy),
    });
    await expect(choose('cuda', variables)).rejects.toMatchObject({ problem: expect.stringMatching(cause) });
    expect((await choose('auto', variables)).name).toBe('CPU');
  });

  it('that is too old is refused', async () => {
    await expect(choose('cuda', fake.old)).rejects.toMatchObject({
      problem: 'cannot use backend cuda: the NVIDIA driver supports CUDA 11.4, older than 11.8',
      remedy: expect.stringMatching(/^install an NVIDIA driver of version 520 or newer/),
    });
  });

  it('without compiled kernels is refused with the command that compiles them', async () => {
    await expect(choose('cuda', { ...fake.environment, SVC_CUDA_KERNELS: folder.path })).rejects.toMatchObject({
      problem: expect.stringMatching(/failed a test: the CUDA kernels are not compiled \(no .*sm_80\.ptx\.br\)/),
      remedy: expect.stringMatching(/^compile them with: node .*cuda-kernels\.mjs, or use/),
    });
  });
});

it('kernels that cannot be compiled, for want of pip, are reported in one line', () => {
  for (const name of ['package.json', 'scripts', 'native/sources.json', 'native/compiler-settings.json'])
    cpSync(join(process.cwd(), name), folder.join(name), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [folder.join('scripts', 'cuda-kernels.mjs'), folder.path], {
    env: { PATH: folder.path },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^svc: cannot compile the CUDA kernels: [^\n]*; install python3 with pip[^\n]*\n$/),
  ]);
});
