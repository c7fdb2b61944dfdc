/** What is remembered of voices gives the same bits as computing it again, and stays within bounds. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseModelConfig } from '../../export/model-config.ts';
import { syntheticAdapter } from '../../src/bench/synthetic/adapter.ts';
import type { AdapterUse } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { type BuiltPrefix, buildPrefix } from '../../src/engine/prefix.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';
import { runnableKernels, testableKernels } from '../support/kernels.ts';
import { rounds } from '../support/rounds.ts';
import { openAdapter } from './lora.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const models = {
  'tiny-v1': join(fixtures, 'peer-tiny-v1.gguf'),
  'tiny-v15': join(fixtures, 'peer-tiny-v15.gguf'),
  'tiny-v2': join(fixtures, 'peer-tiny-v2.gguf'),
  // Q8_0
  demo: join(process.cwd(), 'models', 'demo.gguf'),
} as const;
type ModelName = keyof typeof models;

const open = (model: ModelName, kernels = '', threads = 1): Promise<NativeBackend> =>
  openNativeBackend(models[model], { backend: 'cpu', threads, kernels });

const patchLength = ({ info }: NativeBackend): number => info.patchSize * info.featureDim;

/** Text ids, other ones for another seed. */
const ids = (count: number, seed: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => 300 + ((7 * at + seed) % 70));

interface Voice {
  readonly seed: number;
  /** Patches of its prompt, the tokens of its transcript, and patches of its reference. */
  readonly prompt?: number;
  readonly transcript?: number;
  readonly reference?: number;
}

function say(
  backend: NativeBackend,
  { seed, prompt = 0, transcript = 0, reference = 0 }: Voice,
  text: readonly number[],
) {
  const audio = (patches: number, own: number) =>
    patches === 0 ? undefined : seededNoise(own).next(patches * patchLength(backend));
  return buildPrefix(backend.info, {
    textIds: Int32Array.from([...ids(transcript, seed), ...text]),
    prompt: audio(prompt, seed),
    reference: audio(reference, seed + 1000),
  });
}

/** Everything that two steps give, and the samples. */
async function speak(
  backend: NativeBackend,
  { context, ...prefix }: BuiltPrefix,
  adapter?: AdapterUse,
): Promise<readonly Float32Array[]> {
  const session = await backend.open({ ...prefix, cfg: 2, timesteps: 4, adapter });
  const made: Float32Array[] = [];
  const decode = async (patches: Float32Array) => made.push(...(await backend.decode([{ session, patches }])));
  if (context.length > 0) await decode(context);
  const noise = seededNoise(5);
  for (let step = 0; step < 2; step += 1) {
    const [output] = await backend.traceStep([{ session, noise: noise.next(patchLength(backend)) }]);
    if (output === undefined) throw new Error('the step gave nothing');
    const { patch, stopLogits, lmHidden = new Float32Array(), residualHidden = new Float32Array() } = output;
    made.push(patch, stopLogits, lmHidden, residualHidden);
    await decode(patch);
  }
  await session.close();
  return made;
}

const remembered = (backend: NativeBackend): number => backend.voiceMemory()?.remembered ?? Number.NaN;
const bytes = (backend: NativeBackend): number => backend.voiceMemory()?.bytes ?? Number.NaN;

/** The model of tile registers is slow. */
const tested = rounds(runnableKernels, testableKernels);

const cases: readonly [model: ModelName, kernels: string, threads: number][] = [
  ...tested.map((kernels): [ModelName, string, number] => ['tiny-v2', kernels, 1]),
  // The portable ones take ten times as long.
  ...tested.flatMap((kernels): [ModelName, string, number][] => (kernels === 'portable' ? [] : [['demo', kernels, 2]])),
  ['tiny-v1', '', 2],
  ['tiny-v15', '', 1],
];

describe.each(cases)('%s on %s with %i threads', (model, kernels, threads) => {
  it('speaks as if a voice was never used before', async () => {
    await using backend = await open(model, kernels, threads);
    const isModel2 = backend.info.architecture === 'voxcpm2';
    const anna = { seed: 1, transcript: 21, prompt: 70, ...(isModel2 && { reference: 45 }) };
    const utterances = [
      say(backend, anna, ids(9, 2)),
      // Begins with the same 21 tokens, so blocks end elsewhere than slices did.
      say(backend, anna, ids(20, 3)),
      say(backend, { ...anna, seed: 4 }, ids(9, 2)),
      say(backend, { seed: 5 }, ids(120, 6)),
      say(backend, { seed: 5 }, [...ids(77, 6), ...ids(30, 7)]),
    ];
    const fresh: (readonly Float32Array[])[] = [];
    for (const utterance of utterances) {
      await using alone = await open(model, kernels, threads);
      fresh.push(await speak(alone, utterance));
      expect(remembered(alone)).toBe(0);
    }
    for (const index of [0, 1, 2, 3, 4, 1, 0, 4, 2, 3]) {
      const utterance = utterances[index] as BuiltPrefix;
      const before = remembered(backend);
      expect(await speak(backend, utterance)).toEqual(fresh[index]);
      // The first of each voice and text has nothing to take over.
      if (index === 1 || index === 4) expect(remembered(backend)).toBeGreaterThan(before);
    }
    expect(fresh[0]).not.toEqual(fresh[2]);
  });
});

it('takes over what prefixes share, in blocks of eight positions', async () => {
  await using backend = await open('tiny-v1');
  const taken = async (text: readonly number[]): Promise<number> => {
    const before = remembered(backend);
    await speak(backend, say(backend, { seed: 1 }, text));
    return remembered(backend) - before;
  };
  const text = ids(150, 1);
  expect(await taken(text)).toBe(0);
  // The first step computes the last 64 of its 151 positions.
  expect(await taken(text)).toBe(80);
  expect(await taken([...text.slice(0, 37), ...ids(100, 2)])).toBe(32);
  // The last position is never taken over.
  expect(await taken(text.slice(0, 32))).toBe(32);
  expect(await taken(text.slice(0, 31))).toBe(24);
  expect(await taken(text.slice(1))).toBe(0);
});

it('remembers a short reference, whose positions would all fit into the first step', async () => {
  await using backend = await open('tiny-v2');
  const voice = { seed: 1, reference: 20 };
  await speak(backend, say(backend, voice, ids(3, 2)));
  await speak(backend, say(backend, voice, ids(5, 3)));
  expect(remembered(backend)).toBe(16);
});

it('computes a voice once for utterances that start together', async () => {
  await using backend = await open('tiny-v2');
  const scheduler = createScheduler(backend, { maxBatch: 4 });
  const utterances = [2, 3, 4].map((text) => say(backend, { seed: 1, reference: 70 }, ids(9, text)));
  const opening = utterances.map((prefix) => scheduler.open({ ...prefix, cfg: 2, timesteps: 4 }));
  for (const session of await Promise.all(opening)) await session.close();
  // 72 positions with the marks, taken over by the second and the third.
  expect(remembered(backend)).toBe(2 * 72);
});

it('keeps adapters and their weights apart', async () => {
  const config = JSON.parse(await readFile(join(fixtures, 'tiny-v1', 'checkpoint', 'config.json'), 'utf8'));
  const weights = syntheticAdapter(parseModelConfig(config, 'config.json'), {
    targets: ['lm, dit', 'proj'],
    rank: 4,
    seed: 1,
    strength: 0.5,
  });
  await using backend = await open('tiny-v1');
  await using other = await open('tiny-v1');
  const uses = async (model: NativeBackend): Promise<readonly (AdapterUse | undefined)[]> => {
    const adapter = await openAdapter(model, weights);
    return [undefined, { adapter, weight: 1 }, { adapter, weight: 0.5 }];
  };
  const [own, alone] = [await uses(backend), await uses(other)];
  const utterance = say(backend, { seed: 1, transcript: 16, prompt: 90 }, ids(9, 2));
  const spoken = [];
  for (const use of own) {
    const before = remembered(backend);
    spoken.push(await speak(backend, utterance, use));
    expect(remembered(backend)).toBe(before);
  }
  for (const [index, use] of own.entries()) {
    const before = remembered(backend);
    expect(await speak(backend, utterance, use)).toEqual(spoken[index]);
    expect(remembered(backend)).toBeGreaterThan(before);
  }
  expect(await speak(other, utterance, alone[1])).toEqual(spoken[1]);
  expect(spoken[1]).not.toEqual(spoken[2]);
});

it('is bounded, and keeps voices that are used again', async () => {
  await using backend = await open('demo', '', 2);
  const anna = { seed: 1, transcript: 24, prompt: 90 };
  const expected = await speak(backend, say(backend, anna, ids(9, 2)));
  await speak(backend, say(backend, anna, ids(9, 3)));
  const sizes: number[] = [];
  for (let seed = 0; seed < 75; seed += 1) {
    // No two begin with the same token.
    const tokens = Int32Array.from({ length: 250 }, (_, at) => (at === 0 ? 10 + seed : 300 + (at % 70)));
    const prefix = { tokens, audioMask: new Uint8Array(250), features: new Float32Array() };
    const session = await backend.open({ ...prefix, cfg: 2, timesteps: 4 });
    await session.close();
    sizes.push(bytes(backend));
  }
  const bound = 96 * 2 ** 20;
  expect(Math.min(...sizes.slice(-5))).toBeGreaterThan(bound - 2 ** 20);
  // Embeddings and the state of a decoder come on top, of one voice here.
  expect(Math.max(...sizes)).toBeLessThan(bound + 2 * 2 ** 20);
  const before = remembered(backend);
  expect(await speak(backend, say(backend, anna, ids(9, 2)))).toEqual(expected);
  expect(remembered(backend)).toBe(before + 24);
});

it('is not spoilt by a prefix that is given up in the middle', async () => {
  await using backend = await open('tiny-v2');
  await using fresh = await open('tiny-v2');
  const utterance = say(backend, { seed: 1, reference: 120 }, ids(100, 2));
  // After the first 64 patches are embedded, and after all are.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const controller = new AbortController();
    const abort = async (): Promise<void> => controller.abort();
    const opening = backend.open({ ...utterance, cfg: 2, timesteps: 4 }, controller.signal, abort);
    await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' });
  }
  const expected = await speak(fresh, utterance);
  expect(await speak(backend, utterance)).toEqual(expected);
  expect(await speak(backend, utterance)).toEqual(expected);
});
