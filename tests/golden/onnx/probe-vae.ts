/** Encoder and decoder of an exported model's audio VAE, with every block. */
import type { Tensor } from 'onnxruntime-common';
import type { NativeTensor } from '../../../src/engine/backends/native/addon.ts';
import type { Manifest } from '../../../src/engine/backends/onnx/manifest.ts';
import { transposed } from '../layout.ts';
import { type Feeds, float, int64, type Outputs, type ProbeFiles, squeezed } from './probe-files.ts';

export async function vaeEncoder(files: ProbeFiles, { data }: NativeTensor): Outputs {
  const { vaeEncoder, encodeHop } = files.manifest;
  const length = Math.ceil(data.length / encodeHop) * encodeHop;
  const samples = new Float32Array(length);
  samples.set(data as Float32Array);
  const labels = await files.labels(vaeEncoder.file, /^block\.\d+\.output$/);
  const feeds = { samples: float(samples, 1, length), ...emptyStates(vaeEncoder.states) };
  const outputs = await files.run(vaeEncoder.file, feeds, ['latents', ...labels]);
  const blocks = labels.map((label) => [`block${label.split('.')[1]}`, framesFirst(outputs[label] as Tensor)]);
  return { mu: withoutBatch(outputs.latents as Tensor), ...Object.fromEntries(blocks) };
}

export async function vaeDecoder(
  files: ProbeFiles,
  { data, shape }: NativeTensor,
  sampleRate: number | undefined,
): Outputs {
  const { vaeDecoder, outputSampleRate } = files.manifest;
  const labels = await files.labels(vaeDecoder.file, /^module\.\d+\.output$/);
  const rate = vaeDecoder.isConditioned ? { sample_rate: int64([sampleRate ?? outputSampleRate]) } : {};
  const feeds = { latents: float(data, 1, ...shape), ...rate, ...emptyStates(vaeDecoder.states) };
  const outputs = await files.run(vaeDecoder.file, feeds, ['samples', ...labels]);
  const modules = labels.map((label) => [`mod${label.split('.')[1]}`, framesFirst(outputs[label] as Tensor)]);
  return { wav: squeezed(outputs.samples as Tensor), ...Object.fromEntries(modules) };
}

/** `[1, channels, frames]` as `[frames, channels]`. */
const framesFirst = ({ data, dims }: Tensor): NativeTensor =>
  transposed({ data: data as Float32Array, shape: [...dims.slice(1)] });

/** Drops the batch dimension of 1. */
const withoutBatch = ({ data, dims }: Tensor): NativeTensor => ({ data: data as Float32Array, shape: dims.slice(1) });

const emptyStates = (states: Manifest['vaeEncoder']['states']): Feeds =>
  Object.fromEntries(
    states.map(({ channels, frames }, index) => [
      `state.${index}`,
      float(new Float32Array(channels * frames), 1, channels, frames),
    ]),
  );
