/**
 * What a step of VoxCPM 2 takes on an NVIDIA card, and how many utterances one of 8 GB holds, as docs/gpus.md states them:
 * counted by the executor with a driver whose card computes nothing.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { syntheticModel } from '../../src/bench/synthetic/model.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { makeFakeDriver } from './fake-cards/fake-cuda.ts';

const folder = sharedFolder();

it('a step of VoxCPM 2, and its memory, on a card of 8 GB', async () => {
  const { quantize } = await loadAddon();
  const model = await syntheticModel({
    ...{ model: '2', type: 'q8_0', engine: 'native', cacheFolder: folder, quantize },
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const { environment } = makeFakeDriver(folder);
  const program = join(import.meta.dirname, 'cards', 'count-costs.ts');
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const parameters = ['--import', loader, program, model, environment.SVC_CUDA_KERNELS as string];
  const { stdout, stderr } = spawnSync(process.execPath, parameters, {
    // Half a gigabyte is the driver's.
    env: { PATH: process.env.PATH, ...environment, FAKE_CUDA_IDLE: '1', FAKE_CUDA_BYTES: String(7.5 * 2 ** 30) },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const step = { launches: 813, weightMb: 4034 };
  expect(JSON.parse(stdout)).toEqual({
    weightsMiB: 2261,
    steps: {
      1: { ...step, stepMb: 4173, gigaOperations: 42, usedMiB: 2275 },
      2: { ...step, stepMb: 4375, gigaOperations: 162, usedMiB: 2292 },
      4: { ...step, stepMb: 4713, gigaOperations: 325, usedMiB: 2322 },
      8: { ...step, stepMb: 5396, gigaOperations: 658, usedMiB: 2383 },
      16: { ...step, stepMb: 6755, gigaOperations: 1315, usedMiB: 2503 },
      32: { ...step, stepMb: 9473, gigaOperations: 2631, usedMiB: 2741 },
      64: { ...step, stepMb: 14_960, gigaOperations: 5371, usedMiB: 3218 },
    },
    // Without the encoder and a reserve; docs/gpus.md says 27.
    sessionsOf: { 1700: 64, 4096: 28 },
  });
});
