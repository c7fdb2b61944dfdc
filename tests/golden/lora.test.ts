/** Adapters: numbers of the official implementation, batches of different ones, and unloading. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Adapter, AdapterUse, Prefix, Session } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import type { LoraWeights } from '../../src/engine/lora/lora-weights.ts';
import { readAdapter } from '../../src/engine/lora/read-adapter.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { buildPrefix } from '../../src/engine/prefix.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { testableKernels } from '../support/kernels.ts';
import { largestDifference } from '../support/largest-difference.ts';
import { rounds } from '../support/rounds.ts';
import { compareLora, openAdapter } from './lora.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const checkpoints = ['tiny-v1', 'tiny-v15', 'tiny-v2'];
const adapters = ['all', 'lm', 'dit'];
const folderOf = (checkpoint: string, adapter: string): string => join(fixtures, 'lora', `${checkpoint}-${adapter}`);

const compare = (checkpoint: string, adapter: string, options: { kernels?: string; weight?: number } = {}) =>
  compareLora({
    directory: join(fixtures, checkpoint),
    model: join(fixtures, `peer-${checkpoint}.gguf`),
    adapter: folderOf(checkpoint, adapter),
    type: 'f32',
    backend: 'cpu',
    threads: 1,
    ...options,
  });

describe('golden data of the official implementation', () => {
  it.each(checkpoints.flatMap((checkpoint) => adapters.map((adapter) => ({ checkpoint, adapter }))))(
    '$checkpoint with $adapter matches every entry',
    async ({ checkpoint, adapter }) => {
      const { failures, checks } = await compare(checkpoint, adapter);
      expect(failures).toEqual([]);
      expect(checks).toHaveLength(10);
    },
  );

  it.each([...testableKernels, 'ggml'])('%s kernels match every entry', async (kernels) => {
    const { failures, checks } = await compare('tiny-v2', 'all', { kernels });
    expect(failures).toEqual([]);
    expect(checks).toHaveLength(10);
  });

  it.each(adapters)('does not match with another weight of %s', async (adapter) => {
    for (const weight of [0, 0.5]) {
      const { failures } = await compare('tiny-v1', adapter, { weight });
      expect(failures.map(({ name }) => name)).toEqual(expect.arrayContaining(['zs.latents', 'cont.latents']));
    }
  });
});

describe.each(checkpoints.flatMap((name) => ['', 'ggml'].map((kernels) => ({ name, kernels }))))(
  '$name $kernels',
  ({ name, kernels }) => {
    let backend: NativeBackend;
    let loaded: Adapter[];
    // ggml's barriers spin: with two threads on a busy machine, a step takes seconds.
    const threads = rounds(kernels === 'ggml' ? 1 : 2, 2);
    beforeAll(async () => {
      const path = join(fixtures, `peer-${name}.gguf`);
      backend = await openNativeBackend(path, { backend: 'cpu', threads, ...(kernels && { kernels }) });
      loaded = [];
      for (const adapter of adapters) loaded.push(await openAdapter(backend, await weightsOf(adapter)));
    });
    afterAll(() => backend[Symbol.asyncDispose]());

    const weightsOf = async (adapter: string): Promise<LoraWeights> =>
      (await readAdapter(join(folderOf(name, adapter), 'lora'))).weights;
    const use = (index: number, weight = 1): AdapterUse => ({ adapter: loaded[index] as Adapter, weight });
    const patchLength = (): number => backend.info.patchSize * backend.info.featureDim;

    /** A text with a voice, so that every kind of matrix is used; longer for later members. */
    function prefix(member: number): Prefix {
      const audio = (patches: number): Float32Array => seededNoise(member).next(patches * patchLength());
      const textIds = Int32Array.from({ length: 4 + 9 * member }, (_, at) => 300 + 7 * at + member);
      const isModel2 = backend.info.architecture === 'voxcpm2';
      return buildPrefix(backend.info, { textIds, prompt: audio(3), ...(isModel2 && { reference: audio(9) }) });
    }

    const open = (member: number, adapter?: AdapterUse): Promise<Session> =>
      backend.open({ ...prefix(member), cfg: 2, timesteps: 4, adapter });

    /** Latents of three patches of each session, computed together. */
    async function speak(sessions: readonly Session[], members = sessions.map((_, member) => member)) {
      const patches: Float32Array[][] = sessions.map(() => []);
      for (let step = 0; step < 3; step += 1) {
        const made = await backend.step(
          sessions.map((session, index) => ({
            session,
            noise: seededNoise(100 * step + (members[index] as number)).next(patchLength()),
          })),
        );
        for (const [index, { patch }] of made.entries()) patches[index]?.push(patch);
      }
      for (const session of sessions) await session.close();
      return patches.map(concatenate);
    }
    const alone = async (member: number, adapter?: AdapterUse): Promise<Float32Array> =>
      (await speak([await open(member, adapter)], [member]))[0] as Float32Array;

    it('computes different adapters and none in one batch, each as alone', async () => {
      // Neighbors with the same adapter, and with another weight of it.
      const uses = [use(0), undefined, use(1), use(2), use(2), use(2, 0.5), use(0)];
      const sessions: Session[] = [];
      for (const [member, adapter] of uses.entries()) sessions.push(await open(member, adapter));
      const together = await speak(sessions);
      for (const [member, adapter] of uses.entries()) {
        expect(largestDifference(together[member] as Float32Array, await alone(member, adapter))).toBeLessThan(1e-4);
      }
    });

    it('computes nothing with weight 0 and a part of the update with a smaller weight', async () => {
      const base = await alone(0);
      expect(await alone(0, use(0, 0))).toEqual(base);
      expect(largestDifference(await alone(0, use(0)), base)).toBeGreaterThan(0.1);
      const { scale, updates } = await weightsOf('all');
      const half = await openAdapter(backend, { scale: scale / 2, updates });
      const expected = await alone(0, { adapter: half, weight: 1 });
      expect(largestDifference(await alone(0, use(0, 0.5)), expected)).toBeLessThan(1e-4);
      await half.close();
    });

    it('fails alone with an adapter that overflows', async () => {
      const { scale, updates } = await weightsOf('all');
      const large = updates.map(({ target, rank, a, b }) => ({
        target,
        rank,
        a: a.map((x) => x * 1e30),
        b: b.map((x) => x * 1e30),
      }));
      const broken = await openAdapter(backend, { scale, updates: large });
      const sessions = [await open(0), await open(1, { adapter: broken, weight: 1 }), await open(2, use(0))];
      const expected = [await alone(0), undefined, await alone(2, use(0))];
      for (let step = 0; step < 3; step += 1) {
        const noise = [0, 1, 2].map((member) => seededNoise(100 * step + member).next(patchLength()));
        const made = await backend.step(sessions.map((session, at) => ({ session, noise: noise[at] as Float32Array })));
        expect(made.map(({ failure }) => failure)).toEqual([
          undefined,
          expect.stringContaining('infinity or NaN with the adapter'),
          undefined,
        ]);
        for (const member of [0, 2]) {
          const whole = expected[member] as Float32Array;
          const part = whole.subarray(step * patchLength(), (step + 1) * patchLength());
          expect(largestDifference(made[member]?.patch as Float32Array, part)).toBeLessThan(1e-4);
        }
      }
      for (const session of sessions) await session.close();
      await broken.close();
    });

    it('keeps a voice apart for each adapter', async () => {
      const expected = [await alone(1), await alone(1, use(0)), await alone(1, use(1))];
      expect(await alone(1)).toEqual(expected[0]);
      expect(await alone(1, use(0))).toEqual(expected[1]);
      expect(largestDifference(expected[0] as Float32Array, expected[1] as Float32Array)).toBeGreaterThan(0.1);
      expect(largestDifference(expected[1] as Float32Array, expected[2] as Float32Array)).toBeGreaterThan(0.1);
    });

    it('unloads an adapter while a session uses it', async () => {
      const expected = await alone(2, use(0));
      const adapter = await openAdapter(backend, await weightsOf('all'));
      const session = await open(2, { adapter, weight: 1 });
      await adapter.close();
      await adapter.close();
      expect((await speak([session], [2]))[0]).toEqual(expected);
      await expect(open(2, { adapter, weight: 1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    });
  },
);
