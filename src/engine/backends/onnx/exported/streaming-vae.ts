/** The streaming audio VAE of an exported model: encoder and decoder carry their causal state from call to call. */
import type { Tensor } from 'onnxruntime-common';
import type { Graph, TensorConstructor } from '../graph.ts';
import { type ExpectedTensor, finiteFloatsOf, float32, int64, requireInterface } from '../graph-interface.ts';
import type { Manifest } from '../manifest.ts';

/** The inputs `state.<i>`. */
export type VaeState = Readonly<Record<string, Tensor>>;

export interface Vae {
  /** The encoder's state before the first frame. */
  beginEncoding(): VaeState;
  /** Encodes samples, zero-padded to whole frames, to `frames × featureDim` values; also returns the new state. */
  encode(samples: Float32Array, state: VaeState): Promise<{ latents: Float32Array; state: VaeState }>;
  /** The decoder's state before the first frame. */
  beginDecoding(): VaeState;
  /** Decodes `frames × featureDim` values to samples; also returns the new state. */
  decode(latents: Float32Array, state: VaeState): Promise<{ samples: Float32Array; state: VaeState }>;
}

export function createVae(manifest: Manifest, encoder: Graph, decoder: Graph, Tensor: TensorConstructor): Vae {
  checkInterfaces(manifest, encoder, decoder);
  const { featureDim, encodeHop, decodeHop, outputSampleRate } = manifest;
  const zeros = (shapes: Manifest['vaeEncoder']['states']): VaeState =>
    Object.fromEntries(
      shapes.map(({ channels, frames }, index) => [
        `state.${index}`,
        new Tensor('float32', new Float32Array(channels * frames), [1, channels, frames]),
      ]),
    );
  const next = (outputs: Readonly<Record<string, Tensor>>, count: number): VaeState =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`state.${index}`, outputs[`next_state.${index}`] as Tensor]),
    );
  const rate = manifest.vaeDecoder.isConditioned
    ? { sample_rate: new Tensor('int64', BigInt64Array.of(BigInt(outputSampleRate)), []) }
    : {};

  return {
    beginEncoding: () => zeros(manifest.vaeEncoder.states),
    async encode(samples, state) {
      const frames = Math.ceil(samples.length / encodeHop);
      const padded = new Float32Array(frames * encodeHop);
      padded.set(samples);
      const outputs = await encoder.run({ samples: new Tensor('float32', padded, [1, padded.length]), ...state });
      const latents = finiteFloatsOf(outputs, 'latents', frames * featureDim);
      return { latents: latents.slice(), state: next(outputs, manifest.vaeEncoder.states.length) };
    },
    beginDecoding: () => zeros(manifest.vaeDecoder.states),
    async decode(latents, state) {
      const shape = [1, latents.length / featureDim, featureDim];
      const outputs = await decoder.run({ latents: new Tensor('float32', latents, shape), ...rate, ...state });
      const samples = finiteFloatsOf(outputs, 'samples', (latents.length / featureDim) * decodeHop);
      return { samples: samples.slice(), state: next(outputs, manifest.vaeDecoder.states.length) };
    },
  };
}

function checkInterfaces({ featureDim, vaeEncoder, vaeDecoder }: Manifest, encoder: Graph, decoder: Graph): void {
  const states = (shapes: Manifest['vaeEncoder']['states']): Record<string, ExpectedTensor> =>
    Object.fromEntries(
      shapes.map(({ channels, frames }, index) => [`state.${index}`, float32(undefined, channels, frames)]),
    );
  const next = (shapes: Manifest['vaeEncoder']['states']): string[] => shapes.map((_, index) => `next_state.${index}`);
  requireInterface(encoder, vaeEncoder.file, {
    inputs: { samples: float32(undefined, undefined), ...states(vaeEncoder.states) },
    outputs: ['latents', ...next(vaeEncoder.states)],
  });
  requireInterface(decoder, vaeDecoder.file, {
    inputs: {
      latents: float32(undefined, undefined, featureDim),
      ...(vaeDecoder.isConditioned ? { sample_rate: int64() } : {}),
      ...states(vaeDecoder.states),
    },
    outputs: ['samples', ...next(vaeDecoder.states)],
  });
}
