/** Matrices in fewer bits, in the layouts of onnxruntime's operators. Symmetric, rounded to nearest. */
import { toHalf } from '../float-conversion.ts';
import { bytesOf, type CheckpointWeights } from './checkpoint-weights.ts';
import type { Weight } from './weight.ts';

interface MatrixSize {
  readonly inputs: number;
  readonly outputs: number;
}

interface BlockFormat extends MatrixSize {
  readonly bits: 4 | 8;
  /** Inputs that share a scale. */
  readonly block: number;
}

export interface QuantizedMatrix {
  readonly values: Weight;
  readonly scales: Weight;
}

/** Larger blocks are faster and less exact; measured best trades. */
const preferredBlock = { 8: 128, 4: 256 } as const;

/** The largest block up to the preferred one that rows of `inputs` fill. */
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

/** Made at once, kept until both tensors are written: the operator wants values and scales apart. */
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

/** `MatMulNBits`: `[outputs, blocks, block · bits / 8]` bytes around a zero point of half the range, a scale a block. */
export function blockQuantized(
  weights: CheckpointWeights,
  name: string,
  matrices: readonly string[],
  format: BlockFormat,
): QuantizedMatrix {
  const { inputs, outputs, bits, block } = format;
  const blocks = Math.ceil(inputs / block);
  const bytes = (block * bits) / 8;
  const quantized = once(async () => {
    const values = new Uint8Array(outputs * blocks * bytes);
    const scales = new Float32Array(outputs * blocks);
    let row = 0;
    for await (const part of weights.rows(matrices)) {
      for (let index = 0; index < part.rows; index += 1, row += 1) {
        const from = part.values.subarray(index * inputs, (index + 1) * inputs);
        quantizeRow(from, format, values.subarray(row * blocks * bytes), scales.subarray(row * blocks));
      }
    }
    return { values, scales };
  });
  return {
    values: {
      name,
      type: 'uint8',
      shape: [outputs, blocks, bytes],
      async *data() {
        yield (await quantized()).values;
      },
    },
    scales: {
      name: `${name}.scales`,
      type: 'float32',
      shape: [outputs * blocks],
      async *data() {
        yield bytesOf((await quantized()).scales);
      },
    },
  };
}

/** Each block takes the scale that puts its largest value at the end of the range, with the sign that reaches further. */
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

/** `DynamicQuantizeMatMul`: int8 `[inputs, outputs]`, a scale a column. */
export function columnQuantized(
  weights: CheckpointWeights,
  name: string,
  matrices: readonly string[],
  { inputs, outputs }: MatrixSize,
): QuantizedMatrix {
  const quantized = once(async () => {
    const values = new Int8Array(inputs * outputs);
    const scales = new Float32Array(outputs);
    let column = 0;
    for await (const part of weights.rows(matrices)) {
      for (let index = 0; index < part.rows; index += 1, column += 1) {
        const first = index * inputs;
        let largest = 0;
        for (let at = first; at < first + inputs; at += 1)
          largest = Math.max(largest, Math.abs(part.values[at] as number));
        const inverse = largest === 0 ? 0 : 127 / largest;
        scales[column] = largest / 127;
        for (let input = 0; input < inputs; input += 1) {
          values[input * outputs + column] = Math.round((part.values[first + input] as number) * inverse);
        }
      }
    }
    return { values, scales };
  });
  return {
    values: {
      name,
      type: 'int8',
      shape: [inputs, outputs],
      async *data() {
        yield bytesOf((await quantized()).values);
      },
    },
    scales: {
      name: `${name}.scales`,
      type: 'float32',
      shape: [outputs],
      async *data() {
        yield bytesOf((await quantized()).scales);
      },
    },
  };
}
