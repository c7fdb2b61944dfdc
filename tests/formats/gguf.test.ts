import { open, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { type GgufHeader, readGgufHeader } from '../../src/formats/gguf.ts';
import { errorOf } from '../support/errors.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

async function read(...parts: readonly Uint8Array[]): Promise<GgufHeader> {
  const path = folder.join('model.gguf');
  await writeFile(path, Buffer.concat(parts));
  const handle = await open(path, 'r');
  try {
    return await readGgufHeader(handle, 'model.gguf');
  } finally {
    await handle.close();
  }
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: bigint | number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const entry = (key: string, type: number, ...value: readonly Uint8Array[]): Buffer =>
  Buffer.concat([text(key), u32(type), ...value]);
const array = (type: number, ...values: readonly Uint8Array[]): Buffer =>
  Buffer.concat([u32(type), u64(values.length), ...values]);
const tensor = (name: string, dimensions: readonly number[], type: number, offset: number): Buffer =>
  Buffer.concat([text(name), u32(dimensions.length), ...dimensions.map(u64), u32(type), u64(offset)]);

/** A complete header without padding. */
const header = (metadata: readonly Uint8Array[], tensors: readonly Uint8Array[] = [], version = 3): Buffer =>
  Buffer.concat([
    Buffer.from('GGUF'),
    u32(version),
    ...[tensors.length, metadata.length].map(u64),
    ...metadata,
    ...tensors,
  ]);

const refusal = (problem: string) => errorOf('MODEL_INVALID', new RegExp(`^model.gguf: ${problem}`));

describe('readGgufHeader', () => {
  it('reads every metadata type', async () => {
    const rows: readonly (readonly [number, Buffer, unknown])[] = [
      [0, Buffer.of(200), 200],
      [1, Buffer.of(200), -56],
      [2, Buffer.of(254, 255), 65_534],
      [3, Buffer.of(254, 255), -2],
      [4, u32(0xffff_fffe), 4_294_967_294],
      [5, u32(0xffff_fffe), -2],
      [6, Buffer.of(0, 0, 192, 63), 1.5],
      [7, Buffer.of(1), true],
      [8, text('é'), 'é'],
      [9, array(9, array(8, text('a'), text('b')), array(4, u32(7))), [['a', 'b'], [7]]],
      [10, u64(2n ** 63n), 2n ** 63n],
      [11, u64(2n ** 64n - 2n), -2n],
      [12, Buffer.from([0, 0, 0, 0, 0, 0, 4, 192]), -2.5],
    ];
    const { metadata, version } = await read(header(rows.map(([type, bytes]) => entry(`type ${type}`, type, bytes))));
    expect(version).toBe(3);
    expect([...metadata]).toEqual(rows.map(([type, , value]) => [`type ${type}`, value]));
  });

  it('reads the tensor table, outermost dimension first, and data offsets', async () => {
    const tensors = [tensor('a', [3, 2], 0, 0), tensor('b', [256], 12, 32), tensor('c', [1], 99, 192)];
    const head = header([], tensors, 2);
    const found = await read(head);
    expect(found.tensors).toEqual([
      { name: 'a', type: 'f32', shape: [2, 3], offset: 0 },
      { name: 'b', type: 'q4_k', shape: [256], offset: 32 },
      { name: 'c', type: '99', shape: [1], offset: 192 },
    ]);
    expect(found.dataOffset).toBe(Math.ceil(head.length / 32) * 32);
    const aligned = header([entry('general.alignment', 4, u32(1024))], tensors);
    expect((await read(aligned)).dataOffset).toBe(1024);
  });

  it('reads a header that is longer than the first read', async () => {
    const long = 'x'.repeat(9 * 1024 * 1024);
    const { metadata } = await read(header([entry('long', 8, text(long)), entry('after', 4, u32(5))]));
    expect([metadata.get('long') === long, metadata.get('after')]).toEqual([true, 5]);
  });

  it('refuses a header truncated anywhere', async () => {
    const whole = header([entry('key', 9, array(8, text('a')))], [tensor('a', [1], 0, 0)]);
    await read(whole);
    for (let end = 4; end < whole.length; end += 1) {
      const truncated = refusal('the file is truncated: it ends within the header$');
      await expect(read(whole.subarray(0, end))).rejects.toEqual(truncated);
    }
  });

  const nested = (depth: number): Buffer => (depth === 0 ? array(4, u32(1)) : array(9, nested(depth - 1)));

  const claims = (what: string): string => `the header claims ${what}, more than 134217728$`;
  const misaligned = 'general.alignment must be a power of two from 8 to 65536, got ';

  it.each([
    ['another file', Buffer.from('GGML0000'), 'not a GGUF file$'],
    ['version 1', header([], [], 1), 'unsupported GGUF version 1 '],
    ['a text as long as the disk', header([u64(2n ** 60n)]), claims('1152921504606846976 bytes of a string')],
    [
      'more values than bytes',
      header([entry('a', 9, u32(0), u64(2n ** 40n))]),
      claims('1099511627776 values of an array'),
    ],
    ['metadata of no type', header([entry('a', 13)]), 'unknown metadata type 13$'],
    ['deep arrays', header([entry('a', 9, nested(4))]), 'arrays are nested more than 4 deep$'],
    ['many dimensions', header([], [tensor('a', Array(9).fill(1), 0, 0)]), 'a tensor has 9 dimensions, more than 8$'],
    ['no alignment', header([entry('general.alignment', 4, u32(0))]), misaligned],
    ['a text as alignment', header([entry('general.alignment', 8, text('x'))]), misaligned],
  ])('refuses %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toEqual(refusal(message));
  });
});
