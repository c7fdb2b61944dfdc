import { chain, type SampleTransform } from '../transform.ts';
import { createResampler } from './library-resample.ts';
import { createSpeed } from './speed.ts';

export interface ConverterOptions {
  /** Above 1 is faster. */
  readonly speed: number;
  /** Input sample rate in Hz. */
  readonly from: number;
  /** Output sample rate in Hz. */
  readonly to: number;
}

/** Creates a transform that changes speed and sample rate. @throws SvcError like `createSpeed` and `createResampler` */
export async function createConverter({ speed, from, to }: ConverterOptions): Promise<SampleTransform> {
  return chain(await createSpeed(from, speed), await createResampler(from, to));
}
