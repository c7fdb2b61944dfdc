import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { deviceOf, modelOfFolder, threadsOf } from '../../../src/cli/model/engine-environment.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();

const model = (): Promise<string | undefined> => modelOfFolder({ environment: { SVC_MODELS_DIR: folder.path } });

describe('SVC_MODELS_DIR', () => {
  it('may be a folder with one .gguf file', async () => {
    await writeFile(folder.join('model.gguf'), '');
    expect(await model()).toBe(folder.join('model.gguf'));
  });

  it.each(['svc-onnx.json', 'voxcpm_decode_step.onnx'])('is the folder itself with %s', async (file) => {
    await writeFile(folder.join(file), '');
    expect(await model()).toBe(folder.path);
  });

  it('is refused without a model or with two', async () => {
    await expect(model()).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await writeFile(folder.join('a.gguf'), '');
    await writeFile(folder.join('b.gguf'), '');
    await expect(model()).rejects.toMatchObject({ message: expect.stringContaining('with 2 .gguf files') });
  });

  it('may be absent', async () => {
    expect(await modelOfFolder({ environment: {} })).toBeUndefined();
  });
});

describe('SVC_DEVICE', () => {
  it('is a device of either runtime', () => {
    expect(deviceOf({ environment: { SVC_DEVICE: 'WebGPU' } })).toBe('webgpu');
    expect(deviceOf({ environment: {} })).toBeUndefined();
    expect(() => deviceOf({ environment: { SVC_DEVICE: 'tpu' } })).toThrow(
      /^SVC_DEVICE must be one of cpu, .*, got "tpu"; auto uses a GPU if there is one$/,
    );
    expect(() => deviceOf({ environment: { SVC_DEVICE: 'vulcan' } })).toThrow(/; did you mean "vulkan"\?$/);
  });
});

describe('SVC_THREADS', () => {
  it('is a number of threads', () => {
    expect(threadsOf({ environment: { SVC_THREADS: '3' } })).toBe(3);
    expect(threadsOf({ environment: { SVC_THREADS: '' } })).toBeUndefined();
    expect(() => threadsOf({ environment: { SVC_THREADS: '0' } })).toThrow(
      /^SVC_THREADS must be an integer from 1 to 1024, got "0"$/,
    );
  });
});
