/** What the globals and persistent ids of a torch state dict stand for: tensors over storages, and plain containers. */
import type { ElementType } from '../src/formats/safetensors.ts';
import type { PickleValue } from './pickle.ts';

/** Class or function named by a pickle; only ever one of `globals`. */
export class PickleGlobal {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A storage that lies in a record of its own. */
export class PersistentStorage {
  readonly dtype: ElementType;
  readonly key: string;
  constructor(dtype: ElementType, key: string) {
    this.dtype = dtype;
    this.key = key;
  }
}

/** A view into a storage; offset and strides in elements of `dtype`. */
export class PickledTensor {
  readonly storage: PersistentStorage;
  readonly dtype: ElementType;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  constructor(
    storage: PersistentStorage,
    dtype: ElementType,
    offset: number,
    shape: readonly number[],
    strides: readonly number[],
  ) {
    this.storage = storage;
    this.dtype = dtype;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

const storageTypes: Readonly<Record<string, ElementType>> = {
  'torch.DoubleStorage': 'F64',
  'torch.FloatStorage': 'F32',
  'torch.HalfStorage': 'F16',
  'torch.BFloat16Storage': 'BF16',
  'torch.LongStorage': 'I64',
  'torch.IntStorage': 'I32',
  'torch.ShortStorage': 'I16',
  'torch.CharStorage': 'I8',
  'torch.ByteStorage': 'U8',
  'torch.BoolStorage': 'BOOL',
  'torch.UntypedStorage': 'U8',
  'torch.storage.UntypedStorage': 'U8',
};

const dtypes: Readonly<Record<string, ElementType>> = {
  'torch.float64': 'F64',
  'torch.float32': 'F32',
  'torch.float16': 'F16',
  'torch.bfloat16': 'BF16',
  'torch.int64': 'I64',
  'torch.int32': 'I32',
  'torch.int16': 'I16',
  'torch.int8': 'I8',
  'torch.uint8': 'U8',
  'torch.bool': 'BOOL',
};

/** Python calls that are understood; undefined for arguments that they would refuse. */
const functions: Readonly<Record<string, (values: readonly PickleValue[]) => PickleValue | undefined>> = {
  // Python fills it afterwards, item by item. Pairs as an argument could be one memoised list in thousands of calls.
  'collections.OrderedDict': (values) => (values.length === 0 ? new Map() : undefined),
  'torch.Size': ([lengths]) => (Array.isArray(lengths) ? lengths : undefined),
  'torch._utils._rebuild_tensor_v2': ([storage, offset, shape, strides]) => tensor(storage, offset, shape, strides),
  'torch._utils._rebuild_tensor_v3': ([storage, offset, shape, strides, , , dtype]) =>
    dtype instanceof PickleGlobal && dtypes[dtype.name]
      ? tensor(storage, offset, shape, strides, dtypes[dtype.name])
      : undefined,
  'torch._utils._rebuild_parameter': ([data]) => (data instanceof PickledTensor ? data : undefined),
};

const isKnown = (name: string): boolean =>
  [storageTypes, dtypes, functions].some((table) => Object.hasOwn(table, name));

/** The global of that name, if it is one that a state dict needs. */
export function findGlobal(module: string, name: string): PickleGlobal | undefined {
  const fullName = `${module}.${name}`;
  return isKnown(fullName) ? new PickleGlobal(fullName) : undefined;
}

/** The result of a call, or undefined when the global is no function or its arguments are wrong. */
export function callGlobal(callee: PickleGlobal, values: readonly PickleValue[]): PickleValue | undefined {
  return Object.hasOwn(functions, callee.name) ? functions[callee.name]?.(values) : undefined;
}

/** The persistent id `('storage', type, key, location, size)`. */
export function persistentStorage(identifier: PickleValue): PersistentStorage | undefined {
  if (!Array.isArray(identifier)) return undefined;
  const [kind, type, key] = identifier as readonly PickleValue[];
  if (kind !== 'storage' || !(type instanceof PickleGlobal) || typeof key !== 'string') return undefined;
  const dtype = Object.hasOwn(storageTypes, type.name) ? storageTypes[type.name] : undefined;
  return dtype && new PersistentStorage(dtype, key);
}

const areSizes = (value: PickleValue | undefined): value is readonly number[] =>
  Array.isArray(value) && value.length <= 16 && value.every((item) => Number.isSafeInteger(item) && item >= 0);

function tensor(
  storage: PickleValue | undefined,
  offset: PickleValue | undefined,
  shape: PickleValue | undefined,
  strides: PickleValue | undefined,
  dtype?: ElementType,
): PickledTensor | undefined {
  if (!(storage instanceof PersistentStorage) || !areSizes(shape) || !areSizes(strides)) return undefined;
  if (!areSizes([offset ?? null]) || typeof offset !== 'number' || shape.length !== strides.length) return undefined;
  return new PickledTensor(storage, dtype ?? storage.dtype, offset, shape, strides);
}
