/** Utterances of a backend that share passes over the weights. */
import { expect } from '@jest/globals';
import type { Backend, Prefix, Session } from '../../src/engine/backend.ts';
import { type NoiseSource, seededNoise } from '../../src/engine/noise.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { largestDifference } from './largest-difference.ts';

const patchLength = ({ info }: Backend): number => info.patchSize * info.featureDim;

/** Prefixes with so many tokens, every other one of them ending with two patches of audio. */
const prefixesOf = (backend: Backend, lengths: readonly number[]): Prefix[] =>
  lengths.map((length, member) => {
    const audio = member % 2 === 0 ? 0 : 2;
    const tokens = Int32Array.from({ length: length + audio }, (_, at) =>
      at < length ? 300 + ((7 * at + member) % 90) : 0,
    );
    const audioMask = Uint8Array.from(tokens, (_, at) => (at < length ? 0 : 1));
    return { tokens, audioMask, features: seededNoise(member).next(audio * patchLength(backend)) };
  });

interface Made {
  readonly latents: readonly Float32Array[];
  readonly audio: readonly Float32Array[];
}

/** Latents and audio of `steps` patches after each prefix, computed in batches of `group`. */
async function computeInBatches(
  backend: Backend,
  prefixes: readonly Prefix[],
  { group, steps }: { readonly group: number; readonly steps: number },
): Promise<Made> {
  const latents: Float32Array[] = [];
  const audio: Float32Array[] = [];
  for (let first = 0; first < prefixes.length; first += group) {
    const members = prefixes.slice(first, first + group);
    const sessions: Session[] = [];
    for (const prefix of members) sessions.push(await backend.open({ ...prefix, cfg: 2, timesteps: 6 }));
    const sources = members.map((_, index) => seededNoise(100 + first + index));
    const patches: Float32Array[][] = members.map(() => []);
    const chunks: Float32Array[][] = members.map(() => []);
    for (let step = 0; step < steps; step++) {
      const made = await backend.step(
        sessions.map((session, index) => ({
          session,
          noise: (sources[index] as NoiseSource).next(patchLength(backend)),
        })),
      );
      for (const [index, { patch }] of made.entries()) patches[index]?.push(patch);
      const decoded = await backend.decode(
        sessions.map((session, index) => ({ session, patches: patches[index]?.at(-1) as Float32Array })),
      );
      for (const [index, samples] of decoded.entries()) chunks[index]?.push(samples);
    }
    for (const session of sessions) await session.close();
    latents.push(...patches.map(concatenate));
    audio.push(...chunks.map(concatenate));
  }
  return { latents, audio };
}

/** Expects four patches of each of some utterances to be the same in a batch as alone. */
export async function expectSameTogether(backend: Backend, lengths: readonly number[]): Promise<void> {
  const prefixes = prefixesOf(backend, lengths);
  const steps = 4;
  const alone = await computeInBatches(backend, prefixes, { group: 1, steps });
  const together = await computeInBatches(backend, prefixes, { group: prefixes.length, steps });
  for (const [kind, length] of [
    ['latents', steps * patchLength(backend)],
    ['audio', steps * backend.info.patchSamples],
  ] as const) {
    for (const [member, expected] of alone[kind].entries()) {
      expect(expected).toHaveLength(length);
      expect(largestDifference(together[kind][member] as Float32Array, expected)).toBeLessThan(1e-4);
    }
  }
}
