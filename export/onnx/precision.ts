/** Precisions of the matrices of an ONNX model, stage by stage. */
import { SvcError } from '../../src/errors.ts';

/**
 * `q8` and `q4`: blocks of one scale (`MatMulNBits`); `int8`: a scale a column, inputs quantised as they come
 * (`DynamicQuantizeMatMul`).
 */
export const precisions = ['f32', 'f16', 'q8', 'q4', 'int8'] as const;
export type Precision = (typeof precisions)[number];

const vaePrecisions = ['f32', 'f16'] as const;

/** `lm`: both language models, the local encoder and what joins them; `dit`: flow matching; `vae`: the audio VAE. */
export interface StagePrecisions {
  readonly lm: Precision;
  readonly dit: Precision;
  readonly vae: (typeof vaePrecisions)[number];
}

/** Names for a whole model. Of the quantised ones int8 is the faster for the many columns of flow matching. */
export const modelPrecisions: Readonly<Record<'f32' | 'f16' | 'q8' | 'q4' | 'int8', StagePrecisions>> = {
  f32: { lm: 'f32', dit: 'f32', vae: 'f32' },
  f16: { lm: 'f16', dit: 'f16', vae: 'f16' },
  q8: { lm: 'q8', dit: 'int8', vae: 'f16' },
  q4: { lm: 'q4', dit: 'int8', vae: 'f16' },
  int8: { lm: 'int8', dit: 'int8', vae: 'f16' },
};

/**
 * `q8`, or stages by name, each once, as in `lm=q8,dit=int8,vae=f32`; stages that are not named stay float32.
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
        `expected ${precisions.join(', ')} or stages such as lm=q8,dit=int8,vae=f32 for --type, received ${text}`,
      );
    }
  }
  return types;
}

/** As `parsePrecisions` reads it. */
export const describePrecisions = ({ lm, dit, vae }: StagePrecisions): string => `lm=${lm},dit=${dit},vae=${vae}`;
