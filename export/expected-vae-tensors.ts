/** The audio VAE's tensors (OpenBMB/VoxCPM `modules/audiovae/audio_vae.py`, `audio_vae_v2.py`), weight normalisation folded. */

import type { ExpectedTensor } from './expected-tensors.ts';
import type { ModelConfig } from './model-config.ts';

type AudioVaeConfig = ModelConfig['audio_vae_config'];

const snake = (name: string, channels: number): ExpectedTensor => ({
  name: `${name}.alpha`,
  shape: [1, channels, 1],
  role: 'alpha',
});

/** `Conv1d`: weight `[output, input / groups, kernel]`; `ConvTranspose1d`: weight `[input, output, kernel]`. */
const convolution = (name: string, weight: readonly number[], outputs: number): ExpectedTensor[] => [
  { name: `${name}.bias`, shape: [outputs], role: 'vector' },
  { name: `${name}.weight`, shape: weight, role: 'convolution' },
];

function residualUnit(name: string, channels: number, depthwise: boolean): ExpectedTensor[] {
  return [
    snake(`${name}.block.0`, channels),
    ...convolution(`${name}.block.1`, [channels, depthwise ? 1 : channels, 7], channels),
    snake(`${name}.block.2`, channels),
    ...convolution(`${name}.block.3`, [channels, channels, 1], channels),
  ];
}

function encoderTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  const tensors = convolution('encoder.block.0', [vae.encoder_dim, 1, 7], vae.encoder_dim);
  let channels = vae.encoder_dim;
  for (const [index, stride] of vae.encoder_rates.entries()) {
    const block = `encoder.block.${index + 1}.block`;
    for (const unit of [0, 1, 2]) tensors.push(...residualUnit(`${block}.${unit}`, channels, vae.depthwise));
    tensors.push(snake(`${block}.3`, channels));
    tensors.push(...convolution(`${block}.4`, [2 * channels, channels, 2 * stride], 2 * channels));
    channels *= 2;
  }
  const heads = ['fc_mu', 'fc_logvar'].flatMap((head) =>
    convolution(`encoder.${head}`, [vae.latent_dim, channels, 3], vae.latent_dim).map((tensor) =>
      // The variance is for training; inference takes the mean.
      head === 'fc_logvar' ? { ...tensor, presence: 'optional' as const } : tensor,
    ),
  );
  return [...tensors, ...heads];
}

/** Layers before the first decoder block: the depthwise form has one more. */
export const firstDecoderBlock = (vae: AudioVaeConfig): number => (vae.depthwise ? 2 : 1);

function decoderTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  const { latent_dim: latent, decoder_dim: width } = vae;
  const tensors = vae.depthwise
    ? [
        ...convolution('decoder.model.0', [latent, 1, 7], latent),
        ...convolution('decoder.model.1', [width, latent, 1], width),
      ]
    : convolution('decoder.model.0', [width, latent, 7], width);
  const first = firstDecoderBlock(vae);
  for (const [index, stride] of vae.decoder_rates.entries()) {
    const [input, output] = [width >> index, width >> (index + 1)];
    const block = `decoder.model.${first + index}.block`;
    tensors.push(snake(`${block}.0`, input));
    tensors.push(...convolution(`${block}.1`, [input, output, 2 * stride], output));
    for (const unit of [2, 3, 4]) tensors.push(...residualUnit(`${block}.${unit}`, output, vae.depthwise));
  }
  const last = first + vae.decoder_rates.length;
  const channels = width >> vae.decoder_rates.length;
  return [
    ...tensors,
    snake(`decoder.model.${last}`, channels),
    ...convolution(`decoder.model.${last + 1}`, [1, channels, 7], 1),
  ];
}

/** `SampleRateConditionLayer`, one before each decoder block. */
function conditioningTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  if (!('sr_bin_boundaries' in vae) || vae.sr_bin_boundaries === null) return [];
  const buckets = vae.sr_bin_boundaries.length + 1;
  const tensors: ExpectedTensor[] = [
    // A buffer whose values the config has too.
    { name: 'decoder.sr_bin_boundaries', shape: [buckets - 1], role: 'integers', presence: 'optional' },
  ];
  for (const index of vae.decoder_rates.keys()) {
    const channels = vae.decoder_dim >> index;
    const name = `decoder.sr_cond_model.${firstDecoderBlock(vae) + index}`;
    const embedding = (kind: string, width: number): ExpectedTensor => ({
      name: `${name}.${kind}.weight`,
      shape: [buckets, width],
      role: 'vector',
    });
    if (vae.cond_type === 'add') tensors.push(embedding('cond_embed', channels));
    else if (vae.cond_type === 'concat') tensors.push(embedding('cond_embed', vae.cond_dim));
    else tensors.push(embedding('bias_embed', channels), embedding('scale_embed', channels));
    if (!vae.cond_out_layer) continue;
    const input = channels + (vae.cond_type === 'concat' ? vae.cond_dim : 0);
    tensors.push(snake(`${name}.out_layer.0`, input));
    tensors.push(...convolution(`${name}.out_layer.1`, [channels, input, 1], channels));
  }
  return tensors;
}

/** Every tensor of the VAE under `audio_vae.`. */
export function expectedVaeTensors(vae: AudioVaeConfig): ExpectedTensor[] {
  return [...encoderTensors(vae), ...decoderTensors(vae), ...conditioningTensors(vae)].map((tensor) => ({
    ...tensor,
    name: `audio_vae.${tensor.name}`,
  }));
}
