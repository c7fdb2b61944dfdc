/** Cached encodings of a recording give the same patches as computing them again. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { concatenate } from '../../src/concatenate.ts';
import type { Prefix } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { buildPrefix } from '../../src/engine/prefix.ts';

const steps = 3;

const open = (model: string): Promise<NativeBackend> =>
  openNativeBackend(join(process.cwd(), 'tests', 'fixtures', `peer-${model}.gguf`), { backend: 'cpu', threads: 1 });

const patchLength = ({ info }: NativeBackend): number => info.patchSize * info.featureDim;

async function speak(backend: NativeBackend, prefix: Prefix): Promise<Float32Array> {
  const session = await backend.open(prefix, { cfg: 2, timesteps: 4 });
  const noise = seededNoise(5);
  const patches: Float32Array[] = [];
  for (let step = 0; step < steps; step++) {
    const [made] = await backend.step([{ session, noise: noise.next(patchLength(backend)) }]);
    patches.push((made as { patch: Float32Array }).patch);
  }
  await session.close();
  return concatenate(patches);
}

/** Result of a prefix on a model without caches. */
async function alone(model: string, prefix: Prefix): Promise<Float32Array> {
  const backend = await open(model);
  const patches = await speak(backend, prefix);
  await backend[Symbol.asyncDispose]();
  return patches;
}

describe.each(['tiny-v1', 'tiny-v15', 'tiny-v2'])('%s', (model) => {
  it('generates the same with a voice that was used before', async () => {
    const backend = await open(model);
    const textIds = Int32Array.from([300, 307, 314]);
    const audio = (seed: number, patches: number): Float32Array =>
      seededNoise(seed).next(patches * patchLength(backend));
    const isModel2 = backend.info.architecture === 'voxcpm2';
    const prefixOf = (seed: number, ids: Int32Array): Prefix =>
      buildPrefix(backend.info, {
        textIds: ids,
        prompt: audio(seed, 3),
        ...(isModel2 ? { reference: audio(seed + 1, 9) } : {}),
      }).prefix;
    const first = prefixOf(20, textIds);
    const otherText = prefixOf(20, Int32Array.from([411, 402]));
    const otherVoice = prefixOf(40, textIds);
    const expected = new Map<Prefix, Float32Array>();
    for (const prefix of [first, otherText, otherVoice]) expected.set(prefix, await alone(model, prefix));
    for (const prefix of [first, otherVoice, first, otherText, otherVoice, otherText]) {
      expect(await speak(backend, prefix)).toEqual(expected.get(prefix));
    }
    expect(expected.get(first)).not.toEqual(expected.get(otherVoice));
    await backend[Symbol.asyncDispose]();
  });
});

it('computes a reference once', async () => {
  const backend = await open('tiny-v2');
  const reference = seededNoise(3).next(240 * patchLength(backend));
  const times: number[] = [];
  for (const id of [300, 301, 302, 303]) {
    const { prefix } = buildPrefix(backend.info, { textIds: Int32Array.from([id]), reference });
    // CPU time, which other processes affect little
    const before = process.cpuUsage();
    const session = await backend.open(prefix, { cfg: 2, timesteps: 4 });
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
    await session.close();
  }
  const [first = 0, ...others] = times;
  expect(Math.min(...others)).toBeLessThan(first / 2);
  await backend[Symbol.asyncDispose]();
});
