import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSafetensorsHeader } from '../../src/formats/safetensors.ts';
import { buildSafetensors, withHeader } from '../export/build-files.ts';
import { expectErrorWith } from '../support/errors.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();

async function headerOf(bytes: Uint8Array) {
  const path = join(folder, 'model.safetensors');
  await writeFile(path, bytes);
  const handle = await open(path, 'r');
  try {
    return await readSafetensorsHeader(handle, 'model.safetensors');
  } finally {
    await handle.close();
  }
}

const four = new Uint8Array(16);
const valid = buildSafetensors({
  b: { dtype: 'F32', shape: [2, 2], data: four },
  a: { dtype: 'BF16', shape: [8], data: four },
  nothing: { dtype: 'F32', shape: [0, 3], data: new Uint8Array() },
});

/** Tensor `a`, and `b` behind it if that has a shape. */
const build = (dtype: string, shape: number[], second?: number[], offsets: [number, number] = [0, 0]) =>
  buildSafetensors({
    a: { dtype, shape, data: four },
    ...(second && { b: { dtype, shape: second, data: four, offsets } }),
  });

describe('readSafetensorsHeader', () => {
  it('lists tensors with their offsets', async () => {
    const entries = await headerOf(valid);
    const start = valid.length - 32;
    expect(entries).toEqual([
      { name: 'b', dtype: 'F32', shape: [2, 2], offset: start },
      { name: 'a', dtype: 'BF16', shape: [8], offset: start + 16 },
      { name: 'nothing', dtype: 'F32', shape: [0, 3], offset: start + 32 },
    ]);
  });

  it.each([
    ['an empty file', new Uint8Array(), 'not a safetensors file ('],
    ['a file of five bytes', new Uint8Array(5), 'not a safetensors file ('],
    ['a truncated file', valid.subarray(0, valid.length - 1), 'model.safetensors: the file is truncated: it has '],
    ['a truncated header', valid.subarray(0, 40), 'invalid header length '],
    [
      'a byte after the last tensor',
      Buffer.concat([valid, Buffer.alloc(1)]),
      `model.safetensors: it has ${valid.length + 1} bytes, expected ${valid.length}`,
    ],
    ['a header length beyond the file', withHeader('{}', four, 1e12), 'invalid header length '],
    ['a header that is not JSON', withHeader('{"a":', four), 'the header is not valid JSON'],
    ['a header that is a list', withHeader('[]', four), 'the header must be a JSON object'],
    ['an unknown dtype', build('F4', [4]), 'unknown dtype "F4" of tensor "a"'],
    ['a dtype of the prototype', build('toString', [4]), 'unknown dtype "toString"'],
    ['a size that its shape denies', build('F32', [5]), 'tensor "a" has 16 bytes, expected 20'],
    ['a negative shape', build('F32', [-4]), 'invalid dtype, shape or data_offsets of tensor "a"'],
    ['a shape that overflows', build('F32', [2 ** 40, 2 ** 40]), 'tensor "a" has 16 bytes, expected '],
    ['overlapping tensors', build('F32', [4], [4], [8, 24]), 'an overlap between tensors before "b"'],
    ['a gap between tensors', build('F32', [4], [2], [24, 32]), 'a gap between tensors before "b"'],
  ])('refuses %s', async (_name, bytes, message) => {
    await expectErrorWith(headerOf(bytes), 'MODEL_INVALID', message);
  });
});
