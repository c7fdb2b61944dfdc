import { afterAll, describe, expect, it } from '@jest/globals';
import { readFloats } from '../../src/formats/tensor-source.ts';
import {
  buildZip,
  pickledDictionary,
  pickledTensor,
  raw,
  removeFiles,
  tensorsOf,
  torchArchive,
  unicode,
} from '../export/build-files.ts';
import { expectErrorWith } from '../support/errors.ts';

afterAll(removeFiles);

const six = new Uint8Array(Float32Array.of(0, 1, 2, 3, 4, 5).buffer);
const whole = pickledTensor({ storage: '0', shape: [2, 3], strides: [3, 1] });

/** Tensor `a`, a view of six numbers. */
const viewOfSix = (shape: readonly number[], strides: readonly number[], offset = 0): Buffer =>
  torchArchive(pickledDictionary({ a: pickledTensor({ storage: '0', offset, shape, strides }) }), { 0: six });

const read = async (bytes: Uint8Array, count: number): Promise<number[]> => {
  const [tensor] = await tensorsOf(bytes);
  if (tensor === undefined) throw new Error('no tensor');
  return [...(await readFloats(tensor, 0, count))];
};

describe('readTorchCheckpoint', () => {
  it('reads a raw state dict', async () => {
    const [tensor] = await tensorsOf(torchArchive(pickledDictionary({ weight: whole }), { 0: six }));
    expect(tensor).toMatchObject({ name: 'weight', dtype: 'F32', shape: [2, 3] });
    expect([...(await readFloats(tensor as NonNullable<typeof tensor>, 2, 3))]).toEqual([2, 3, 4]);
  });

  it('reads a wrapped state dict and ignores values that are not tensors', async () => {
    const inner = Buffer.concat([raw('}('), unicode('weight'), whole, unicode('step'), raw('K\x05u')]);
    const wrapped = pickledDictionary({ epoch: raw('K\x01'), state_dict: inner });
    const tensors = await tensorsOf(torchArchive(wrapped, { 0: six }));
    expect(tensors.map(({ name }) => name)).toEqual(['weight']);
  });

  it('respects the storage offset', async () => {
    expect(await read(viewOfSix([3], [1], 2), 3)).toEqual([2, 3, 4]);
  });

  it('gathers a transposed view', async () => {
    expect(await read(viewOfSix([3, 2], [1, 3]), 6)).toEqual([0, 3, 1, 4, 2, 5]);
  });

  it('reads parameters, protocol 4 and dicts with state', async () => {
    const head = `\x80\x04\x95${'\x00'.repeat(8)}\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x94\x93)R(\x8c\x01a\x94`;
    const parameter = [raw('ctorch._utils\n_rebuild_parameter\n('), whole, raw('\x88ccollections\nOrderedDict\n)RtR')];
    const pickle = Buffer.concat([raw(head), ...parameter, raw('u}(\x8c\x09_metadata}ub.')]);
    expect(await read(torchArchive(pickle, { 0: six }), 6)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  const dictionary = pickledDictionary({ a: whole });
  const pickles = (...names: readonly string[]) =>
    buildZip(names.map((name) => ({ name: `${name}/data.pkl`, data: dictionary })));
  const unreadable = 'cannot read the ZIP archive: ';
  const archive = torchArchive(dictionary, { 0: six });
  const locator = Buffer.alloc(20, 0xf8);
  locator.writeUInt32LE(0x07064b50);

  it.each([
    ['an empty file', Buffer.alloc(0), 'not a file of torch.save'],
    ['a ZIP without a directory', raw('PK\x03\x04 and nothing else that an archive has'), unreadable],
    ['an archive without a pickle', buildZip([{ name: 'model/data/0', data: six }]), ' data.pkl records, expected 1'],
    ['two pickles', pickles('a', 'b'), ' data.pkl records, expected 1'],
    ['a name twice', pickles('a', 'a'), 'record a/data.pkl occurs twice'],
    [
      'a compressed record',
      buildZip([{ name: 'm/data.pkl', data: dictionary, method: 8 }]),
      'record m/data.pkl is compressed',
    ],
    [
      'a directory at an impossible position',
      Buffer.concat([archive.subarray(0, -22), locator, archive.subarray(-22)]),
      unreadable,
    ],
    ['a record beyond the file', buildZip([{ name: 'm/data.pkl', data: dictionary, size: 1e6 }]), unreadable],
    [
      'big-endian tensors',
      torchArchive(dictionary, { 0: six }, 'big'),
      'tensors must be little-endian, got byte order "big"',
    ],
    ['a missing storage', torchArchive(dictionary), 'the storage of tensor "a" is missing'],
    [
      'a storage that is too short',
      torchArchive(dictionary, { 0: six.subarray(0, 20) }),
      'tensor "a" exceeds its storage: it ends at byte 24 of 20',
    ],
    ['a view of one number', viewOfSix([2 ** 30, 2 ** 30], [0, 0]), 'tensor "a" exceeds its storage: '],
    ['an offset beyond the storage', viewOfSix([3], [1], 4), 'tensor "a" exceeds its storage: '],
    ['a list instead of a dict', torchArchive(raw('\x80\x02].')), 'it contains no state dict'],
  ])('refuses %s', async (_name, bytes, message) => {
    await expectErrorWith(tensorsOf(bytes), 'MODEL_INVALID', message);
  });
});
