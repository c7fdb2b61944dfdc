import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkOfDevice } from '../../src/cli/probe/device-check.ts';
import { SvcError } from '../../src/errors.ts';
import { findGpus } from '../../src/processors/gpus.ts';
import { freshFolder } from '../support/test-folder.ts';

const root = freshFolder();

const pci = (vendor: string, kind: string, at = '0000:01:00.0'): Readonly<Record<string, string>> => ({
  [`sys/bus/pci/devices/${at}/vendor`]: `${vendor}\n`,
  [`sys/bus/pci/devices/${at}/class`]: `${kind}\n`,
});

describe('the GPUs of a machine', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, object]>([
    ['none', pci('0x1af4', '0x020000'), { nvidia: false, any: false }],
    ['an NVIDIA card without a driver', pci('0x10de', '0x030200'), { nvidia: true, any: true }],
    ['the sound of an NVIDIA card', pci('0x10de', '0x040300'), { nvidia: false, any: false }],
    ['a card of AMD', { 'dev/dri/renderD128': '' }, { nvidia: false, any: true }],
    ['a screen without a GPU', { 'dev/dri/card0': '' }, { nvidia: false, any: false }],
    ['a container', { 'dev/nvidia0': '' }, { nvidia: true, any: true }],
    ['WSL', { 'dev/dxg': '' }, { nvidia: true, any: true }],
  ])('%s', (_, files, found) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(root.join(name)), { recursive: true });
      writeFileSync(root.join(name), content);
    }
    expect(findGpus(root.path, 'linux')).toEqual(found);
  });

  it('are not looked for on other systems', () => {
    expect(findGpus(root.path, 'win32')).toBeUndefined();
  });
});

describe('a device that does not work', () => {
  const missing = new SvcError('BACKEND_UNAVAILABLE', 'cannot use backend cuda: ggml for CUDA is not installed', {
    remedy: 'install it with: npm install x',
  });
  const none = { status: 'missing', remedy: 'nothing to do: svc runs on the CPU' };

  it('gets no command without a GPU', () => {
    const gpus = { nvidia: false, any: false };
    expect(checkOfDevice('cuda', 'cuda', missing, gpus)).toMatchObject({ ...none, summary: 'no NVIDIA GPU found' });
    expect(checkOfDevice('vulkan', 'vulkan', missing, gpus)).toMatchObject({ ...none, summary: 'no GPU found' });
    expect(checkOfDevice('onnx cuda', 'cuda', missing, { nvidia: false, any: true })).toMatchObject(none);
  });

  it('gets its command with one', () => {
    expect(checkOfDevice('cuda', 'cuda', missing, { nvidia: true, any: true })).toMatchObject({
      status: 'missing',
      summary: 'cannot use backend cuda: ggml for CUDA is not installed',
      remedy: 'install it with: npm install x',
    });
  });

  it('keeps the problem of a driver that is installed', () => {
    const error = new SvcError('BACKEND_UNAVAILABLE', 'cannot use backend vulkan: its driver reports no device');
    const check = checkOfDevice('vulkan', 'vulkan', error, { nvidia: false, any: false });
    expect(check.summary).toBe('cannot use backend vulkan: its driver reports no device');
  });
});
