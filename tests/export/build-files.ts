/** Builders of valid and invalid checkpoint files: torch archives, pickles and safetensors. */
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import type { TensorSource } from '../../src/formats/tensor-source.ts';
import { readTorchCheckpoint } from '../../src/formats/torch-checkpoint.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

export interface ZipRecord {
  readonly name: string;
  readonly data: Uint8Array;
  /** 0: stored, 8: deflated (the data is written unchanged). */
  readonly method?: number;
  /** Declared size instead of the data's. */
  readonly size?: number;
}

/** A ZIP archive with the given records. */
export function buildZip(records: readonly ZipRecord[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, method = 0, size = data.length } of records) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(size, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(size, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(Buffer.byteLength(name), 28);
    central.writeUInt32LE(offset, 42);
    directory.push(central, Buffer.from(name));
    parts.push(local, Buffer.from(name), Buffer.from(data));
    offset += 30 + Buffer.byteLength(name) + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(records.length, 8);
  end.writeUInt16LE(records.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(5, 'J');
  bytes.writeInt32LE(value, 1);
  return bytes;
};

/** Opcodes and text as bytes. */
export const raw = (text: string): Buffer => Buffer.from(text, 'latin1');

/** BINUNICODE. */
export function unicode(text: string): Buffer {
  const length = Buffer.alloc(5, 'X');
  length.writeUInt32LE(Buffer.byteLength(text), 1);
  return Buffer.concat([length, Buffer.from(text)]);
}

const tuple = (items: readonly Buffer[]): Buffer => Buffer.concat([raw('('), ...items, raw('t')]);

export interface PickledView {
  readonly storage: string;
  readonly storageType?: string;
  readonly offset?: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** `_rebuild_tensor_v2(storage, offset, size, stride, False, OrderedDict())`. */
export const pickledTensor = ({
  storage,
  storageType = 'FloatStorage',
  offset = 0,
  shape,
  strides,
}: PickledView): Buffer =>
  Buffer.concat([
    raw('ctorch._utils\n_rebuild_tensor_v2\n('),
    tuple([unicode('storage'), raw(`ctorch\n${storageType}\n`), unicode(storage), unicode('cpu'), int(4)]),
    raw('Q'),
    int(offset),
    tuple(shape.map(int)),
    tuple(strides.map(int)),
    raw('\x89ccollections\nOrderedDict\n)RtR'),
  ]);

/** The pickle of a dict. */
export const pickledDictionary = (entries: Readonly<Record<string, Buffer>>): Buffer =>
  Buffer.concat([
    raw('\x80\x02}('),
    ...Object.entries(entries).flatMap(([key, value]) => [unicode(key), value]),
    raw('u.'),
  ]);

/** A torch archive with one pickle and its storages. */
export const torchArchive = (
  pickle: Uint8Array,
  storages: Readonly<Record<string, Uint8Array>> = {},
  byteOrder = 'little',
): Buffer =>
  buildZip([
    { name: 'model/data.pkl', data: pickle },
    { name: 'model/byteorder', data: raw(byteOrder) },
    ...Object.entries(storages).map(([key, data]) => ({ name: `model/data/${key}`, data })),
  ]);

/** A file of `torch.save` before 1.6: pickles, then each storage with its number of elements. */
export function legacyFile(
  pickle: Uint8Array,
  storages: Readonly<Record<string, { readonly data: Uint8Array; readonly elements: number }>> = {},
  { keys = Object.keys(storages), version = 1001, order = '\x88' } = {},
): Buffer {
  const head = Buffer.from('80028a0a6cfc9c46f9206aa850192e', 'hex');
  const system = [raw('\x80\x02}'), unicode('little_endian'), raw(`${order}s.`)];
  const list = [raw('\x80\x02]('), ...keys.map(unicode), raw('e.')];
  const data = Object.values(storages).flatMap(({ data: bytes, elements }) => {
    const count = Buffer.alloc(8);
    count.writeBigInt64LE(BigInt(elements));
    return [count, bytes];
  });
  return Buffer.concat([head, raw('\x80\x02'), int(version), raw('.'), ...system, pickle, ...list, ...data]);
}

const opened: { readonly handle: FileHandle; readonly folder: TemporaryFolder }[] = [];

/** Writes `bytes` to a file in a new folder and lists its tensors; `removeFiles` closes and removes it. */
export async function tensorsOf(bytes: Uint8Array): Promise<readonly TensorSource[]> {
  const folder = await temporaryFolder();
  const path = folder.join('model.pth');
  await writeFile(path, bytes);
  const handle = await open(path, 'r');
  opened.push({ handle, folder });
  return readTorchCheckpoint(handle, 'model.pth');
}

export async function removeFiles(): Promise<void> {
  for (const { handle, folder } of opened.splice(0)) {
    await handle.close();
    await folder[Symbol.asyncDispose]();
  }
}

export interface SafetensorsInput {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
  /** Declared offsets instead of the data's. */
  readonly offsets?: readonly [number, number];
}

/** A safetensors file. */
export function buildSafetensors(tensors: Readonly<Record<string, SafetensorsInput>>): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const [name, { dtype, shape, data, offsets }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: offsets ?? [position, position + data.length] };
    parts.push(data);
    position += data.length;
  }
  return withHeader(JSON.stringify(header), Buffer.concat(parts));
}

/** A safetensors file with any header text. */
export function withHeader(header: string, data: Uint8Array, length = Buffer.byteLength(header)): Buffer {
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(length));
  return Buffer.concat([prefix, Buffer.from(header), data]);
}
