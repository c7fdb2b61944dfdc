import { createResampler } from './library-resample.ts';
import { createSpeed } from './speed.ts';
import { chain, type SampleTransform } from './transform.ts';

export interface ConverterOptions {
  /** Above 1 is faster. */
  readonly speed: number;
  /** Rate of what goes in, Hz. */
  readonly from: number;
  /** Rate of what comes out, Hz. */
  readonly to: number;
}

/**
 * From the speech of a model to what was asked for.
 *
 * @throws SvcError as `createSpeed` and `createResampler`
 */
export async function createConverter({ speed, from, to }: ConverterOptions): Promise<SampleTransform> {
  return chain(await createSpeed(from, speed), await createResampler(from, to));
}
