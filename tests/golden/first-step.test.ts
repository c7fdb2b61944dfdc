/** The result doesn't depend on how much of the prefix the first step computes, or on the other members of a batch. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Prefix, Session, Step } from '../../src/engine/backend.ts';
import type { NativeTensor } from '../../src/engine/backends/native/addon.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';

const options = { cfg: 2, timesteps: 4 };
const models = ['tiny-v1', 'tiny-v15', 'tiny-v2'];
/** Our kernels, and ggml's operations, which other devices use. */
const kernels = ['', 'ggml'];

const textPrefix = (length: number): Prefix => ({
  tokens: Int32Array.from({ length }, (_, index) => 300 + ((7 * index) % 100)),
  audioMask: new Uint8Array(length),
  features: new Float32Array(0),
});

/** Largest difference divided by the largest value. */
function distance(actual: Float32Array, expected: Float32Array): number {
  expect(actual).toHaveLength(expected.length);
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return actual.reduce((most, value, index) => Math.max(most, Math.abs(value - (expected[index] ?? 0))), 0) / largest;
}

describe.each(models.flatMap((model) => kernels.map((name) => ({ model, name }))))(
  '$model, kernels "$name"',
  (given) => {
    let backend: NativeBackend;
    beforeAll(async () => {
      const path = join(process.cwd(), 'tests', 'fixtures', `peer-${given.model}.gguf`);
      backend = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels: given.name });
    });
    afterAll(async () => {
      await backend[Symbol.asyncDispose]();
    });

    const noiseOf = (seed: number): Float32Array =>
      seededNoise(seed).next(backend.info.patchSize * backend.info.featureDim);
    const step = async (sessions: readonly Session[], seed: number): Promise<Step[]> =>
      backend.traceStep(sessions.map((session, index) => ({ session, noise: noiseOf(seed + index) })));

    // Within the first step, at its limit, just beyond it, and with several earlier passes.
    it.each([1, 2, 40, 64, 65, 66, 200])(
      'reaches the hidden state of a whole pass over %i positions',
      async (length) => {
        const prefix = textPrefix(length);
        const { base_out: whole } = await backend.model.probe(
          'prefill',
          {
            tokens: { data: prefix.tokens, shape: [length] },
            audioMask: { data: Int32Array.from(prefix.audioMask), shape: [length] },
          },
          {},
        );
        const session = await backend.open({ ...prefix, ...options });
        const [trace] = await step([session], 1);
        await session.close();
        const last = ((whole as NativeTensor).data as Float32Array).subarray(-backend.model.info.hiddenSize);
        expect(distance(trace?.lmHidden as Float32Array, last)).toBeLessThan(1e-5);
      },
    );

    it('joins running utterances', async () => {
      const prefixes = [30, 100, 5].map(textPrefix);
      const open = (prefix: Prefix): Promise<Session> => backend.open({ ...prefix, ...options });
      const alone: Float32Array[][] = [];
      for (const [member, prefix] of prefixes.entries()) {
        const session = await open(prefix);
        const patches: Float32Array[] = [];
        for (let index = 0; index < 3; index += 1) {
          patches.push((await step([session], 10 * index + member))[0]?.patch as Float32Array);
        }
        alone.push(patches);
        await session.close();
      }
      // The first generates two patches before the others start.
      const first = await open(prefixes[0] as Prefix);
      const together: Float32Array[][] = [[], [], []];
      for (const index of [0, 1]) together[0]?.push((await step([first], 10 * index))[0]?.patch as Float32Array);
      const sessions = [first, await open(prefixes[1] as Prefix), await open(prefixes[2] as Prefix)];
      const noise = [noiseOf(20), noiseOf(1), noiseOf(2)];
      const traces = await backend.traceStep(
        sessions.map((session, member) => ({ session, noise: noise[member] as Float32Array })),
      );
      for (const [member, { patch }] of traces.entries()) {
        const expected = alone[member]?.[member === 0 ? 2 : 0] as Float32Array;
        // Our kernels compute each column independently of the others.
        if (given.name === '') expect(patch).toEqual(expected);
        else expect(distance(patch, expected)).toBeLessThan(1e-4);
      }
      for (const session of sessions) await session.close();
    });
  },
);
