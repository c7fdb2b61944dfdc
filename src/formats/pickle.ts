/**
 * A restricted unpickler for state dicts written by `torch.save`: a stack machine for the required opcodes of pickle
 * protocols 2 to 4. It executes nothing: only globals for tensors and containers are allowed. It does not recurse or
 * traverse built values, and each opcode creates at most one value, so time and memory are linear in the input.
 */

import { SvcError } from '../errors.ts';
import { type Refuse, readPickleBytes } from './pickle-bytes.ts';
import type { ElementType } from './safetensors.ts';

/** Lists and tuples become arrays. */
export type PickleValue =
  | null
  | boolean
  | number
  | string
  | readonly PickleValue[]
  | ReadonlyMap<PickleKey, PickleValue>
  | PickleGlobal
  | PersistentStorage
  | PickledTensor;

export type PickleKey = string | number;

/** Maximum size of a file's pickle; a state dict of a thousand tensors takes 100 KB. */
export const longestPickle = 16 * 1024 * 1024;

/**
 * Most opcodes of a pickle: a tensor takes about 35, so that 28,000 fit; the largest model has 1,000. An opcode of one
 * byte may build an object of 200.
 */
const mostOpcodes = 1_000_000;

/** Characters of the names of a module and of a global in it; the longest of torch's have 60. */
const longestName = 200;

/** Marks the start of the items of a tuple or batch on the stack. */
const mark = Symbol('mark');
type StackItem = PickleValue | typeof mark;

/**
 * Decodes a pickle.
 *
 * @param source name of the file in messages
 * @throws SvcError MODEL_INVALID
 */
export const unpickle = (bytes: Uint8Array, source: string): PickleValue => unpickleFirst(bytes, source).value;

export interface FirstPickle {
  readonly value: PickleValue;
  /** Number of bytes. */
  readonly length: number;
  /** Every storage that it names, by key. */
  readonly storages: ReadonlyMap<string, PersistentStorage>;
}

/** Decodes a pickle that other data may follow. */
export function unpickleFirst(bytes: Uint8Array, source: string): FirstPickle {
  const storages = new Map<string, PersistentStorage>();
  const stack: StackItem[] = [];
  const memo = new Map<number, PickleValue>();
  const refuse: Refuse = (problem) => {
    throw new SvcError('MODEL_INVALID', `${source}: invalid pickle: ${problem}`);
  };
  const read = readPickleBytes(bytes, refuse);
  const pop = (): PickleValue => {
    const item = stack.pop();
    return item === undefined || item === mark ? refuse('the stack has no value') : item;
  };
  const top = (): PickleValue => {
    const item = stack.at(-1);
    return item === undefined || item === mark ? refuse('the stack has no value') : item;
  };
  const popToMark = (): PickleValue[] => {
    const start = stack.lastIndexOf(mark);
    if (start < 0) return refuse('the stack has no mark');
    const items = stack.splice(start).slice(1);
    return items.filter((item): item is PickleValue => item !== mark);
  };
  const popTuple = (length: number): void => {
    const items = Array.from({ length }, pop);
    stack.push(items.reverse());
  };
  const append = (items: readonly PickleValue[]): void => {
    const list = top();
    if (!Array.isArray(list)) refuse(`cannot append to ${kindOf(list)}`);
    for (const item of items) list.push(item);
  };
  const setItems = (items: readonly PickleValue[]): void => {
    const dictionary = top();
    if (!(dictionary instanceof Map)) refuse(`cannot set items of ${kindOf(dictionary)}`);
    if (items.length % 2 !== 0) refuse('a dict has an odd number of keys and values');
    for (let index = 0; index < items.length; index += 2) {
      const key = items[index];
      if (typeof key !== 'string' && typeof key !== 'number')
        refuse(`keys must be strings or numbers, got ${kindOf(key)}`);
      dictionary.set(key, items[index + 1] ?? null);
    }
  };
  const memoized = (index: number): PickleValue => {
    const value = memo.get(index);
    return value === undefined ? refuse(`memo entry ${index} is missing`) : value;
  };
  const global = (module: string, name: string): PickleGlobal =>
    findGlobal(module, name) ??
    refuse(`global ${JSON.stringify(`${module.slice(0, 120)}.${name}`.slice(0, 120))} is not allowed`);

  const call = (): void => {
    const [values, callee] = [pop(), pop()];
    if (!(callee instanceof PickleGlobal)) refuse(`cannot call ${kindOf(callee)}`);
    else if (!Array.isArray(values)) refuse(`arguments must be a tuple, got ${kindOf(values)}`);
    else stack.push(callGlobal(callee, values) ?? refuse(`invalid arguments of ${callee.name}`));
  };

  // Keys are opcode bytes, in the order of Python's `pickletools`.
  const opcodes: Readonly<Record<string, () => void>> = {
    '\x80': () => void read.u8(),
    '\x95': () => void read.u64(),
    '(': () => void stack.push(mark),
    '0': () => void pop(),
    N: () => void stack.push(null),
    '\x88': () => void stack.push(true),
    '\x89': () => void stack.push(false),
    K: () => void stack.push(read.u8()),
    M: () => void stack.push(read.u16()),
    J: () => void stack.push(read.i32()),
    G: () => void stack.push(read.f64()),
    '\x8a': () => void stack.push(read.integer(read.u8())),
    X: () => void stack.push(read.text(read.u32())),
    '\x8c': () => void stack.push(read.text(read.u8())),
    '\x8d': () => void stack.push(read.text(read.u64())),
    U: () => void stack.push(read.text(read.u8())),
    ')': () => void stack.push([]),
    ']': () => void stack.push([]),
    '}': () => void stack.push(new Map()),
    '\x8f': () => void stack.push(unusedSet),
    '\x90': () => void popToMark(),
    t: () => void stack.push(popToMark()),
    l: () => void stack.push(popToMark()),
    '\x85': () => popTuple(1),
    '\x86': () => popTuple(2),
    '\x87': () => popTuple(3),
    a: () => append([pop()]),
    e: () => append(popToMark()),
    s: () => setItems(Array.from({ length: 2 }, pop).reverse()),
    u: () => setItems(popToMark()),
    q: () => void memo.set(read.u8(), top()),
    r: () => void memo.set(read.u32(), top()),
    '\x94': () => void memo.set(memo.size, top()),
    h: () => void stack.push(memoized(read.u8())),
    j: () => void stack.push(memoized(read.u32())),
    c: () => void stack.push(global(read.line(), read.line())),
    '\x93': () => {
      const [name, module] = [pop(), pop()];
      if (typeof module !== 'string' || typeof name !== 'string')
        return refuse(`the name of a global must be a string, got ${kindOf(name)}`);
      stack.push(global(module, name));
    },
    Q: () => {
      const identifier = pop();
      const storage =
        persistentStorage(identifier) ?? refuse(`a persistent id must be a torch storage, got ${kindOf(identifier)}`);
      if (!storages.has(storage.key)) storages.set(storage.key, storage);
      stack.push(storage);
    },
    R: call,
    '\x81': call,
    // The state of an OrderedDict (`_metadata` of a state dict), a parameter or an unused object.
    b: () => {
      pop();
      const object = top();
      if (object instanceof Map || object instanceof PickledTensor || isUnused(object)) return;
      refuse(`cannot set the state of ${kindOf(object)}`);
    },
  };

  for (let count = 0; ; count += 1) {
    if (count === mostOpcodes) refuse(`it has more than ${mostOpcodes} opcodes`);
    const opcode = String.fromCharCode(read.u8());
    if (opcode === '.') return { value: pop(), length: read.position(), storages };
    const run = Object.hasOwn(opcodes, opcode) ? opcodes[opcode] : undefined;
    if (run === undefined)
      refuse(`unknown opcode 0x${opcode.charCodeAt(0).toString(16)} at byte ${read.position() - 1}`);
    else run();
  }
}

const isUnused = (value: PickleValue): boolean => value instanceof PickleGlobal && unused.test(value.name);

/** A value's kind in words. Values may share their items or be nested deeply, so none is shown whole. */
export const kindOf = (value: PickleValue | undefined): string => {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Map) return 'a dict';
  return value instanceof PickleGlobal ? `global ${value.name}` : `a ${typeof value}`;
};

/** An allowed class or function, named by a pickle. */
export class PickleGlobal {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A storage in a separate record. */
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

/** A set. */
const unusedSet = new PickleGlobal('builtins.set');

/**
 * Globals that `torch.load` allows, and no weight needs: a call gives the global itself. Numbers, devices, dtypes, layouts,
 * random states, and tensors that are sparse, nested, quantized or on no device.
 */
const unused = new RegExp(
  [
    '_codecs\\.encode|builtins\\.(bytearray|set|complex)',
    'torch\\.(device|Tensor|serialization\\._get_layout|per_(tensor|channel)_(a|symmetric)\\w*)',
    'torch\\.(complex|bits|float[48]_|q?u?int)[A-Za-z_]*\\d\\w*',
    'torch\\.(cuda\\.)?(sparse\\.)?[A-Z]\\w*Tensor',
    'torch\\._utils\\._rebuild_(qtensor|(sparse|nested|meta)_tensor\\w*|wrapper_subclass|device_tensor_from_\\w+)',
  ]
    .map((names) => `^(${names})$`)
    .join('|'),
);

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
  // Only of quantized tensors, which are not weights.
  'torch.QInt8Storage': 'I8',
  'torch.QUInt8Storage': 'U8',
  'torch.QInt32Storage': 'I32',
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

/** Supported Python functions; they return undefined for invalid arguments. */
const functions: Readonly<Record<string, (values: readonly PickleValue[]) => PickleValue | undefined>> = {
  // Python fills it later, item by item. Pairs as an argument could be one memoized list in thousands of calls.
  'collections.OrderedDict': (values) => (values.length === 0 ? new Map() : undefined),
  'collections.Counter': ([counts]) => (counts instanceof Map ? counts : undefined),
  'torch.Size': ([lengths]) => (Array.isArray(lengths) ? lengths : undefined),
  'torch._utils._rebuild_tensor': ([storage, offset, shape, strides]) => tensor(storage, offset, shape, strides),
  'torch._utils._rebuild_tensor_v2': ([storage, offset, shape, strides]) => tensor(storage, offset, shape, strides),
  'torch._utils._rebuild_tensor_v3': ([storage, offset, shape, strides, , , dtype]) =>
    dtype instanceof PickleGlobal && dtypes[dtype.name]
      ? tensor(storage, offset, shape, strides, dtypes[dtype.name])
      : undefined,
  'torch._utils._rebuild_parameter': ([data]) => parameter(data),
  'torch._utils._rebuild_parameter_with_state': ([data]) => parameter(data),
  'torch.nn.parameter.Parameter': ([data]) => parameter(data),
};

const isKnown = (name: string): boolean =>
  [storageTypes, dtypes, functions].some((table) => Object.hasOwn(table, name)) || unused.test(name);

/** Finds an allowed global by name. */
export function findGlobal(module: string, name: string): PickleGlobal | undefined {
  if (module.length > longestName || name.length > longestName) return undefined;
  // Protocol 2 has the module's name in Python 2. Storages on a GPU are as those in memory.
  const fullName = `${module === '__builtin__' ? 'builtins' : module}.${name}`.replace(
    /^torch\.cuda\.(\w+Storage)$/,
    'torch.$1',
  );
  return isKnown(fullName) ? new PickleGlobal(fullName) : undefined;
}

/** Calls a global; returns undefined if it is not a function or its arguments are invalid. */
export function callGlobal(callee: PickleGlobal, values: readonly PickleValue[]): PickleValue | undefined {
  if (Object.hasOwn(functions, callee.name)) return functions[callee.name]?.(values);
  return unused.test(callee.name) ? callee : undefined;
}

/**
 * Parses the persistent id `('storage', type, key, location, size)`. The format before 1.6 adds a view, which torch has
 * not written since 0.4.
 */
export function persistentStorage(identifier: PickleValue): PersistentStorage | undefined {
  if (!Array.isArray(identifier)) return undefined;
  const [kind, type, key, , , view = null] = identifier as readonly PickleValue[];
  if (kind !== 'storage' || view !== null || !(type instanceof PickleGlobal) || typeof key !== 'string')
    return undefined;
  const dtype = Object.hasOwn(storageTypes, type.name) ? storageTypes[type.name] : undefined;
  return dtype && new PersistentStorage(dtype, key);
}

const parameter = (data: PickleValue | undefined): PickledTensor | undefined =>
  data instanceof PickledTensor ? data : undefined;

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
