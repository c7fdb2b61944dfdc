import { join } from 'node:path';
import type { NewVoice, Voice } from '../../src/voices/voice-store.ts';

/** A voice whose values all derive from `seed`, so that a mixture of two is detected. */
export function sampleVoice(id: string, seed = 1, changes: Partial<NewVoice> = {}): NewVoice {
  const [patchCount, patchSize, featureDim] = [5, 2, 3];
  return {
    id,
    text: `text ${seed}`,
    roles: ['prompt'],
    recording: { samples: new Float32Array(400).fill(seed), sampleRate: 16_000, channels: 1 },
    keepRecording: 'keep',
    encodings: [
      {
        ...{ role: 'prompt', fingerprint: 'one', model: 'model one', sampleRate: 16_000 },
        ...{ patchCount, patchSize, featureDim },
        patches: new Float32Array(patchCount * patchSize * featureDim).fill(seed),
      },
    ],
    ...changes,
  };
}

/** Whether a stored voice is complete and consistent. */
export const isWhole = ({ text, encodings: [encoding] }: Voice): boolean =>
  encoding !== undefined &&
  encoding.patches.length === 30 &&
  encoding.patches.every((value) => text === `text ${value}`);

export const storeIn = (folder: string): string => join(folder, 'voices.sqlite');
