/** Dequantizes ggml's block types independently of the native addon. */

import { typeTraits, type WeightType } from '../../export/gguf/tensor-types.ts';
import { fromBfloat16, fromHalf, toBfloat16, toHalf } from '../../src/formats/float-conversion.ts';

/** Writes the values of the block in `view`. */
type Block = (view: DataView, out: Float32Array) => void;

/** Decodes a half-precision number. */
const half = (view: DataView, at: number): number => fromHalf(Uint16Array.of(view.getUint16(at, true)))[0] as number;

/** Scale and minimum of one of the 8 parts of a Q4_K or Q5_K block: 6 bits each in 12 bytes. */
function sixBits(view: DataView, part: number): readonly [factor: number, minimum: number] {
  const byte = (index: number): number => view.getUint8(4 + index);
  if (part < 4) return [byte(part) & 63, byte(part + 4) & 63];
  return [(byte(part + 4) & 15) | ((byte(part - 4) >> 6) << 4), (byte(part + 4) >> 4) | ((byte(part) >> 6) << 4)];
}

/** Q4_K, or Q5_K with `fifth` bits from byte 16 on: parts of 32 values; each 32 bytes hold two in their nibbles. */
const parts =
  (first: number, fifth?: 'fifth'): Block =>
  (view, out) => {
    const [scale, least] = [half(view, 0), half(view, 2)];
    for (let part = 0; part < 8; part += 1) {
      const [factor, minimum] = sixBits(view, part);
      for (let index = 0; index < 32; index += 1) {
        const byte = view.getUint8(first + Math.floor(part / 2) * 32 + index);
        const high = fifth ? ((view.getUint8(16 + index) >> part) & 1) << 4 : 0;
        const quant = (part % 2 === 0 ? byte & 15 : byte >> 4) | high;
        out[part * 32 + index] = scale * factor * quant - least * minimum;
      }
    }
  };

const blocks: Readonly<Record<Exclude<WeightType, 'f32' | 'f16' | 'bf16'>, Block>> = {
  q8_0(view, out) {
    const scale = half(view, 0);
    for (let index = 0; index < 32; index += 1) out[index] = scale * view.getInt8(2 + index);
  },
  q4_0(view, out) {
    const scale = half(view, 0);
    for (let index = 0; index < 32; index += 1) {
      const byte = view.getUint8(2 + (index % 16));
      out[index] = scale * ((index < 16 ? byte & 15 : byte >> 4) - 8);
    }
  },
  q5_0(view, out) {
    const [scale, high] = [half(view, 0), view.getUint32(2, true)];
    for (let index = 0; index < 32; index += 1) {
      const byte = view.getUint8(6 + (index % 16));
      out[index] = scale * (((index < 16 ? byte & 15 : byte >> 4) | (((high >>> index) & 1) << 4)) - 16);
    }
  },
  q4_k: parts(16),
  q5_k: parts(48, 'fifth'),
  q6_k(view, out) {
    const scale = half(view, 208);
    for (let index = 0; index < 256; index += 1) {
      const quarter = Math.floor((index % 128) / 32);
      const within = index % 32;
      const low = view.getUint8((index < 128 ? 0 : 64) + (quarter % 2) * 32 + within);
      const high = (view.getUint8((index < 128 ? 128 : 160) + within) >> (2 * quarter)) & 3;
      const quant = ((quarter < 2 ? low & 15 : low >> 4) | (high << 4)) - 32;
      out[index] = scale * view.getInt8(192 + Math.floor(index / 16)) * quant;
    }
  },
};

/** Values rounded to a 16-bit type, or dequantized from a block type. */
export function roundedTo(
  type: WeightType,
  values: Float32Array,
  quantize: (type: string, values: Float32Array) => Uint8Array,
): Float32Array {
  if (type === 'f32') return values;
  if (type === 'f16') return fromHalf(toHalf(values));
  if (type === 'bf16') return fromBfloat16(toBfloat16(values));
  const { blockBytes, blockElements } = typeTraits[type];
  const bytes = quantize(type, values);
  const rounded = new Float32Array(values.length);
  for (let block = 0; block * blockElements < values.length; block += 1) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + block * blockBytes, blockBytes);
    blocks[type](view, rounded.subarray(block * blockElements, (block + 1) * blockElements));
  }
  return rounded;
}
