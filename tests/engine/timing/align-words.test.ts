import { describe, expect, it } from '@jest/globals';
import { alignWords, ascending, monotony, type Reading } from '../../../src/engine/timing/align-words.ts';
import { estimateWords } from '../../../src/engine/timing/estimate-words.ts';

const rate = 16_000;

/** One token a character, as in the demo model. */
const reading = (text: string, ...heads: readonly (readonly number[])[]): Reading => ({
  text,
  tokenStarts: Int32Array.from(text, (_, index) => index),
  patches: (heads[0] ?? []).map((_, patch) => Float32Array.from(heads, (head) => head[patch] as number)),
});

/** A tone in each pair of seconds, silence elsewhere. */
function tones(seconds: number, ...pairs: readonly (readonly [from: number, to: number])[]): Float32Array {
  return Float32Array.from({ length: seconds * rate }, (_, at) =>
    pairs.some(([from, to]) => at >= from * rate && at < to * rate) ? Math.sin(at / 3) / 2 : 0,
  );
}

/** Aligns the words of a text in `samples`; undefined without a head that follows it. */
const align = (text: string, samples: Float32Array, given: Reading) =>
  alignWords(estimateWords(text, samples, rate), samples, rate, given);

const steady = (patches: number, from: number, to: number): number[] =>
  Array.from({ length: patches }, (_, patch) => from + ((to - from) * patch) / (patches - 1));
const wandering = Array.from({ length: 20 }, (_, patch) => (patch * 7) % 11);

describe('words by attention', () => {
  // 'one' is read in the first half second, 'two three' in the rest
  const text = 'one two three';
  const slowFirst = [...steady(5, 0, 2.6), ...steady(15, 3.6, 12)];
  const sound = tones(2, [0, 2]);

  it('begin where the heads arrive at them', () => {
    const words = align(text, sound, reading(text, wandering, slowFirst));
    expect(words?.map((word) => word.text)).toEqual(['one', 'two', 'three']);
    expect(words?.[0]).toMatchObject({ start: 0 });
    expect(words?.[1]?.start).toBeCloseTo(0.5, 1);
    expect(words?.[0]?.end).toBe(words?.[1]?.start);
    expect(words?.[2]?.end).toBeCloseTo(2, 2);
  });

  it('are the same with tokens of several letters', () => {
    const tokenStarts = Int32Array.of(0, 4, 6, 8, 11);
    const looks = [...steady(5, 0, 0.4), ...steady(15, 0.6, 4)].map((look) => [look]);
    const patches = looks.map((look) => Float32Array.from(look));
    const words = align(text, sound, { text, tokenStarts, patches }) ?? [];
    expect(words[1]?.start).toBeCloseTo(0.5, 1);
    expect(words[2]?.start).toBeCloseTo(1.3, 1);
  });

  it('begin after a pause and end before it', () => {
    const spoken = tones(2, [0.1, 0.6], [1, 1.9]);
    const looks = [...steady(7, 0, 3), ...steady(13, 3.6, 12)];
    const [one, two, three] = align(text, spoken, reading(text, looks)) ?? [];
    expect(one?.start).toBeCloseTo(0.1, 2);
    expect(one?.end).toBeCloseTo(0.6, 2);
    expect(two?.start).toBeCloseTo(1, 2);
    expect(three?.end).toBeCloseTo(1.9, 2);
  });

  it.each<[string, readonly (readonly number[])[]]>([
    ['wander', [wandering]],
    ['go back', [steady(20, 12, 0)]],
    ['stay at a token', [steady(20, 5, 5)]],
    ['read only the beginning', [steady(20, 0, 6)]],
    ['are far ahead', [steady(20, 0, 12).map((_, patch) => Math.min(12, patch * 2.4))]],
    ['are none', []],
  ])('are not given by heads that %s', (_, heads) => {
    expect(align(text, sound, reading(text, ...heads))).toBeUndefined();
  });

  it('are not given in silence, nor for a text that the model was not given', () => {
    expect(align(text, tones(2), reading(text, slowFirst))).toBeUndefined();
    expect(align('one four', sound, reading(text, slowFirst))).toBeUndefined();
  });

  it('never go back, even where the model skips words', () => {
    const jump = [...steady(10, 0, 2), ...steady(10, 10, 12)];
    const words = align(text, tones(2, [0.2, 0.9], [1.1, 1.8]), reading(text, jump)) ?? [];
    const edges = words.flatMap(({ start, end }) => [start, end]);
    expect(edges).toHaveLength(6);
    expect(edges).toEqual([...edges].sort((one, other) => one - other));
  });
});

describe('monotony', () => {
  it.each([
    [[0, 1, 2, 3, 4], 5, 1],
    [[0, 1, 1, 2, 4], 5, 1],
    [[0, 4, 1, 2, 4], 5, 0.8],
    [[4, 3, 2, 1, 0], 5, 0],
    [[0, 1, 2], 5, 0.5],
    [[0], 1, 0],
  ])('of %j over %i tokens is %d', (looks, tokens, expected) => expect(monotony(looks, tokens)).toBeCloseTo(expected));
});

describe('ascending', () => {
  it.each(['1 2 3 = 1 2 3', '1 3 2 4 = 1 2.5 2.5 4', '3 2 1 = 2 2 2', ' = '])('of %s', (row) => {
    const [values = [], expected] = row.split(' = ').map((list) => list.split(' ').filter(Boolean).map(Number));
    expect(ascending(values)).toEqual(expected);
  });
});
