/**
 * Reads the container of `torch.save` before torch 1.6 (`_legacy_save` of `torch/serialization.py`): five pickles (a
 * magic number, the version, the system, the object, the keys of its storages), then each storage as a 64-bit count
 * and its elements.
 */
import type { FileHandle } from 'node:fs/promises';
import { SvcError } from '../errors.ts';
import { kindOf, longestPickle, type PickleValue, unpickleFirst } from './pickle.ts';
import { elementBytes } from './safetensors.ts';
import { readExactly } from './tensor-source.ts';
import type { StoredRecord } from './zip.ts';

/** A pickle and where its storages are. */
export interface TorchFile {
  readonly root: PickleValue;
  /** Records by key. */
  readonly storages: ReadonlyMap<string, StoredRecord>;
}

/** The pickle of the magic number; its second byte is the protocol. */
export const legacyStart = Buffer.from('80028a0a6cfc9c46f9206aa850192e', 'hex');
const protocolAt = 1;

/** Whether a file starts like one of torch before 1.6. */
export const isLegacy = (head: Uint8Array): boolean =>
  legacyStart.every((byte, index) => index === protocolAt || head[index] === byte);

const supportedVersion = 1001;

/** @throws SvcError MODEL_INVALID */
export async function readLegacyFile(handle: FileHandle, source: string): Promise<TorchFile> {
  const invalid = (problem: string): SvcError => new SvcError('MODEL_INVALID', `${source}: ${problem}`);
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
    throw invalid(`unsupported version of torch.save: ${typeof version === 'number' ? version : kindOf(version)}`);
  const system = next().value;
  if (!(system instanceof Map) || system.get('little_endian') !== true) throw invalid('tensors must be little-endian');
  const { value: root, storages } = next();
  const keys = next().value;
  if (!Array.isArray(keys)) throw invalid('the list of storages is missing');
  const records = new Map<string, StoredRecord>();
  for (const key of keys) {
    const storage = typeof key === 'string' ? storages.get(key) : undefined;
    if (storage === undefined || records.has(storage.key))
      throw invalid('the list of storages does not fit the object');
    const head = await readExactly(handle, position, 8, source);
    const elements = new DataView(head.buffer).getBigUint64(0, true);
    const bytes = elements * BigInt(elementBytes[storage.dtype]);
    const offset = position + 8;
    if (bytes > BigInt(size - offset))
      throw invalid(`the file is truncated: a storage ends at byte ${bytes + BigInt(offset)} of ${size}`);
    records.set(storage.key, { offset, size: Number(bytes) });
    position = offset + Number(bytes);
  }
  return { root, storages: records };
}
