/** ggml tensor types written by the exporter, and the choice of the type of each tensor. */
import type { ExpectedTensor } from '../expected-tensors.ts';

/** Selectable types. */
export const weightTypes = ['f32', 'f16', 'bf16', 'q4_0', 'q5_0', 'q8_0', 'q4_k', 'q5_k', 'q6_k'] as const;
export type WeightType = (typeof weightTypes)[number];

export const vaeTypes = ['f32', 'f16'] as const;
export type VaeType = (typeof vaeTypes)[number];

export type StoredType = WeightType | 'i32';

interface TypeTraits {
  /** `enum ggml_type`. */
  readonly id: number;
  readonly blockElements: number;
  readonly blockBytes: number;
  /** `enum llama_ftype` of a file with matrices of this type. */
  readonly fileType?: number;
}

/** Fixed by the GGUF format. */
export const typeTraits: Readonly<Record<StoredType, TypeTraits>> = {
  f32: { id: 0, blockElements: 1, blockBytes: 4, fileType: 0 },
  f16: { id: 1, blockElements: 1, blockBytes: 2, fileType: 1 },
  bf16: { id: 30, blockElements: 1, blockBytes: 2, fileType: 32 },
  q4_0: { id: 2, blockElements: 32, blockBytes: 18, fileType: 2 },
  q5_0: { id: 6, blockElements: 32, blockBytes: 22, fileType: 8 },
  q8_0: { id: 8, blockElements: 32, blockBytes: 34, fileType: 7 },
  q4_k: { id: 12, blockElements: 256, blockBytes: 144, fileType: 14 },
  q5_k: { id: 13, blockElements: 256, blockBytes: 176, fileType: 16 },
  q6_k: { id: 14, blockElements: 256, blockBytes: 210, fileType: 18 },
  i32: { id: 26, blockElements: 1, blockBytes: 4 },
};

/** Smaller matrices are not quantized: they save nothing, and the stop head's two rows decide where speech ends. */
const fewestRows = 8;

/** Types to try in order; rows must be whole blocks. */
const fallbacks: readonly WeightType[] = ['q8_0', 'f16'];

/**
 * Chooses the type of a tensor. Matrices and the token table use `type`, or `q8_0`, then `f16`, if rows are not whole
 * blocks. Below 8 bits the token table uses `q8_0`: a token reads only one row, so a larger table costs no time, and
 * its errors would enter every layer. Convolutions of the VAE use `vaeType`. All other tensors are small and stay
 * `f32`.
 */
export function storedType(tensor: ExpectedTensor, type: WeightType, vaeType: VaeType): StoredType {
  const [rows = 1] = tensor.shape;
  const rowLength = tensor.shape.at(-1) ?? 1;
  const fits = (candidate: WeightType) => rowLength % typeTraits[candidate].blockElements === 0;
  const isBlocked = typeTraits[type].blockElements > 1;
  switch (tensor.role) {
    case 'integers':
      return 'i32';
    case 'convolution':
      return vaeType;
    case 'embedding':
      return [isBlocked ? 'q8_0' : type, ...fallbacks].find(fits) ?? 'f16';
    case 'matrix':
      return rows < fewestRows ? 'f32' : ([type, ...fallbacks].find(fits) ?? 'f16');
    default:
      return 'f32';
  }
}

/** Size in bytes of a tensor of `elements` elements. */
export const storedBytes = (type: StoredType, elements: number): number =>
  (elements / typeTraits[type].blockElements) * typeTraits[type].blockBytes;
