/**
 * The caches of sessions that step together, in the layout of the graph: one array per layer with a row per session. A
 * step writes its new positions in place; caches are copied only when the set of sessions or the bucket changes.
 */

export interface KvShape {
  readonly layers: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface KvLayer {
  /** `[batch, kvHeads, headDim, capacity]`. */
  readonly keys: Float32Array;
  /** `[batch, kvHeads, capacity, headDim]`. */
  readonly values: Float32Array;
}

/** A session's row in a block. */
export interface KvRow {
  readonly block: KvBlock;
  readonly row: number;
  /** Positions in use. */
  readonly length: number;
}

/** Capacities are multiples of this. */
const bucket = 128;

export const bucketFor = (positions: number): number => Math.max(1, Math.ceil(positions / bucket)) * bucket;

export class KvBlock {
  readonly shape: KvShape;
  readonly batch: number;
  readonly capacity: number;
  readonly layers: readonly KvLayer[];

  constructor(shape: KvShape, batch: number, capacity: number) {
    const elements = batch * shape.kvHeads * shape.headDim * capacity;
    this.shape = shape;
    this.batch = batch;
    this.capacity = capacity;
    this.layers = Array.from({ length: shape.layers }, () => ({
      keys: new Float32Array(elements),
      values: new Float32Array(elements),
    }));
  }

  /** Creates a block with a copy of each row, in order. */
  static gather(shape: KvShape, rows: readonly KvRow[], capacity: number): KvBlock {
    const block = new KvBlock(shape, rows.length, capacity);
    for (const [target, { block: from, row, length }] of rows.entries()) block.#copyRow(target, from, row, length);
    return block;
  }

  #copyRow(target: number, from: KvBlock, row: number, length: number): void {
    const { kvHeads, headDim } = this.shape;
    for (const [index, { keys, values }] of this.layers.entries()) {
      const source = from.layers[index] as KvLayer;
      for (let line = 0; line < kvHeads * headDim; line += 1) {
        const start = (row * kvHeads * headDim + line) * from.capacity;
        keys.set(source.keys.subarray(start, start + length), (target * kvHeads * headDim + line) * this.capacity);
      }
      for (let head = 0; head < kvHeads; head += 1) {
        const start = (row * kvHeads + head) * from.capacity * headDim;
        const end = start + length * headDim;
        values.set(source.values.subarray(start, end), (target * kvHeads + head) * this.capacity * headDim);
      }
    }
  }

  /**
   * Writes `count` new positions of every row, beginning at each row's `start`.
   *
   * @param newKeys `[batch, layers · kvHeads, headDim, count]`
   * @param newValues `[batch, layers · kvHeads, count, headDim]`
   */
  write(newKeys: Float32Array, newValues: Float32Array, starts: readonly number[], count: number): void {
    const { kvHeads, headDim } = this.shape;
    const part = headDim * count;
    for (const [row, start] of starts.entries()) {
      for (const [index, { keys, values }] of this.layers.entries()) {
        for (let head = 0; head < kvHeads; head += 1) {
          const from = ((row * this.shape.layers + index) * kvHeads + head) * part;
          const to = (row * kvHeads + head) * headDim * this.capacity;
          values.set(newValues.subarray(from, from + part), to + start * headDim);
          for (let line = 0; line < headDim; line += 1) {
            const source = from + line * count;
            const target = to + line * this.capacity + start;
            if (count === 1) keys[target] = newKeys[source] as number;
            else keys.set(newKeys.subarray(source, source + count), target);
          }
        }
      }
    }
  }
}
