/** Captions of ten minutes of speech in six languages, as a player reads them. */
import { expect, it } from '@jest/globals';
import { formatCaptions } from '../../src/captions/captions.ts';
import { displayWidth } from '../../src/captions/display-width.ts';
import { wordsOf } from '../../src/engine/text/words.ts';
import { speechWeight } from '../../src/engine/timing/syllables.ts';
import type { TimedSentence } from '../../src/engine/timing/timed-text.ts';
import { textsByLanguage } from '../support/rows.ts';
import { cuesIn } from './read-captions.ts';

const texts = textsByLanguage('tests/captions/languages.tsv');

const secondsPerWeight = 0.2;
const pauses = [0.05, 0.4, 0.9];

/** Ten minutes of these sentences, with pauses of several lengths between them. */
function spoken(sentences: readonly string[]): readonly TimedSentence[] {
  const timed: TimedSentence[] = [];
  for (let time = 0, count = 0; time < 600; count += 1) {
    const text = sentences[count % sentences.length] as string;
    const start = time;
    const words = wordsOf(text).map((word) => {
      const from = time;
      time += secondsPerWeight * speechWeight(word);
      return { text: word, start: from, end: time };
    });
    timed.push({ text, start, end: time, words, method: 'estimated' });
    time += pauses[count % pauses.length] as number;
  }
  return timed;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const frames = 2 / 25;

it.each(Object.keys(texts))('can be read in %s', (language) => {
  const sentences = spoken(texts[language] as readonly string[]);
  const cues = cuesIn(formatCaptions(sentences, 'srt', { highlight: 'none' }));
  const squeezed = (text: string): string => text.replace(/\s/gu, '');
  expect(squeezed(cues.flatMap(({ lines }) => lines).join(''))).toBe(
    squeezed(sentences.map(({ text }) => text).join('')),
  );
  for (const [index, { start, end, lines }] of cues.entries()) {
    const next = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    // A letter and its marks are one character to a reader.
    const characters = [...graphemes.segment(lines.join(''))].length;
    expect(lines.length).toBeLessThanOrEqual(2);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(42);
    expect(next - end).toBeGreaterThanOrEqual(frames);
    expect(end - start).toBeGreaterThanOrEqual(0.8 - 1e-9);
    expect(end - start).toBeLessThanOrEqual(7 + 1e-9);
    // Speech may be faster than reading; then the cue stays until the next one.
    if (characters / (end - start) > 20.1) expect(next - end).toBeLessThan(0.09);
  }
});
