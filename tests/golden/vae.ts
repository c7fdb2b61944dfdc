import type { Backend } from '../../src/engine/backend.ts';
import type { NativeTensor } from '../../src/engine/backends/native/addon.ts';
import { concatenate } from '../../src/float-arrays.ts';
import type { Comparison } from './comparison.ts';
import { ofRank, shaped, transposed } from './layout.ts';
import { type Probe, values } from './stages.ts';

/** Decodes patches or single latent frames from an empty state; `frames × featureDim` in, PCM out. */
export async function decodeWhole(model: Probe, latents: Float32Array, featureDim: number): Promise<Float32Array> {
  const outputs = await model.probe(
    'vaeDecoder',
    { latents: shaped(latents, latents.length / featureDim, featureDim) },
    {},
  );
  return values(outputs, 'wav');
}

/** Decodes patch after patch with carried state, in a separate session. */
export async function decodeStreaming(backend: Backend, latents: Float32Array): Promise<Float32Array> {
  const { patchSize, featureDim } = backend.info;
  const prefix = { tokens: Int32Array.of(1), audioMask: Uint8Array.of(0), features: new Float32Array(0) };
  const session = await backend.open({ ...prefix, cfg: 2, timesteps: 10 });
  try {
    const chunks: Float32Array[] = [];
    for (let offset = 0; offset < latents.length; offset += patchSize * featureDim) {
      const patches = latents.slice(offset, offset + patchSize * featureDim);
      chunks.push(...(await backend.decode([{ session, patches }])));
    }
    return concatenate(chunks);
  } finally {
    await session.close();
  }
}

/**
 * Streams like the official VoxCPM 1 code: for every patch from `first` on, it decodes a window of the last patches again
 * and keeps the newest. Differs from decoding at once by design.
 */
export async function decodeWindows(
  model: Probe,
  { derived }: Comparison['golden'],
  latents: Float32Array,
  first: number,
): Promise<Float32Array> {
  const patch = derived.patch_size * derived.feat_dim;
  const chunks: Float32Array[] = [];
  for (let newest = first; newest < latents.length / patch; newest++) {
    const oldest = Math.max(0, newest + 1 - derived.streaming_prefix_len);
    const decoded = await decodeWhole(model, latents.slice(oldest * patch, (newest + 1) * patch), derived.feat_dim);
    chunks.push(decoded.slice(-derived.samples_per_patch_out));
  }
  return concatenate(chunks);
}

/** Converts a probe's `[frames, channels]` to `[channels, frames]`, cut to the recorded first or last frames. */
function edgeFrames(
  output: NativeTensor | undefined,
  recorded: readonly number[],
  edge: 'head' | 'tail',
): Float32Array {
  if (!output) throw new Error('a VAE block has no output');
  const [frames = 0, channels = 0] = output.shape;
  const kept = Math.min(frames, recorded.at(-1) ?? 0);
  const start = edge === 'head' ? 0 : frames - kept;
  const data = (output.data as Float32Array).slice(start * channels, (start + kept) * channels);
  return transposed({ data, shape: [kept, channels] }).data as Float32Array;
}

async function compareEncoder(model: Probe, comparison: Comparison): Promise<void> {
  for (const input of comparison.names(/^vae\.enc\.in_\w+$/)) {
    const which = input.slice('vae.enc.in_'.length);
    const { data } = comparison.tensor(input);
    const outputs = await model.probe('vaeEncoder', { samples: shaped(data, data.length) }, {});
    const { data: latents, shape } = outputs.mu ?? shaped(new Float32Array(0), 0, 0);
    comparison.meet(`vae.enc.mu_${which}`, transposed({ data: latents, shape: [...shape] }).data);
    for (const name of comparison.names(new RegExp(`^vae\\.enc\\.block\\d+_${which}_tail$`))) {
      const block = /block\d+/.exec(name)?.[0] ?? '';
      comparison.meet(name, edgeFrames(outputs[block], comparison.tensor(name).shape, 'tail'));
    }
  }
}

async function compareDecoder(model: Probe, comparison: Comparison, fused: boolean): Promise<void> {
  const latents = ofRank(transposed(comparison.tensor('vae.dec.z')), 2);
  const outputs = await model.probe('vaeDecoder', { latents }, {});
  comparison.meet('vae.dec.wav', values(outputs, 'wav'));
  for (const name of comparison.names(/^vae\.dec\.mod\d+_head$/)) {
    const module = /mod\d+/.exec(name)?.[0] ?? '';
    if (fused && !(module in outputs)) {
      comparison.absent(name, 'computed within the next module');
      continue;
    }
    comparison.meet(name, edgeFrames(outputs[module], comparison.tensor(name).shape, 'head'));
  }
  const { derived } = comparison.golden;
  const frames = latents.data as Float32Array;
  if (comparison.has('vae.dec.stream1_wav')) {
    // One frame for VoxCPM 1; frame by frame with carried state for VoxCPM 2, equal to causal decoding at once.
    const count = comparison.tensor('vae.dec.stream1_wav').data.length / derived.hop_decode;
    const first = frames.slice(0, count * derived.feat_dim);
    comparison.meet('vae.dec.stream1_wav', await decodeWhole(model, first, derived.feat_dim));
  }
  for (const name of comparison.names(/^vae\.dec\.wav_srcond\d+$/)) {
    const patch = shaped(frames.slice(0, derived.patch_size * derived.feat_dim), derived.patch_size, derived.feat_dim);
    const conditioned = await model.probe(
      'vaeDecoder',
      { latents: patch },
      { sampleRate: Number(/\d+$/.exec(name)?.[0]) },
    );
    comparison.meet(name, values(conditioned, 'wav'));
  }
}

async function compareStreams(backend: Backend, model: Probe, comparison: Comparison): Promise<void> {
  const latents = transposed(comparison.tensor('vae.dec.z')).data as Float32Array;
  const streamed = await decodeStreaming(backend, latents);
  if (comparison.golden.architecture === 'voxcpm') {
    comparison.meet('vae.dec.stream_wav', await decodeWindows(model, comparison.golden, latents, 0));
  } else {
    comparison.meet('vae.dec.stream_wav', streamed);
  }
  const whole = await decodeWhole(model, latents, comparison.golden.derived.feat_dim);
  comparison.close('vae.dec streamed = whole', streamed, whole, comparison.factors.streamed);
}

/**
 * Encoder and decoder of the audio VAE on recorded inputs.
 *
 * @param fused whether kernels compute modules of the decoder within others
 */
export async function compareVae(backend: Backend, model: Probe, comparison: Comparison, fused = false): Promise<void> {
  await comparison.part('vae.enc', () => compareEncoder(model, comparison));
  await comparison.part('vae.dec', () => compareDecoder(model, comparison, fused));
  await comparison.part('vae.dec.stream', () => compareStreams(backend, model, comparison));
}
