/** Reads the tensors of a file written by `torch.save`, as `torch.load(weights_only=True)` does. */
import type { FileHandle } from 'node:fs/promises';
import { refuseLfsPointer } from '../lfs-pointer.ts';
import { quote } from '../messages.ts';
import { kindOf, longestPickle, PickledTensor, type PickleValue, unpickle, unpickleFirst } from './pickle.ts';
import { elementBytes, elementCount, invalid } from './safetensors.ts';
import { fileTensorSource, readExactly, type TensorSource } from './tensor-source.ts';
import { readStoredRecords, type StoredRecord } from './zip.ts';

/** A pickle and where its storages are. */
interface TorchFile {
  readonly root: PickleValue;
  /** Records by key. */
  readonly storages: ReadonlyMap<string, StoredRecord>;
}

/** The pickle of the magic number; its second byte is the protocol. */
export const legacyStart = Buffer.from('80028a0a6cfc9c46f9206aa850192e', 'hex');
const protocolAt = 1;

/** Whether a file starts like one of torch before 1.6. */
const isLegacy = (head: Uint8Array): boolean =>
  legacyStart.every((byte, index) => index === protocolAt || head[index] === byte);

const supportedVersion = 1001;

/** Reads the tensors of a state dict, or of one wrapped as `{"state_dict": ...}`. @throws SvcError MODEL_INVALID */
export async function readTorchCheckpoint(handle: FileHandle, source: string): Promise<TensorSource[]> {
  const { root, storages } = await readTorchFile(handle, source);
  const tensors: TensorSource[] = [];
  for (const [name, value] of stateDictionary(root, source)) {
    if (typeof name !== 'string' || !(value instanceof PickledTensor)) continue;
    const record = storages.get(value.storage.key);
    if (record === undefined) throw invalid(source, `the storage of tensor ${shown(name)} is missing`);
    tensors.push(viewOf(handle, name, value, record, source));
  }
  return tensors;
}

async function readTorchFile(handle: FileHandle, source: string): Promise<TorchFile> {
  await refuseLfsPointer(handle, source);
  const head = Buffer.alloc(legacyStart.length);
  await handle.read(head, 0, head.length, 0);
  if (head.toString('latin1').startsWith('PK\x03\x04')) return readArchive(handle, source);
  if (isLegacy(head)) return readLegacyFile(handle, source);
  throw invalid(source, 'not a file of torch.save');
}

/** A ZIP archive with a pickle and one record per storage. */
async function readArchive(handle: FileHandle, source: string): Promise<TorchFile> {
  const records = await readStoredRecords(handle, source);
  const pickles = [...records.keys()].filter((name) => /^(.*\/)?data\.pkl$/.test(name));
  const [pickleName] = pickles;
  const pickle = pickleName === undefined ? undefined : records.get(pickleName);
  if (pickleName === undefined || pickle === undefined || pickles.length !== 1)
    throw invalid(source, `the archive has ${pickles.length} data.pkl records, expected 1`);
  const folder = pickleName.slice(0, -'data.pkl'.length);
  const order = records.get(`${folder}byteorder`);
  if (order !== undefined) await requireLittleEndian(handle, order, source);
  if (pickle.size > longestPickle)
    throw invalid(source, `the pickle is larger than the limit of 16 MiB (${pickle.size} bytes)`);
  const root = unpickle(await readExactly(handle, pickle.offset, pickle.size, source), source);
  const prefix = `${folder}data/`;
  const storages = [...records].flatMap(([name, record]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), record] as const] : [],
  );
  return { root, storages: new Map(storages) };
}

async function requireLittleEndian(handle: FileHandle, { offset, size }: StoredRecord, source: string): Promise<void> {
  const bytes = await readExactly(handle, offset, Math.min(size, 16), source);
  const order = Buffer.from(bytes).toString('latin1');
  if (order !== 'little')
    throw invalid(source, `tensors must be little-endian, got byte order ${JSON.stringify(order)}`);
}

/**
 * Reads the container of `torch.save` before torch 1.6 (`_legacy_save` of `torch/serialization.py`): five pickles (a
 * magic number, the version, the system, the object, the keys of its storages), then each storage as a 64-bit count
 * and its elements.
 */
async function readLegacyFile(handle: FileHandle, source: string): Promise<TorchFile> {
  const { size } = await handle.stat();
  const pickles = await readExactly(handle, 0, Math.min(size, longestPickle), source);
  let position = legacyStart.length;
  const next = () => {
    const pickle = unpickleFirst(pickles.subarray(position), source);
    position += pickle.length;
    return pickle;
  };
  const version = next().value;
  if (version !== supportedVersion)
    throw invalid(
      source,
      `unsupported version of torch.save: ${typeof version === 'number' ? version : kindOf(version)}`,
    );
  const system = next().value;
  if (!(system instanceof Map) || system.get('little_endian') !== true)
    throw invalid(source, 'tensors must be little-endian');
  const { value: root, storages } = next();
  const keys = next().value;
  if (!Array.isArray(keys)) throw invalid(source, 'the list of storages is missing');
  const records = new Map<string, StoredRecord>();
  for (const key of keys) {
    const storage = typeof key === 'string' ? storages.get(key) : undefined;
    if (storage === undefined || records.has(storage.key))
      throw invalid(source, 'the list of storages does not fit the object');
    const head = await readExactly(handle, position, 8, source);
    const elements = new DataView(head.buffer).getBigUint64(0, true);
    const bytes = elements * BigInt(elementBytes[storage.dtype]);
    const offset = position + 8;
    if (bytes > BigInt(size - offset))
      throw invalid(source, `the file is truncated: a storage ends at byte ${bytes + BigInt(offset)} of ${size}`);
    records.set(storage.key, { offset, size: Number(bytes) });
    position = offset + Number(bytes);
  }
  return { root, storages: records };
}

function stateDictionary(root: PickleValue, source: string): ReadonlyMap<unknown, PickleValue> {
  const wrapped = root instanceof Map ? root.get('state_dict') : undefined;
  const dictionary: unknown = wrapped instanceof Map ? wrapped : root;
  if (!(dictionary instanceof Map)) throw invalid(source, 'it contains no state dict');
  return dictionary;
}

/** Names of a file may be as long as it. */
const shown = (name: string): string => quote(name.slice(0, 120));

function viewOf(
  handle: FileHandle,
  name: string,
  tensor: PickledTensor,
  record: StoredRecord,
  source: string,
): TensorSource {
  const { shape, strides, dtype } = tensor;
  const width = elementBytes[dtype];
  const elements = elementCount(shape);
  const span = elements === 0 ? 0 : shape.reduce((last, length, axis) => last + (length - 1) * (strides[axis] ?? 0), 1);
  // Also rejects views that repeat elements, as their size is not bounded by the file.
  const end = (tensor.offset + span) * width;
  if (!Number.isSafeInteger(end) || !Number.isSafeInteger(elements) || end > record.size || elements > span)
    throw invalid(source, `tensor ${shown(name)} exceeds its storage: it ends at byte ${end} of ${record.size}`);
  const offset = record.offset + tensor.offset * width;
  if (isContiguous(shape, strides)) return fileTensorSource(handle, { name, dtype, shape, offset }, source);
  let gathered: Promise<Uint8Array> | undefined;
  return {
    name,
    dtype,
    shape,
    read: async (start, count) => {
      gathered ??= readExactly(handle, offset, span * width, source).then((bytes) =>
        gather(bytes, shape, strides, width),
      );
      const bytes = await gathered;
      // Reads are sequential, so the values are no longer needed after the end.
      if (start + count >= elements) gathered = undefined;
      return bytes.slice(start * width, (start + count) * width);
    },
  };
}

function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const length = shape[axis] ?? 1;
    if (length !== 1 && strides[axis] !== expected) return false;
    expected *= length;
  }
  return true;
}

/** Gathers the elements of a strided view in row-major order. */
function gather(bytes: Uint8Array, shape: readonly number[], strides: readonly number[], width: number): Uint8Array {
  const elements = elementCount(shape);
  const result = new Uint8Array(elements * width);
  const index = shape.map(() => 0);
  let from = 0;
  for (let element = 0; element < elements; element += 1) {
    for (let byte = 0; byte < width; byte += 1) result[element * width + byte] = bytes[from * width + byte] ?? 0;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const next = (index[axis] ?? 0) + 1;
      from += strides[axis] ?? 0;
      index[axis] = next;
      if (next < (shape[axis] ?? 0)) break;
      from -= next * (strides[axis] ?? 0);
      index[axis] = 0;
    }
  }
  return result;
}
