/** Builds graphs of values, nodes, constants and weights. */

/** Element types used by the exporter, with their number in `TensorProto.DataType`. */
export const elementTypes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
} as const;

export type ElementType = keyof typeof elementTypes;

/** A length, or the name of a variable length. */
export type Dimension = number | string;

/** An input or output of a node. Its name may change until the graph is written. */
export interface Value {
  name: string;
}

/** An integer, float, string, list of integers, or body of a control flow operator. */
export type Attribute = number | { readonly float: number } | string | readonly number[] | GraphBuilder;

export interface Node {
  readonly operator: string;
  readonly domain: string;
  /** Omitted inputs are undefined. */
  readonly inputs: readonly (Value | undefined)[];
  readonly outputs: readonly Value[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface TypedValue {
  readonly value: Value;
  readonly type: ElementType;
  readonly shape: readonly Dimension[];
}

/** A small tensor stored in the graph itself. */
export interface Constant {
  readonly value: Value;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * State shared by a graph and its nested bodies: names are unique across them, weights belong to the outermost graph.
 */
interface Shared {
  count: number;
  readonly constants: Map<string, Constant>;
  readonly weights: Map<string, { readonly value: Value; readonly weight: Weight }>;
  readonly named: Set<string>;
}

/**
 * Builds a graph; methods return the output value of the new node.
 *
 * @example
 * const graph = new GraphBuilder('double');
 * const x = graph.input('x', 'float32', ['length']);
 * graph.output('y', graph.op('Add', [x, x]), 'float32', ['length']);
 */
export class GraphBuilder {
  readonly name: string;
  /** Shown to readers of the file. */
  description = '';
  readonly nodes: Node[] = [];
  readonly inputs: TypedValue[] = [];
  readonly outputs: TypedValue[] = [];
  readonly #shared: Shared;

  constructor(name: string, outer?: GraphBuilder) {
    this.name = name;
    this.#shared = outer
      ? outer.#shared
      : { count: 0, constants: new Map(), weights: new Map(), named: new Set<string>() };
  }

  get constants(): readonly Constant[] {
    return [...this.#shared.constants.values()];
  }

  get weights(): readonly { readonly value: Value; readonly weight: Weight }[] {
    return [...this.#shared.weights.values()];
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): Value {
    const value = this.#claim(name);
    this.inputs.push({ value, type, shape });
    return value;
  }

  /** Declares an output; the value takes its name. */
  output(name: string, value: Value, type: ElementType, shape: readonly Dimension[]): void {
    this.outputs.push({ value: this.label(value, name), type, shape });
  }

  /** Gives a value a stable name for readers of the file. */
  label(value: Value, name: string): Value {
    if (this.#shared.named.has(value.name))
      throw new Error(`${value.name} already has a name, cannot rename it to ${name}`);
    value.name = this.#claim(name).name;
    return value;
  }

  /** Adds a node with one output. */
  op(
    operator: string,
    inputs: readonly (Value | undefined)[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = '',
  ): Value {
    const [value] = this.ops(operator, inputs, 1, attributes, domain);
    return value as Value;
  }

  /** Adds a node with several outputs. */
  ops(
    operator: string,
    inputs: readonly (Value | undefined)[],
    outputs: number,
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = '',
  ): Value[] {
    const values = Array.from({ length: outputs }, () => this.#fresh(operator));
    this.nodes.push({ operator, domain, inputs, outputs: values, attributes });
    return values;
  }

  /** Declares an input of a body, such as a loop counter. */
  bodyInput(label: string, type: ElementType, shape: readonly Dimension[]): Value {
    const value = this.#fresh(label);
    this.inputs.push({ value, type, shape });
    return value;
  }

  /** Declares an output of a body. */
  bodyOutput(value: Value, type: ElementType, shape: readonly Dimension[]): void {
    this.outputs.push({ value, type, shape });
  }

  integers(values: readonly number[]): Value {
    return this.#constant('int64', [values.length], BigInt64Array.from(values, BigInt));
  }

  integer(value: number): Value {
    return this.#constant('int64', [], BigInt64Array.of(BigInt(value)));
  }

  floats(values: ArrayLike<number>, shape: readonly number[] = [values.length]): Value {
    return this.#constant('float32', shape, Float32Array.from(values));
  }

  float(value: number): Value {
    return this.floats([value], []);
  }

  boolean(value: 'true' | 'false'): Value {
    return this.#constant('bool', [], Uint8Array.of(value === 'true' ? 1 : 0));
  }

  /** Adds a tensor of the weight file; repeated calls store it once. */
  weight(weight: Weight): Value {
    const known = this.#shared.weights.get(weight.name);
    if (known) return known.value;
    const value = this.#claim(weight.name);
    this.#shared.weights.set(weight.name, { value, weight });
    return value;
  }

  #fresh(label: string): Value {
    this.#shared.count += 1;
    return { name: `${label.toLowerCase()}_${this.#shared.count}` };
  }

  #claim(name: string): Value {
    if (this.#shared.named.has(name)) throw new Error(`a value of ${this.name} is already named ${name}`);
    this.#shared.named.add(name);
    return { name };
  }

  #constant(
    type: ElementType,
    shape: readonly number[],
    data: BigInt64Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
  ): Value {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const key = `${type} [${shape}] ${Buffer.from(bytes).toString('base64')}`;
    const known = this.#shared.constants.get(key);
    if (known) return known.value;
    const value = this.#fresh('constant');
    this.#shared.constants.set(key, { value, type, shape, bytes });
    return value;
  }
}

/** A tensor of the weight file, computed while writing. */
export interface Weight {
  /** Unique in the graph. */
  readonly name: string;
  readonly type: ElementType;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
  /** The bytes of the tensor in order, in parts of any size. */
  data(): AsyncIterable<Uint8Array>;
}

const elementBytes: Readonly<Record<ElementType, number>> = {
  float32: 4,
  uint8: 1,
  int8: 1,
  int32: 4,
  int64: 8,
  bool: 1,
  float16: 2,
};

export const weightBytes = ({ type, shape }: Pick<Weight, 'type' | 'shape'>): number =>
  shape.reduce((product, length) => product * length, elementBytes[type]);

/** Reads all bytes of a weight to a new buffer. */
export async function readWeight(weight: Weight): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(weightBytes(weight));
  let offset = 0;
  for await (const part of weight.data()) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
