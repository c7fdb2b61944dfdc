import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { loadPrompt } from '../../src/audio/resample/resample.ts';
import type { Backend } from '../../src/engine/backend.ts';
import { padPrompt, padReference } from '../../src/engine/prefix.ts';
import type { Comparison } from './comparison.ts';

/** Encodes a WAV file of the golden folder once; `patches × patchSize × featureDim`. */
export type PromptPatches = (wav: string, role: 'prompt' | 'reference') => Promise<Float32Array>;

/** Bounds for VoxCPM 2, which resamples with soxr instead of FFmpeg: largest and RMS difference of the samples. */
const soxrTolerance = { max: 3e-4, rms: 5e-5 };

export function promptPatches(directory: string, backend: Backend): PromptPatches {
  const known = new Map<string, Promise<Float32Array>>();
  return (wav, role) => {
    const key = `${role} ${wav}`;
    const patches = known.get(key) ?? encodeFile(join(directory, wav), role, backend);
    known.set(key, patches);
    return patches;
  };
}

async function encodeFile(path: string, role: 'prompt' | 'reference', backend: Backend): Promise<Float32Array> {
  const samples = await readResampled(path, backend);
  return await backend.encode(
    role === 'prompt' ? padPrompt(samples, backend.info) : padReference(samples, backend.info),
  );
}

const readResampled = async (path: string, { info }: Backend): Promise<Float32Array> =>
  loadPrompt(await readAudioFile(path), info);

const rootMeanSquare = (first: Float32Array, second: Float32Array): number =>
  Math.sqrt(first.reduce((sum, value, index) => sum + (value - (second[index] as number)) ** 2, 0) / first.length);

/** WAV files to latents: decoding, mixing, resampling, padding, encoding. */
export async function compareAudioInput(
  directory: string,
  backend: Backend,
  prompts: PromptPatches,
  comparison: Comparison,
): Promise<void> {
  for (const name of comparison.names(/^(prompt_\w+|ref)\.feat$/)) {
    await comparison.part(name, async () => {
      const wav = name.replace('.feat', '.wav');
      if (isResampledBySoxr(wav, backend, comparison)) {
        comparison.absent(name, 'made with another resampler; its wave is compared instead');
      } else {
        comparison.meet(name, await prompts(wav, name === 'ref.feat' ? 'reference' : 'prompt'));
      }
    });
  }
  await comparison.part('audio.b.resampled', async () => {
    const path = join(directory, 'prompt_b.wav');
    if (!comparison.has('audio.b.resampled') || !existsSync(path)) return;
    const samples = await readResampled(path, backend);
    if (!isResampledBySoxr('prompt_b.wav', backend, comparison)) {
      comparison.meet('audio.b.resampled', samples);
      return;
    }
    const expected = comparison.floats('audio.b.resampled');
    comparison.close('audio.b.resampled', samples, expected, soxrTolerance.max);
    comparison.close('audio.b.resampled (rms)', [rootMeanSquare(samples, expected)], [0], soxrTolerance.rms);
  });
}

function isResampledBySoxr(wav: string, { info }: Backend, { golden }: Comparison): boolean {
  return info.architecture === 'voxcpm2' && golden.wavs[wav]?.sample_rate !== info.inputSampleRate;
}
