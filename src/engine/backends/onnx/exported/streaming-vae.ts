/** The audio VAE of an exported model, chunk by chunk: each half hands its causal state from call to call. */
import type { Tensor } from 'onnxruntime-common';
import type { Graph, TensorConstructor } from '../graph.ts';
import { type ExpectedTensor, finiteFloatsOf, float32, int64, requireInterface } from '../graph-interface.ts';
import type { Manifest } from '../manifest.ts';
import type { Slices } from '../model.ts';

/** Latent frames that the encoder takes at once: bounds memory for prompts of any length. */
const encodeFrames = 32;

/** Inputs `state.<i>`. */
export type VaeState = Readonly<Record<string, Tensor>>;

export interface Vae {
  /** Samples, padded with zeros to whole frames, as `frames × featureDim`. */
  encode(samples: Float32Array): Slices<Float32Array>;
  /** The state before the first frame. */
  begin(): VaeState;
  /** `frames × featureDim` values as samples, and the state after them. */
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
    async *encode(samples) {
      const frames = Math.ceil(samples.length / encodeHop);
      const latents = new Float32Array(frames * featureDim);
      let state = zeros(manifest.vaeEncoder.states);
      for (let first = 0; first < frames; first += encodeFrames) {
        const count = Math.min(encodeFrames, frames - first);
        const chunk = new Float32Array(count * encodeHop);
        chunk.set(samples.subarray(first * encodeHop, (first + count) * encodeHop));
        const outputs = await encoder.run({ samples: new Tensor('float32', chunk, [1, chunk.length]), ...state });
        latents.set(finiteFloatsOf(outputs, 'latents', count * featureDim), first * featureDim);
        state = next(outputs, manifest.vaeEncoder.states.length);
        yield;
      }
      return latents;
    },
    begin: () => zeros(manifest.vaeDecoder.states),
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
