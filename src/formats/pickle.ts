/**
 * A restricted unpickler for state dicts written by `torch.save`: a stack machine for the required opcodes of pickle
 * protocols 2 to 4. It executes nothing: only globals for tensors and containers are allowed. It does not recurse or
 * traverse built values, and each opcode creates at most one value, so time and memory are linear in the input.
 */
import { SvcError } from '../errors.ts';
import { meaningOf } from '../word-lists.ts';
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

type PickleKey = string | number;

/** Maximum size of a file's pickle; a state dict of a thousand tensors takes 100 KB. */
export const longestPickle = 16 * 1024 * 1024;

/** Most opcodes: a tensor takes about 35, the largest model has 1,000; one of a byte may build an object of 200. */
const mostOpcodes = 1_000_000;

/** Characters of the names of a module and of a global in it; the longest of torch's have 60. */
const longestName = 200;

/** Marks the start of the items of a tuple or batch on the stack. */
const mark = Symbol('mark');
type StackItem = PickleValue | typeof mark;

/** Decodes a pickle. @throws SvcError MODEL_INVALID, naming the source */
export const unpickle = (bytes: Uint8Array, source: string): PickleValue => unpickleFirst(bytes, source).value;

interface FirstPickle {
  readonly value: PickleValue;
  /** Number of bytes. */
  readonly length: number;
  /** Every storage that it names, by key. */
  readonly storages: ReadonlyMap<string, PersistentStorage>;
}

/** Decodes a pickle that other data may follow. */
export function unpickleFirst(bytes: Uint8Array, source: string): FirstPickle {
  const machine = new PickleMachine(bytes, source);
  const { read, refuse } = machine;
  for (let count = 0; ; count += 1) {
    if (count === mostOpcodes) refuse(`it has more than ${mostOpcodes} opcodes`);
    const opcode = String.fromCharCode(read.u8());
    if (opcode === '.') return { value: machine.pop(), length: read.position(), storages: machine.storages };
    const run = Object.hasOwn(opcodes, opcode) ? opcodes[opcode] : undefined;
    if (run === undefined)
      refuse(`unknown opcode 0x${opcode.charCodeAt(0).toString(16)} at byte ${read.position() - 1}`);
    else run(machine);
  }
}

/** Throws an error about the file. */
type Refuse = (problem: string) => never;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Creates a reader of the operands of opcodes that calls `refuse` at the end of the bytes. */
function readPickleBytes(bytes: Uint8Array, refuse: Refuse) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;

  const advance = (length: number): number => {
    const start = position;
    if (length > bytes.length - start) refuse('it is truncated');
    position += length;
    return start;
  };
  /** UTF-8 text of `length` bytes. */
  const text = (length: number): string => {
    const start = advance(length);
    try {
      return utf8.decode(bytes.subarray(start, start + length));
    } catch {
      return refuse('a string is not valid UTF-8');
    }
  };
  return {
    u8: () => view.getUint8(advance(1)),
    u16: () => view.getUint16(advance(2), true),
    u32: () => view.getUint32(advance(4), true),
    /** Exact below 2^53. */
    u64: () => Number(view.getBigUint64(advance(8), true)),
    i32: () => view.getInt32(advance(4), true),
    f64: () => view.getFloat64(advance(8), false),
    /** A signed integer of up to 8 bytes. */
    integer(length: number): number {
      if (length > 8) refuse(`an integer has ${length} bytes, more than 8`);
      const start = advance(length);
      let value = 0n;
      for (let index = 0; index < length; index += 1) value |= BigInt(bytes[start + index] ?? 0) << BigInt(8 * index);
      const number = Number(BigInt.asIntN(8 * length, value));
      return Number.isSafeInteger(number) ? number : refuse(`the integer ${number} is not below 2^53`);
    },
    text,
    /** Text up to the end of the line. */
    line(): string {
      const end = bytes.indexOf(10, position);
      if (end < 0) return refuse('it is truncated');
      const found = text(end - position);
      position += 1;
      return found;
    },
    /** Position of the next byte. */
    position: () => position,
  };
}

/** The stack and the memo of a pickle that is being read. */
class PickleMachine {
  readonly storages = new Map<string, PersistentStorage>();
  readonly stack: StackItem[] = [];
  readonly memo = new Map<number, PickleValue>();
  readonly refuse: Refuse;
  readonly read: ReturnType<typeof readPickleBytes>;

  constructor(bytes: Uint8Array, source: string) {
    this.refuse = (problem) => {
      throw new SvcError('MODEL_INVALID', `${source}: invalid pickle: ${problem}`);
    };
    this.read = readPickleBytes(bytes, this.refuse);
  }

  push(value: StackItem): void {
    this.stack.push(value);
  }

  pop(): PickleValue {
    const value = this.top();
    this.stack.pop();
    return value;
  }

  top(): PickleValue {
    const item = this.stack.at(-1);
    return item === undefined || item === mark ? this.refuse('the stack has no value') : item;
  }

  popToMark(): PickleValue[] {
    const start = this.stack.lastIndexOf(mark);
    if (start < 0) return this.refuse('the stack has no mark');
    const items = this.stack.splice(start).slice(1);
    return items.filter((item): item is PickleValue => item !== mark);
  }

  popTuple(length: number): PickleValue[] {
    return Array.from({ length }, () => this.pop()).reverse();
  }

  append(items: readonly PickleValue[]): void {
    const list = this.top();
    if (!Array.isArray(list)) this.refuse(`cannot append to ${kindOf(list)}`);
    for (const item of items) list.push(item);
  }

  setItems(items: readonly PickleValue[]): void {
    const dictionary = this.top();
    if (!(dictionary instanceof Map)) this.refuse(`cannot set items of ${kindOf(dictionary)}`);
    if (items.length % 2 !== 0) this.refuse('a dict has an odd number of keys and values');
    for (let index = 0; index < items.length; index += 2) {
      const key = items[index];
      if (typeof key !== 'string' && typeof key !== 'number')
        this.refuse(`keys must be strings or numbers, got ${kindOf(key)}`);
      dictionary.set(key, items[index + 1] ?? null);
    }
  }

  memoized(index: number): PickleValue {
    const value = this.memo.get(index);
    return value === undefined ? this.refuse(`memo entry ${index} is missing`) : value;
  }

  pushGlobal(module: PickleValue, name: PickleValue): void {
    if (typeof module !== 'string' || typeof name !== 'string')
      this.refuse(`the name of a global must be a string, got ${kindOf(name)}`);
    const shown = JSON.stringify(`${module.slice(0, 120)}.${name}`.slice(0, 120));
    this.push(findGlobal(module, name) ?? this.refuse(`global ${shown} is not allowed`));
  }

  pushStorage(identifier: PickleValue): void {
    const storage =
      persistentStorage(identifier) ??
      this.refuse(`a persistent id must be a torch storage, got ${kindOf(identifier)}`);
    if (!this.storages.has(storage.key)) this.storages.set(storage.key, storage);
    this.push(storage);
  }

  call(): void {
    const [values, callee] = [this.pop(), this.pop()];
    if (!(callee instanceof PickleGlobal)) this.refuse(`cannot call ${kindOf(callee)}`);
    else if (!Array.isArray(values)) this.refuse(`arguments must be a tuple, got ${kindOf(values)}`);
    else this.push(callGlobal(callee, values) ?? this.refuse(`invalid arguments of ${callee.name}`));
  }

  /** Sets the state of an OrderedDict (`_metadata` of a state dict), a parameter or an unused object. */
  setState(): void {
    this.pop();
    const object = this.top();
    if (object instanceof Map || object instanceof PickledTensor || isUnused(object)) return;
    this.refuse(`cannot set the state of ${kindOf(object)}`);
  }
}

/** Effect of each opcode by its byte, in the order of Python's `pickletools`. */
const opcodes: Readonly<Record<string, (machine: PickleMachine) => void>> = {
  '\x80': ({ read }) => void read.u8(),
  '\x95': ({ read }) => void read.u64(),
  '(': (machine) => machine.push(mark),
  '0': (machine) => void machine.pop(),
  N: (machine) => machine.push(null),
  '\x88': (machine) => machine.push(true),
  '\x89': (machine) => machine.push(false),
  K: (machine) => machine.push(machine.read.u8()),
  M: (machine) => machine.push(machine.read.u16()),
  J: (machine) => machine.push(machine.read.i32()),
  G: (machine) => machine.push(machine.read.f64()),
  '\x8a': (machine) => machine.push(machine.read.integer(machine.read.u8())),
  X: (machine) => machine.push(machine.read.text(machine.read.u32())),
  '\x8c': (machine) => machine.push(machine.read.text(machine.read.u8())),
  '\x8d': (machine) => machine.push(machine.read.text(machine.read.u64())),
  U: (machine) => machine.push(machine.read.text(machine.read.u8())),
  ')': (machine) => machine.push([]),
  ']': (machine) => machine.push([]),
  '}': (machine) => machine.push(new Map()),
  '\x8f': (machine) => machine.push(unusedSet),
  '\x90': (machine) => void machine.popToMark(),
  t: (machine) => machine.push(machine.popToMark()),
  l: (machine) => machine.push(machine.popToMark()),
  '\x85': (machine) => machine.push(machine.popTuple(1)),
  '\x86': (machine) => machine.push(machine.popTuple(2)),
  '\x87': (machine) => machine.push(machine.popTuple(3)),
  a: (machine) => machine.append([machine.pop()]),
  e: (machine) => machine.append(machine.popToMark()),
  s: (machine) => machine.setItems(machine.popTuple(2)),
  u: (machine) => machine.setItems(machine.popToMark()),
  q: (machine) => void machine.memo.set(machine.read.u8(), machine.top()),
  r: (machine) => void machine.memo.set(machine.read.u32(), machine.top()),
  '\x94': (machine) => void machine.memo.set(machine.memo.size, machine.top()),
  h: (machine) => machine.push(machine.memoized(machine.read.u8())),
  j: (machine) => machine.push(machine.memoized(machine.read.u32())),
  c: (machine) => machine.pushGlobal(machine.read.line(), machine.read.line()),
  '\x93': (machine) => {
    const [name, module] = [machine.pop(), machine.pop()];
    machine.pushGlobal(module, name);
  },
  Q: (machine) => machine.pushStorage(machine.pop()),
  R: (machine) => machine.call(),
  '\x81': (machine) => machine.call(),
  b: (machine) => machine.setState(),
};

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
  constructor({ storage, dtype, offset, shape, strides }: PickledTensor) {
    this.storage = storage;
    this.dtype = dtype;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

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

const storageTypes = meaningOf({
  F64: 'torch.DoubleStorage',
  F32: 'torch.FloatStorage',
  F16: 'torch.HalfStorage',
  BF16: 'torch.BFloat16Storage',
  I64: 'torch.LongStorage',
  // Those whose names begin with Q are of quantized tensors alone, which are not weights.
  I32: 'torch.IntStorage torch.QInt32Storage',
  I16: 'torch.ShortStorage',
  I8: 'torch.CharStorage torch.QInt8Storage',
  U8: 'torch.ByteStorage torch.QUInt8Storage torch.UntypedStorage torch.storage.UntypedStorage',
  BOOL: 'torch.BoolStorage',
} satisfies Partial<Record<ElementType, string>>);

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
  'torch._utils._rebuild_tensor': (values) => tensor(values),
  'torch._utils._rebuild_tensor_v2': (values) => tensor(values),
  'torch._utils._rebuild_tensor_v3': (values) => {
    const dtype = values[6] instanceof PickleGlobal ? dtypes[values[6].name] : undefined;
    return dtype && tensor(values, dtype);
  },
  'torch._utils._rebuild_parameter': ([data]) => parameter(data),
  'torch._utils._rebuild_parameter_with_state': ([data]) => parameter(data),
  'torch.nn.parameter.Parameter': ([data]) => parameter(data),
};

const isKnown = (name: string): boolean =>
  storageTypes.has(name) || Object.hasOwn(dtypes, name) || Object.hasOwn(functions, name) || unused.test(name);

/** Finds an allowed global by name. */
function findGlobal(module: string, name: string): PickleGlobal | undefined {
  if (module.length > longestName || name.length > longestName) return undefined;
  // Protocol 2 has the module's name in Python 2. Storages on a GPU are as those in memory.
  const fullName = `${module === '__builtin__' ? 'builtins' : module}.${name}`.replace(
    /^torch\.cuda\.(\w+Storage)$/,
    'torch.$1',
  );
  return isKnown(fullName) ? new PickleGlobal(fullName) : undefined;
}

/** Calls a global; returns undefined if it is not a function or its arguments are invalid. */
function callGlobal(callee: PickleGlobal, values: readonly PickleValue[]): PickleValue | undefined {
  if (Object.hasOwn(functions, callee.name)) return functions[callee.name]?.(values);
  return unused.test(callee.name) ? callee : undefined;
}

/**
 * Parses the persistent id `('storage', type, key, location, size)`. The format before 1.6 adds a view, which torch has
 * not written since 0.4.
 */
function persistentStorage(identifier: PickleValue): PersistentStorage | undefined {
  if (!Array.isArray(identifier)) return undefined;
  const [kind, type, key, , , view = null] = identifier as readonly PickleValue[];
  if (kind !== 'storage' || view !== null || !(type instanceof PickleGlobal) || typeof key !== 'string')
    return undefined;
  const dtype = storageTypes.get(type.name);
  return dtype && new PersistentStorage(dtype, key);
}

const parameter = (data: PickleValue | undefined): PickledTensor | undefined =>
  data instanceof PickledTensor ? data : undefined;

const areSizes = (value: PickleValue | undefined): value is readonly number[] =>
  Array.isArray(value) && value.length <= 16 && value.every((item) => Number.isSafeInteger(item) && item >= 0);

function tensor(values: readonly PickleValue[], dtype?: ElementType): PickledTensor | undefined {
  const [storage, offset, shape, strides] = values;
  if (!(storage instanceof PersistentStorage) || !areSizes(shape) || !areSizes(strides)) return undefined;
  if (!areSizes([offset ?? null]) || typeof offset !== 'number' || shape.length !== strides.length) return undefined;
  return new PickledTensor({ storage, dtype: dtype ?? storage.dtype, offset, shape, strides });
}
