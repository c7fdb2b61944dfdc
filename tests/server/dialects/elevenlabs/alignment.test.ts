import { describe, expect, it } from '@jest/globals';
import type { TimedSentence } from '../../../../src/engine/timing/timed-text.ts';
import { charactersOf, createAlignments } from '../../../../src/server/dialects/elevenlabs/alignment.ts';

function sentence(text: string, times: Readonly<Record<string, readonly [number, number]>>): TimedSentence {
  const words = Object.entries(times).map(([word, [start, end]]) => ({ text: word, start, end }));
  return { text, start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0, words, method: 'estimated' };
}

const hello = sentence('Hi you.', { Hi: [0.1, 0.3], 'you.': [0.4, 0.8] });

describe('characters', () => {
  it('share the time of their word, and a space lasts to the next word', () => {
    const timed = charactersOf(hello).map(({ text, start, end }) => `${text}${start.toFixed(1)}-${end.toFixed(1)}`);
    expect(timed).toEqual(['H0.1-0.2', 'i0.2-0.3', ' 0.3-0.4', 'y0.4-0.5', 'o0.5-0.6', 'u0.6-0.7', '.0.7-0.8']);
  });

  it('are code points, also without spaces between words', () => {
    const timed = charactersOf(sentence('你好𠀀。', { 你: [0, 1], 好: [1, 2], '𠀀。': [2, 3] }));
    expect(timed.map(({ text, start }) => `${text}${start}`)).toEqual(['你0', '好1', '𠀀2', '。2.5']);
  });

  it('are all of the text when a word is not in it, and never go back in time', () => {
    const timed = charactersOf(sentence('a b! ', { a: [0, 1], other: [1, 2] }));
    expect(timed.map(({ text }) => text).join('')).toBe('a b! ');
    for (const [index, { start, end }] of timed.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual(timed[index - 1]?.end ?? 0);
    }
  });
});

describe('alignments', () => {
  it('have times in whole milliseconds', () => {
    const timed = createAlignments()([sentence('Hi', { Hi: [0.12345, 0.45678] })]);
    expect(timed?.character_start_times_seconds).toEqual([0.123, 0.29]);
    expect(timed?.character_end_times_seconds).toEqual([0.29, 0.457]);
  });

  it('have a space between two sentences, in one piece and in several', () => {
    const later = sentence('Bye.', { 'Bye.': [1, 1.4] });
    const whole = createAlignments()([hello, later]);
    const align = createAlignments();
    const pieces = [align([hello]), align([]), align([later])];
    expect(whole?.characters.join('')).toBe('Hi you. Bye.');
    expect(pieces.map((piece) => piece?.characters.join(''))).toEqual(['Hi you.', undefined, ' Bye.']);
    const starts = pieces.flatMap((piece) => piece?.character_start_times_seconds ?? []);
    expect(starts).toEqual(whole?.character_start_times_seconds);
    expect(whole?.character_start_times_seconds.slice(7, 9)).toEqual([0.8, 1]);
    expect(whole?.character_end_times_seconds.at(-1)).toBe(1.4);
  });
});
