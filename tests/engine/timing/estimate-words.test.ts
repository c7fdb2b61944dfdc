import { describe, expect, it } from '@jest/globals';
import { estimateWords, voicedRuns } from '../../../src/engine/timing/estimate-words.ts';
import { speechWeight } from '../../../src/engine/timing/syllables.ts';

const rate = 16_000;

/** A tone from and to each pair of seconds, silence elsewhere. */
function tones(length: number, ...pairs: readonly (readonly [from: number, to: number])[]): Float32Array {
  const samples = new Float32Array(length * rate);
  for (const [from, to] of pairs) {
    for (let at = from * rate; at < to * rate; at += 1) samples[at] = Math.sin(at / 3) / 2;
  }
  return samples;
}

describe('words', () => {
  it('weigh by their syllables', () => {
    const weights = ['a', 'cat', 'water', 'banana', 'university'].map(speechWeight);
    expect(weights).toEqual([...weights].sort((one, other) => one - other));
    expect(speechWeight('时')).toBeCloseTo(1);
    expect(speechWeight('1984')).toBeGreaterThan(5);
    expect(speechWeight('—')).toBe(0.5);
    expect(speechWeight('שלום')).toBeGreaterThan(1);
  });
});

describe('estimated word times', () => {
  it('put the pauses that are heard where the punctuation is', () => {
    const words = estimateWords('One two, three four five.', tones(4, [0.5, 1.3], [2, 3.5]), rate);
    expect(words.map(({ text }) => text)).toEqual(['One', 'two,', 'three', 'four', 'five.']);
    expect(words[0]?.start).toBeCloseTo(0.5, 1);
    expect(words[1]?.end).toBeCloseTo(1.3, 1);
    expect(words[2]?.start).toBeCloseTo(2, 1);
    expect(words[4]?.end).toBeCloseTo(3.5, 1);
  });

  it('take a pause without punctuation as part of the sound', () => {
    const words = estimateWords('one two three four', tones(4, [0, 1.8], [2.2, 4]), rate);
    expect(words[0]?.start).toBeCloseTo(0, 1);
    expect(words[3]?.end).toBeCloseTo(4, 1);
  });

  it('never go back', () => {
    const words = estimateWords('A, b, c, d, e, f, g.', tones(3, [0.1, 0.4], [0.7, 1], [1.5, 1.7], [2, 2.9]), rate);
    const edges = words.flatMap(({ start, end }) => [start, end]);
    expect(edges).toEqual([...edges].sort((one, other) => one - other));
  });

  it('of silence cover all of it', () => {
    expect(estimateWords('one two', new Float32Array(rate), rate)).toEqual([
      { text: 'one', start: 0, end: 1 },
      { text: 'two', start: 0, end: 1 },
    ]);
  });

  it('of no words are none', () => expect(estimateWords(' ', tones(1, [0, 1]), rate)).toEqual([]));

  it('bridge short silences and find long ones', () => {
    expect(voicedRuns(tones(2, [0.5, 0.8], [0.85, 1]), rate)).toHaveLength(1);
    expect(voicedRuns(tones(2, [0.5, 0.8], [1.2, 1.5]), rate)).toHaveLength(2);
    expect(voicedRuns(new Float32Array(0), rate)).toEqual([]);
  });
});
