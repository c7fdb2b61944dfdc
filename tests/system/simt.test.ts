/** The CUDA kernels and their executor on a model of the GPU: checkpoints, adapters, weight types, batches. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportGguf } from '../../export/export-gguf.ts';
import { type WeightType, weightTypes } from '../../export/gguf/tensor-types.ts';
import { parseModelConfig } from '../../export/model-config.ts';
import { syntheticAdapter } from '../../src/bench/synthetic/adapter.ts';
import type { AdapterUse, Prefix, Session } from '../../src/engine/backend.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { buildPrefix } from '../../src/engine/prefix.ts';
import { compareGolden } from '../golden/compare.ts';
import { compareLora, openAdapter } from '../golden/lora.ts';
import { values } from '../golden/stages.ts';
import { fixtures } from '../golden/tiny-models.ts';
import { writeWeightTypes } from '../golden/write-weight-types.ts';
import { relativeError } from '../support/relative-errors.ts';
import { sharedFolder } from '../support/test-folder.ts';

const options = { type: 'f32', backend: 'cpu', threads: 1, kernels: 'simt' } as const;
const open = (path: string, kernels = 'simt'): Promise<NativeBackend> =>
  openNativeBackend(path, { backend: 'cpu', threads: 1, kernels });

describe('golden data of the official implementation', () => {
  it.each([
    ['tiny-v1', 'cont_short', 'simt'],
    ['tiny-v15', 'cont_short', 'simt'],
    ['tiny-v2', 'refcont_short', 'simt'],
    ['tiny-h64', 'zs_n4_cfg1', 'simt'],
    ['tiny-h128', 'zs_n4_cfg1', 'simt'],
    ['tiny-v1', 'cont_short', 'simt-warpgroups'],
    ['tiny-v2', 'refcont_short', 'simt-warpgroups'],
    ['tiny-h128', 'zs_n4_cfg1', 'simt-warpgroups'],
  ])('%s matches, %s on %s', async (name, run, kernels) => {
    const directory = join(fixtures, name);
    const { checks, failures } = await compareGolden({ ...options, kernels, directory, runs: [run] });
    expect(failures).toEqual([]);
    expect(checks.filter(({ verdict }) => verdict === 'ok').length).toBeGreaterThan(80);
  });

  const adapters = ['tiny-v1', 'tiny-v15', 'tiny-v2'].flatMap((name) =>
    ['all', 'lm', 'dit'].map((part) => [name, part, 'simt'] as const),
  );
  it.each([...adapters, ['tiny-v2', 'all', 'simt-warpgroups'] as const])(
    '%s matches with the adapter of %s on %s',
    async (name, part, kernels) => {
      const { failures } = await compareLora({
        ...options,
        kernels,
        directory: join(fixtures, name),
        model: join(fixtures, `peer-${name}.gguf`),
        adapter: join(fixtures, 'lora', `${name}-${part}`),
      });
      expect(failures).toEqual([]);
    },
  );
});

const prefixOf = (length: number, member = 0): Prefix => ({
  tokens: Int32Array.from({ length }, (_, index) => 300 + ((7 * index + member) % 100)),
  audioMask: new Uint8Array(length),
  features: new Float32Array(0),
});

/** Hidden states and patch of the first step. */
async function firstStep(backend: NativeBackend, length: number, adapter?: AdapterUse) {
  const { patchSize, featureDim } = backend.info;
  const session = await backend.open({ ...prefixOf(length), cfg: 2, timesteps: 2, adapter });
  const [trace] = await backend.traceStep([{ session, noise: seededNoise(5).next(patchSize * featureDim) }]);
  await session.close();
  if (trace?.lmHidden === undefined) throw new Error('the step has no trace');
  return { hidden: trace.lmHidden, patch: trace.patch };
}

describe('weight types', () => {
  const folder = sharedFolder();
  const checkpoint = join(fixtures, 'tiny-h64', 'checkpoint');
  beforeAll(() => writeWeightTypes(checkpoint, folder));

  /** Others become bytes, and activations too, which are multiplied many times for a patch. */
  const isFloat = (type: WeightType): boolean => ['f32', 'f16', 'bf16'].includes(type);

  const all = weightTypes.map((type) => ({ type, kernels: 'simt' }));
  const byWarpgroups = (['bf16', 'q8_0'] as const).map((type) => ({ type, kernels: 'simt-warpgroups' }));
  it.each([...all, ...byWarpgroups])('$type on $kernels', async ({ type, kernels }) => {
    const config = parseModelConfig(JSON.parse(await readFile(join(checkpoint, 'config.json'), 'utf8')), 'config.json');
    const update = syntheticAdapter(config, { targets: ['lm, dit', 'proj'], rank: 20, seed: 1, strength: 0.5 });
    await using backend = await open(join(folder, `${type}.gguf`), kernels);
    await using exact = await open(join(folder, `${type}-exact.gguf`), '');
    const use = async (of: NativeBackend): Promise<AdapterUse> => ({
      adapter: await openAdapter(of, update),
      weight: 1,
    });
    const errors: Record<string, number> = {};
    for (const length of [2, 81]) {
      for (const adapted of [false, true]) {
        const adapters = adapted ? [await use(backend), await use(exact)] : [];
        const made = await firstStep(backend, length, adapters[0]);
        const expected = await firstStep(exact, length, adapters[1]);
        for (const part of ['hidden', 'patch'] as const)
          errors[`${part} after ${length}${adapted ? ', adapted' : ''}`] = relativeError(made[part], expected[part]);
      }
    }
    const bound = (output: string): number => (isFloat(type) ? 0.01 : output.startsWith('patch') ? 0.06 : 0.03);
    expect(Object.entries(errors).filter(([output, error]) => !(error <= bound(output)))).toEqual([]);
  });
});

// Heads of several sizes, and the second version, which joins the hidden states.
describe.each([
  { name: 'tiny-v1', kernels: 'simt', bound: 0.02 },
  { name: 'tiny-v2', kernels: 'simt', bound: 0.02 },
  { name: 'tiny-h64', kernels: 'simt', bound: 0.02 },
  // Its roundings grow more from step to step.
  { name: 'tiny-h128', kernels: 'simt', bound: 0.05 },
  { name: 'tiny-v1', kernels: 'simt-warpgroups', bound: 0.02 },
])('batches of $name on $kernels', ({ name, kernels, bound }) => {
  const members = 8;
  const folder = sharedFolder();
  const path = join(folder, 'model.gguf');
  let backend: NativeBackend;
  beforeAll(async () => {
    const { quantize } = await loadAddon();
    await exportGguf({ checkpoint: join(fixtures, name, 'checkpoint'), output: path, type: 'bf16', quantize });
    backend = await open(path, kernels);
  });
  afterAll(() => backend[Symbol.asyncDispose]());

  const length = (member: number): number => 3 + 11 * member;
  const noise = (member: number, step: number): Float32Array =>
    seededNoise(100 * step + member).next(backend.info.patchSize * backend.info.featureDim);
  const openMember = (member: number): Promise<Session> =>
    backend.open({ ...prefixOf(length(member), member), cfg: 1.5 + member / 8, timesteps: 2 });

  /** Patch and samples of the next step of each. */
  async function next(joined: ReadonlyMap<number, Session>, steps: Map<number, number>) {
    const parts = [...joined].map(([member, session]) => ({ member, session, step: steps.get(member) ?? 0 }));
    const made = await backend.step(
      parts.map(({ member, session, step }) => ({ session, noise: noise(member, step) })),
    );
    const patches = parts.map(({ session }, at) => ({ session, patches: made[at]?.patch as Float32Array }));
    const samples = await backend.decode(patches);
    for (const { member, step } of parts) steps.set(member, step + 1);
    return parts.map(({ member, step }, at) => ({
      name: `${member}.${step}`,
      patch: made[at]?.patch as Float32Array,
      samples: samples[at] as Float32Array,
    }));
  }

  /** How often work was recorded, and rows of the cache copied. */
  const counts = async (): Promise<{ readonly recorded: number; readonly copied: number }> => {
    const outputs = await backend.model.probe('recordings', {}, {});
    return { recorded: values(outputs, 'count')[0] as number, copied: values(outputs, 'copies')[0] as number };
  };

  /** Steps of these sets of members, who join and leave. */
  const turns = [[0], [0, 1], [0, 1, 2], [1, 2, 3], [0, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6, 7], [5, 6, 7], [7, 6]];

  async function speak(): Promise<Map<string, { patch: Float32Array; samples: Float32Array }>> {
    const sessions = new Map<number, Session>();
    const steps = new Map<number, number>();
    const all = new Map<string, { patch: Float32Array; samples: Float32Array }>();
    for (const turn of turns) {
      const joined = new Map<number, Session>();
      for (const member of turn) {
        const session = sessions.get(member) ?? (await openMember(member));
        sessions.set(member, session);
        joined.set(member, session);
      }
      const { copied } = await counts();
      for (const { name, ...made } of await next(joined, steps)) all.set(name, made);
      expect(await counts()).toMatchObject({ copied });
    }
    for (const session of sessions.values()) await session.close();
    return all;
  }

  it('computes each member as alone, and records and copies nothing for those who come and go', async () => {
    const together = await speak();
    const { recorded } = await counts();
    await speak();
    expect(await counts()).toMatchObject({ recorded });
    const errors: Record<string, number> = {};
    for (let member = 0; member < members; member++) {
      const session = await openMember(member);
      const steps = new Map<number, number>();
      for (let step = 0; together.has(`${member}.${step}`); step++) {
        const [alone] = await next(new Map([[member, session]]), steps);
        const made = together.get(`${member}.${step}`);
        errors[`patch ${member}.${step}`] = relativeError(made?.patch, alone?.patch);
        errors[`samples ${member}.${step}`] = relativeError(made?.samples, alone?.samples);
      }
      await session.close();
    }
    expect(Object.keys(errors).length).toBe(2 * turns.flat().length);
    expect(Object.entries(errors).filter(([, error]) => !(error <= bound))).toEqual([]);
  });

  it('takes over what is kept of a voice', async () => {
    await using fresh = await open(path, kernels);
    const length = fresh.info.patchSize * fresh.info.featureDim;
    const textIds = Int32Array.from({ length: 90 }, (_, at) => 300 + ((7 * at) % 70));
    const { context, ...prefix } = buildPrefix(fresh.info, { textIds, prompt: seededNoise(1).next(30 * length) });
    const speak = async (): Promise<readonly Float32Array[]> => {
      const session = await fresh.open({ ...prefix, cfg: 2, timesteps: 2 });
      const before = await fresh.decode([{ session, patches: context }]);
      const [made] = await fresh.step([{ session, noise: noise(0, 0) }]);
      const after = await fresh.decode([{ session, patches: made?.patch as Float32Array }]);
      await session.close();
      return [...before, made?.patch as Float32Array, ...after];
    };
    const first = await speak();
    expect(fresh.voiceMemory()?.remembered).toBe(0);
    const errors = (await speak()).map((values, index) => relativeError(values, first[index]));
    expect(fresh.voiceMemory()?.remembered).toBeGreaterThan(0);
    expect(errors.filter((error) => !(error <= bound))).toEqual([]);
  });
});
