import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { elementCount } from '../../src/formats/safetensors.ts';
import { readFloats } from '../../src/formats/tensor-source.ts';
import { legacyStart } from '../../src/formats/torch-checkpoint.ts';
import { legacyFile, pickledDictionary, pickledTensor, raw, removeFiles, tensorsOf } from '../export/build-files.ts';
import { expectErrorWith } from '../support/errors.ts';

afterAll(removeFiles);

const fixture = (name: string) => readFile(join(import.meta.dirname, '../fixtures/torch', name));

async function valuesOf(bytes: Uint8Array): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const tensors = await tensorsOf(bytes);
  const values = tensors.map(async (tensor) => {
    const { name, dtype, shape } = tensor;
    const floats = dtype.startsWith('I') ? [] : [...(await readFloats(tensor, 0, elementCount(shape)))];
    return [name, [dtype, shape, floats]] as const;
  });
  return Object.fromEntries(await Promise.all(values));
}

describe.each(['zip', 'legacy'])('a file of torch.save, %s', (format) => {
  it('gives the tensors of a state dict', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => index);
    expect(await valuesOf(await fixture(`state-dict-${format}.bin`))).toEqual({
      weight: ['F32', [3, 4], twelve],
      view: ['F32', [2, 4], twelve.slice(4)],
      transposed: ['F32', [4, 3], [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]],
      param: ['F32', [2], [1.5, -2.5]],
      half: ['F16', [2], [0.5, 1]],
      bf: ['BF16', [2], [3, 4]],
      ints: ['I64', [5], []],
      scalar: ['F32', [], [7]],
      empty: ['F32', [0, 3], []],
    });
  });

  it('may have every kind of value besides', async () => {
    const plain = await valuesOf(await fixture(`state-dict-${format}.bin`));
    expect(await valuesOf(await fixture(`extras-${format}.bin`))).toEqual(plain);
    expect(await valuesOf(await fixture(`attributes-${format}.bin`))).toEqual({ weight: ['F32', [1], [9]] });
  });
});

describe('readLegacyFile', () => {
  const six = { data: new Uint8Array(Float32Array.of(0, 1, 2, 3, 4, 5).buffer), elements: 6 };
  const pickle = pickledDictionary({ a: pickledTensor({ storage: '0', shape: [2, 3], strides: [3, 1] }) });

  const start = legacyStart.toString('latin1');

  const version = 'unsupported version of torch.save: ';
  const [endless, missing] = ['the file is truncated: a storage ends at byte ', 'the list of storages does not fit'];
  const view = '(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000NK\x01K\x02tQ';

  it.each<[string, Buffer, string]>([
    ['a version of shared tuples', raw(`${start})${'q\x00h\x00\x86'.repeat(40)}.`), `${version}a list`],
    ['a version of nested tuples', raw(`${start}N${'\x85'.repeat(90_000)}.`), `${version}a list`],
    ['a version that is text', raw(`${start}X\x01\x00\x00\x00a.`), `${version}a string`],
    ['many opcodes', raw(`${start}N${'\x85'.repeat(1_000_001)}.`), 'it has more than 1000000 opcodes'],
    ['another version', legacyFile(pickle, { 0: six }, { version: 7 }), `${version}7`],
    ['big-endian numbers', legacyFile(pickle, { 0: six }, { order: '\x89' }), 'tensors must be little-endian'],
    ['a missing storage', legacyFile(pickle), 'the storage of tensor "a" is missing'],
    ['a storage twice', legacyFile(pickle, { 0: six }, { keys: ['0', '0'] }), missing],
    ['an unused storage', legacyFile(pickle, { 0: six, 1: six }), missing],
    [
      'no list of keys',
      Buffer.concat([legacyFile(pickle).subarray(0, -4), raw('N.')]),
      'the list of storages is missing',
    ],
    ['a storage beyond the file', legacyFile(pickle, { 0: { ...six, elements: 7 } }), endless],
    ['a negative count', legacyFile(pickle, { 0: { ...six, elements: -1 } }), endless],
    ['half a file', legacyFile(pickle, { 0: six }).subarray(0, 90), 'invalid pickle: it is truncated'],
    ['no storages', legacyFile(pickle, { 0: six }).subarray(0, -26), 'the file is truncated: '],
    [
      'a storage that is too short',
      legacyFile(pickle, { 0: { data: six.data.subarray(8), elements: 4 } }),
      'tensor "a" exceeds its storage',
    ],
    [
      'a function',
      legacyFile(raw('\x80\x02cos\nsystem\n(X\x02\x00\x00\x00idtR.')),
      'global "os.system" is not allowed',
    ],
    ['a view of a storage', legacyFile(raw(`\x80\x02${view}.`)), 'a persistent id must be a torch storage'],
  ])('refuses %s', async (_, bytes, message) => {
    const refusal = tensorsOf(bytes);
    await expectErrorWith(refusal, 'MODEL_INVALID', message);
    await expect(refusal).rejects.toThrow(/^[^\n]+$/);
  });
});
