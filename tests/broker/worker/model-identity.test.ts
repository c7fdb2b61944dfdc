import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { identifyModel } from '../../../src/broker/worker/model-identity.ts';
import { fakeInfo } from '../../engine/fake-backend.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();
const bytes = Buffer.alloc(3_000_000, 'weights ');
const model = join(folder, 'model.gguf');
await writeFile(model, bytes);

const changed = async (at: number): Promise<string> => {
  const path = join(folder, `changed-${at}.gguf`);
  const other = Buffer.from(bytes);
  other[at] = 0;
  await writeFile(path, other);
  return identifyModel(fakeInfo, path);
};

it('identifyModel is independent of path and device', async () => {
  const copy = join(folder, 'copy.gguf');
  await writeFile(copy, bytes);
  expect(await identifyModel({ ...fakeInfo, device: 'CUDA0' }, copy)).toBe(await identifyModel(fakeInfo, model));
});

it('identifyModel depends on start, end and length of the file and on the model', async () => {
  const copy = join(folder, 'longer.gguf');
  await writeFile(copy, Buffer.concat([bytes, Buffer.alloc(1)]));
  const all = [
    await identifyModel(fakeInfo, model),
    await changed(0),
    await changed(bytes.length - 1),
    await identifyModel(fakeInfo, copy),
    await identifyModel({ ...fakeInfo, weightType: 'q4_k' }, model),
  ];
  expect(new Set(all).size).toBe(all.length);
});

it('identifyModel accepts a folder and hashes its files', async () => {
  const onnx = join(folder, 'onnx');
  await mkdir(onnx);
  await writeFile(join(onnx, 'a.onnx'), 'a');
  const before = await identifyModel(fakeInfo, onnx);
  await writeFile(join(onnx, 'b.onnx'), 'b');
  expect(await identifyModel(fakeInfo, onnx)).not.toBe(before);
});
