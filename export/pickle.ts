/**
 * A restricted unpickler for the state dicts that `torch.save` writes: a stack machine over the opcodes of pickle
 * protocols 2 to 4 that such files need. It executes nothing: a global is one of the few that stand for tensors and
 * containers, or the file is refused. It neither recurses nor walks what it built, and each opcode makes at most one
 * value, so time and memory are linear in the bytes given.
 */

import { SvcError } from '../src/errors.ts';
import type { ElementType } from '../src/formats/safetensors.ts';
import { type Refuse, readPickleBytes } from './pickle-bytes.ts';

/** Lists and tuples are arrays. */
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

/** Marks the start of a tuple's or a batch's items on the stack. */
const mark = Symbol('mark');
type StackItem = PickleValue | typeof mark;

/**
 * The value that a pickle stands for.
 * @param source what messages call the file
 * @throws SvcError MODEL_INVALID naming the opcode or global that is refused
 */
export function unpickle(bytes: Uint8Array, source: string): PickleValue {
  const stack: StackItem[] = [];
  const memo = new Map<number, PickleValue>();
  const refuse: Refuse = (expected, received) => {
    throw new SvcError('MODEL_INVALID', `expected ${expected} in the pickle of ${source}, received ${received}`);
  };
  const read = readPickleBytes(bytes, refuse);
  const pop = (): PickleValue => {
    const item = stack.pop();
    return item === undefined || item === mark ? refuse('a value on the stack', 'none') : item;
  };
  const top = (): PickleValue => {
    const item = stack.at(-1);
    return item === undefined || item === mark ? refuse('a value on the stack', 'none') : item;
  };
  const popToMark = (): PickleValue[] => {
    const start = stack.lastIndexOf(mark);
    if (start < 0) return refuse('a mark on the stack', 'none');
    const items = stack.splice(start).slice(1);
    return items.filter((item): item is PickleValue => item !== mark);
  };
  const popTuple = (length: number): void => {
    const items = Array.from({ length }, pop);
    stack.push(items.reverse());
  };
  const append = (items: readonly PickleValue[]): void => {
    const list = top();
    if (!Array.isArray(list)) refuse('a list to append to', kindOf(list));
    for (const item of items) list.push(item);
  };
  const setItems = (items: readonly PickleValue[]): void => {
    const dictionary = top();
    if (!(dictionary instanceof Map)) refuse('a dict to fill', kindOf(dictionary));
    if (items.length % 2 !== 0) refuse('keys with values', 'an odd number of items');
    for (let index = 0; index < items.length; index += 2) {
      const key = items[index];
      if (typeof key !== 'string' && typeof key !== 'number') refuse('string or number keys', kindOf(key));
      dictionary.set(key, items[index + 1] ?? null);
    }
  };
  const memoized = (index: number): PickleValue => {
    const value = memo.get(index);
    return value === undefined ? refuse(`memo entry ${index}`, 'none') : value;
  };
  const global = (module: string, name: string): PickleGlobal =>
    findGlobal(module, name) ??
    refuse('tensors and plain containers', `global ${JSON.stringify(`${module}.${name}`.slice(0, 120))}`);

  // Keys are the opcodes' bytes, in the order of Python's `pickletools`.
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
      if (typeof module !== 'string' || typeof name !== 'string') return refuse('the name of a global', kindOf(name));
      stack.push(global(module, name));
    },
    Q: () => {
      const identifier = pop();
      stack.push(persistentStorage(identifier) ?? refuse('a torch storage as persistent id', kindOf(identifier)));
    },
    R: () => {
      const [values, callee] = [pop(), pop()];
      if (!(callee instanceof PickleGlobal)) return refuse('a known global to call', kindOf(callee));
      if (!Array.isArray(values)) return refuse('a tuple of arguments', kindOf(values));
      stack.push(callGlobal(callee, values) ?? refuse(`valid arguments of ${callee.name}`, 'others'));
    },
    // State of an OrderedDict: the `_metadata` of a state dict, which says nothing about the tensors.
    b: () => {
      pop();
      if (!(top() instanceof Map)) refuse('an OrderedDict to give state to', kindOf(top()));
    },
  };

  for (;;) {
    const opcode = String.fromCharCode(read.u8());
    if (opcode === '.') return pop();
    const run = Object.hasOwn(opcodes, opcode) ? opcodes[opcode] : undefined;
    if (run === undefined)
      refuse('a known opcode', `0x${opcode.charCodeAt(0).toString(16)} at byte ${read.position() - 1}`);
    else run();
  }
}

const kindOf = (value: PickleValue | undefined): string => {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Map) return 'a dict';
  return value instanceof PickleGlobal ? `global ${value.name}` : `a ${typeof value}`;
};

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
