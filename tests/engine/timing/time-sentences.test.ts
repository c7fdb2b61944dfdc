import { describe, expect, it } from '@jest/globals';
import { timeSentences } from '../../../src/engine/timing/time-sentences.ts';

const sampleRate = 8000;
/** A second with sound from 0.2 s on. */
const sound = (seconds: number): Float32Array =>
  Float32Array.from({ length: sampleRate }, (_, at) =>
    at >= 0.2 * sampleRate && at < (0.2 + seconds) * sampleRate ? Math.sin(at / 3) / 2 : 0,
  );

it('are those of the words as written where others were spoken', () => {
  const spoken = 'It cost five dollars. On May fifth, twenty twenty-six, it was more.';
  const stretches = [
    { start: 8, end: 20, written: '$5' },
    { start: 25, end: 53, written: '5/5/2026' },
  ];
  const [first, second] = timeSentences(spoken, { samples: sound(0.7), sampleRate, start: 0, rate: 1, stretches });
  expect(first?.text).toBe('It cost $5.');
  expect(first?.words.map(({ text }) => text)).toEqual(['It', 'cost', '$5.']);
  expect(second?.text).toBe('On 5/5/2026, it was more.');
  expect(second?.words.map(({ text }) => text)).toEqual(['On', '5/5/2026,', 'it', 'was', 'more.']);
  expect(second?.words[1]?.end).toBe(second?.words[2]?.start);
});

describe('times of words', () => {
  const text = 'One two three. Four, is it? Yes.';
  /** A head that reads the whole text in the first half of the sound. */
  const patches = Array.from({ length: 20 }, (_, patch) => Float32Array.of(Math.min(31, Math.max(0, patch - 4) * 4)));
  const reading = { text, tokenStarts: Int32Array.from(text, (_, index) => index), patches };

  it.each([
    ['a head that is early', sound(0.5), { reading, rate: 1, start: 2 }, 'attention'],
    ['little sound', sound(0.02), { rate: 1, start: 2 }, 'estimated'],
    ['a high rate', sound(0.02), { rate: 4, start: 2 }, 'estimated'],
    ['no sound', sound(0), { rate: 1, start: 2 }, 'estimated'],
    ['a beginning that is cut', sound(0.5), { rate: 1, start: -0.5 }, 'estimated'],
  ])('go on and last with %s', (_, samples, part, method) => {
    const sentences = timeSentences(text, { samples, sampleRate, ...part });
    expect(sentences.map((sentence) => sentence.method)).toEqual([method, method, method]);
    const words = sentences.flatMap((sentence) => sentence.words);
    expect(words).toHaveLength(7);
    let last = Math.max(0, part.start);
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end - start).toBeGreaterThan(0.01);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(part.start + 1 / part.rate);
  });
});
