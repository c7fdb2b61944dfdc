/** Quantizes matrices for onnxruntime's operators: symmetric, rounded to nearest. */
import { toHalf } from '../../src/formats/float-conversion.ts';
import { bytesOf } from './checkpoint-weights.ts';
import { readWeight, type Weight } from './graph.ts';

interface BlockFormat {
  readonly bits: 4 | 8;
  /** Number of inputs that share a scale. */
  readonly block: number;
}

export interface QuantizedMatrix {
  readonly values: Weight;
  readonly scales: Weight;
}

/** Larger blocks are faster but less exact; best measured trade-offs. */
const preferredBlock = { 8: 128, 4: 256 } as const;

/** The largest block size, up to the preferred one, that divides rows of `inputs`. */
export function blockSizeFor(inputs: number, bits: 4 | 8): number {
  let block: number = preferredBlock[bits];
  while (block > 16 && inputs % block !== 0) block /= 2;
  return block;
}

export const halfMatrix = (weight: Weight): Weight => ({
  ...weight,
  type: 'float16',
  async *data() {
    for await (const part of weight.data()) {
      yield bytesOf(toHalf(new Float32Array(part.buffer, part.byteOffset, part.byteLength / 4)));
    }
  },
});

/** Caches a result until both tensors are written, as the operator needs values and scales separately. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  let uses = 0;
  return () => {
    made ??= make();
    const result = made;
    uses += 1;
    if (uses === 2) {
      made = undefined;
      uses = 0;
    }
    return result;
  };
}

const readMatrix = async (matrix: Weight): Promise<Float32Array> => new Float32Array((await readWeight(matrix)).buffer);

/**
 * `MatMulNBits`: `[outputs, blocks, block · bits / 8]` bytes with the zero point at half the range, one scale per
 * block.
 */
export function blockQuantized(matrix: Weight, format: BlockFormat): QuantizedMatrix {
  const { bits, block } = format;
  const [inputs = 1, outputs = 1] = matrix.shape;
  const blocks = Math.ceil(inputs / block);
  const bytes = (block * bits) / 8;
  const quantized = once(async () => {
    const columns = await readMatrix(matrix);
    const values = new Uint8Array(outputs * blocks * bytes);
    const scales = new Float32Array(outputs * blocks);
    const rows = new Float32Array(rowsAtOnce * inputs);
    for (let first = 0; first < outputs; first += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, outputs - first);
      transposeColumns(columns, outputs, first, count, rows);
      for (let index = 0; index < count; index += 1) {
        const from = rows.subarray(index * inputs, (index + 1) * inputs);
        const row = first + index;
        quantizeRow(from, format, values.subarray(row * blocks * bytes), scales.subarray(row * blocks));
      }
    }
    return { values, scales };
  });
  return {
    values: {
      name: matrix.name,
      type: 'uint8',
      shape: [outputs, blocks, bytes],
      async *data() {
        yield (await quantized()).values;
      },
    },
    scales: {
      name: `${matrix.name}.scales`,
      type: 'float32',
      shape: [outputs * blocks],
      async *data() {
        yield bytesOf((await quantized()).scales);
      },
    },
  };
}

/** Columns transposed at once; they fit in the cache. */
const rowsAtOnce = 32;

/** Transposes `count` columns, starting at `first`, of a matrix with `width` columns. */
function transposeColumns(matrix: Float32Array, width: number, first: number, count: number, rows: Float32Array): void {
  const inputs = matrix.length / width;
  for (let input = 0; input < inputs; input += 1) {
    const source = input * width + first;
    for (let index = 0; index < count; index += 1) rows[index * inputs + input] = matrix[source + index] as number;
  }
}

/** The scale of a block maps its largest value to the longer end of the range. */
function quantizeRow(row: Float32Array, { bits, block }: BlockFormat, values: Uint8Array, scales: Float32Array): void {
  const zero = 2 ** (bits - 1);
  const bytes = (block * bits) / 8;
  for (let first = 0, index = 0; first < row.length; first += block, index += 1) {
    const end = Math.min(row.length, first + block);
    let extreme = 0;
    for (let at = first; at < end; at += 1) {
      const value = row[at] as number;
      if (Math.abs(value) > Math.abs(extreme)) extreme = value;
    }
    const scale = extreme / -zero;
    const inverse = scale === 0 ? 0 : 1 / scale;
    scales[index] = scale;
    for (let at = first; at < first + block; at += 1) {
      const level = at < end ? Math.round((row[at] as number) * inverse) + zero : zero;
      const code = Math.min(2 * zero - 1, Math.max(0, level));
      const place = at - first;
      if (bits === 8) values[index * bytes + place] = code;
      else
        values[index * bytes + (place >> 1)] =
          (values[index * bytes + (place >> 1)] as number) | (code << (4 * (place & 1)));
    }
  }
}

/**
 * Steps on each side of zero. With 64, the sum of two products with inputs of 8 bits stays within 16 bits, beyond which
 * x64 processors without VNNI cut it off.
 */
export const columnLevels = 64;

/** `DynamicQuantizeMatMul`: int8 `[inputs, outputs]`, one scale per column. */
export function columnQuantized(matrix: Weight): QuantizedMatrix {
  const [inputs = 1, outputs = 1] = matrix.shape;
  const quantized = once(async () => {
    const from = await readMatrix(matrix);
    const largest = new Float32Array(outputs);
    for (let start = 0; start < from.length; start += outputs) {
      for (let column = 0; column < outputs; column += 1) {
        const size = Math.abs(from[start + column] as number);
        if (size > (largest[column] as number)) largest[column] = size;
      }
    }
    const inverses = Float64Array.from(largest, (value) => (value === 0 ? 0 : columnLevels / value));
    const values = new Int8Array(inputs * outputs);
    for (let start = 0; start < from.length; start += outputs) {
      for (let column = 0; column < outputs; column += 1) {
        values[start + column] = Math.round((from[start + column] as number) * (inverses[column] as number));
      }
    }
    return { values, scales: largest.map((value) => value / columnLevels) };
  });
  return {
    values: {
      name: matrix.name,
      type: 'int8',
      shape: [inputs, outputs],
      async *data() {
        yield bytesOf((await quantized()).values);
      },
    },
    scales: {
      name: `${matrix.name}.scales`,
      type: 'float32',
      shape: [outputs],
      async *data() {
        yield bytesOf((await quantized()).scales);
      },
    },
  };
}
