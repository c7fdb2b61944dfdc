/** Precisions of the matrices of an ONNX model, stage by stage. */
import { SvcError } from '../../src/errors.ts';

/**
 * `q8` and `q4`: one scale per block (`MatMulNBits`); `int8`: one scale per column, inputs quantized dynamically
 * (`DynamicQuantizeMatMul`).
 */
export const precisions = ['f32', 'f16', 'q8', 'q4', 'int8'] as const;
export type Precision = (typeof precisions)[number];

const vaePrecisions = ['f32', 'f16'] as const;

/** `lm`: language models, local encoder and layers between them; `dit`: flow matching; `vae`: audio VAE. */
export interface StagePrecisions {
  readonly lm: Precision;
  readonly dit: Precision;
  readonly vae: (typeof vaePrecisions)[number];
}

/** Precisions of a whole model. int8 is faster than q8 and q4 for the many columns of flow matching. */
export const modelPrecisions: Readonly<Record<'f32' | 'f16' | 'q8' | 'q4' | 'int8', StagePrecisions>> = {
  f32: { lm: 'f32', dit: 'f32', vae: 'f32' },
  f16: { lm: 'f16', dit: 'f16', vae: 'f16' },
  q8: { lm: 'q8', dit: 'int8', vae: 'f16' },
  q4: { lm: 'q4', dit: 'int8', vae: 'f16' },
  int8: { lm: 'int8', dit: 'int8', vae: 'f16' },
};

/**
 * Parses `q8`, or stages such as `lm=q8,dit=int8,vae=f32`; other stages stay float32.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function parsePrecisions(text: string): StagePrecisions {
  const given = text.trim().toLowerCase();
  const whole = precisions.find((name) => name === given);
  if (whole) return modelPrecisions[whole];
  let types: StagePrecisions = modelPrecisions.f32;
  const named = new Set<string>();
  for (const part of given.split(',')) {
    const [stage = '', name = '', ...rest] = part.split('=').map((piece) => piece.trim());
    const precision = precisions.find((candidate) => candidate === name);
    const vae = vaePrecisions.find((candidate) => candidate === name);
    const isFirst = rest.length === 0 && !named.has(stage);
    named.add(stage);
    if (isFirst && precision && (stage === 'lm' || stage === 'dit')) types = { ...types, [stage]: precision };
    else if (isFirst && vae && stage === 'vae') types = { ...types, vae };
    else {
      throw new SvcError(
        'INVALID_REQUEST',
        `--type must be ${precisions.join(', ')} or stages such as lm=q8,dit=int8,vae=f32, got "${text}"`,
      );
    }
  }
  return types;
}

/** Formats precisions for `parsePrecisions`. */
export const describePrecisions = ({ lm, dit, vae }: StagePrecisions): string => `lm=${lm},dit=${dit},vae=${vae}`;
