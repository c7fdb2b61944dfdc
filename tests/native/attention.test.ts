/** What the language model looks at: reported without a change of the audio, and good enough to time words. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { median } from '../../src/bench/statistics.ts';
import type { Step, TextPositions } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createEngineFromBackend, type Engine } from '../../src/engine/engine.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { resolveModelPath } from '../../src/engine/open-engine.ts';
import { createPreparation } from '../../src/engine/prepare.ts';
import { parseRequest } from '../../src/engine/request.ts';
import { fixture } from './lifecycle/child.ts';

/** Starts of words in seconds with seed 1, by pocketsphinx 5.1.1; see bench/timing. */
const aligned: Readonly<Record<string, readonly number[]>> = {
  'Please call me when you get home tonight.': [0, 0.35, 0.62, 0.81, 1, 1.14, 1.37, 1.69],
  'When the music stopped, nobody moved for a while.': [0, 0.21, 0.27, 0.71, 1.25, 1.78, 2.08, 2.32, 2.38],
  'He bought bread, milk, and cheese at the market.': [0, 0.22, 0.49, 0.98, 1.39, 1.66, 1.9, 2.04, 2.13],
};
const sentences = Object.keys(aligned);

let demo: NativeBackend;
let engine: Engine;
beforeAll(async () => {
  demo = await openNativeBackend(await resolveModelPath(), { backend: 'cpu', threads: 1 });
  engine = createEngineFromBackend(demo, { maxBatch: 4 });
});
afterAll(() => engine.close());

describe('words of the demo voice', () => {
  it('are timed by attention, near those of a forced aligner', async () => {
    const errors: number[] = [];
    for (const text of sentences) {
      const { sentences: spoken = [] } = await engine.synthesize({ text, seed: 1 }, { timestamps: 'words' });
      expect(spoken.map(({ method }) => method)).toEqual(['attention']);
      const words = spoken.flatMap((sentence) => sentence.words);
      expect(words.map((word) => word.text)).toEqual(text.split(' '));
      const edges = words.flatMap(({ start, end }) => [start, end]);
      expect(edges).toEqual([...edges].sort((one, other) => one - other));
      errors.push(...words.map(({ start }, index) => Math.abs(start - (aligned[text]?.[index] as number))));
    }
    expect(median(errors)).toBeLessThan(0.06);
  });

  it('leave the audio as it is, also in a batch of parts', async () => {
    const request = { text: sentences.join(' '), seed: 1 };
    const plain = await engine.synthesize(request);
    const timed = await engine.synthesize(request, { timestamps: 'words' });
    expect(timed.parts).toBeGreaterThan(1);
    expect(timed.samples).toEqual(plain.samples);
    expect(timed.sentences).toHaveLength(sentences.length);
    // A part that is spoken badly is estimated: of 30 parts one, and which one depends on the processor's rounding.
    const byAttention = timed.sentences?.filter(({ method }) => method === 'attention');
    expect(byAttention?.length).toBeGreaterThanOrEqual(sentences.length - 1);
  });
});

/** Steps of sessions with the same prefix, all in each batch. */
async function stepsOf(
  backend: NativeBackend,
  texts: readonly (TextPositions | undefined)[],
  count: number,
): Promise<Step[][]> {
  const preparation = createPreparation(backend);
  const request = { ...parseRequest({ text: sentences[0] }), seed: 1 };
  const prefix = await preparation.prepare(request, new AbortController().signal);
  const size = backend.info.patchSize * backend.info.featureDim;
  const noise = texts.map(() => seededNoise(1));
  const sessions = [];
  for (const text of texts) sessions.push(await backend.open({ ...prefix, cfg: 2, timesteps: 4, text }));
  const steps: Step[][] = [];
  for (let index = 0; index < count; index += 1) {
    const inputs = sessions.map((session, at) => ({ session, noise: noise[at]?.next(size) ?? new Float32Array() }));
    steps.push(await backend.step(inputs));
  }
  for (const session of sessions) await session.close();
  return steps;
}

describe('attention', () => {
  it('has a place in the text for each head, only for sessions that want it', async () => {
    const [all, part] = [
      { first: 0, count: 41 },
      { first: 8, count: 5 },
    ];
    for (const [plain, whole, some, again] of await stepsOf(demo, [undefined, all, part, all], 12)) {
      expect(plain?.attention).toBeUndefined();
      expect(whole?.attention).toHaveLength(6 * 5);
      expect(again?.attention).toEqual(whole?.attention);
      for (const look of some?.attention ?? [Number.NaN]) expect(look >= 0 && look <= 4).toBe(true);
      expect(whole?.patch).toEqual(plain?.patch);
    }
  });

  it("is the same on ggml's kernels, up to rounding", async () => {
    const path = await resolveModelPath();
    await using ggml = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels: 'ggml' });
    await using portable = await openNativeBackend(path, { backend: 'cpu', threads: 1, kernels: 'portable' });
    const text = { first: 0, count: 41 };
    const [[theirs], [ours]] = [await stepsOf(ggml, [text], 1), await stepsOf(portable, [text], 1)];
    const differences = Array.from(theirs?.[0]?.attention ?? [], (look, head) =>
      Math.abs(look - (ours?.[0]?.attention?.[head] ?? Number.NaN)),
    );
    expect(differences).toHaveLength(6 * 5);
    expect(median(differences)).toBeLessThan(0.05);
  });

  it.each([
    [-1, 2],
    [0, -1],
    [40, 4],
    [2 ** 31 - 1, 1],
  ])('of %i and %i more positions is refused', async (first, count) => {
    await using backend = await openNativeBackend(fixture('tiny-v2'), { backend: 'cpu', threads: 1 });
    const prefix = { tokens: new Int32Array(42), audioMask: new Uint8Array(42), features: new Float32Array() };
    await expect(backend.open({ ...prefix, cfg: 2, timesteps: 4, text: { first, count } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `text must be positions of the prefix, got ${count} from ${first} of 42`,
    });
  });
});
