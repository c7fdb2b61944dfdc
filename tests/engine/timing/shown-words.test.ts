import { describe, expect, it } from '@jest/globals';
import { entriesOf, type LexiconEntry } from '../../../src/engine/lexicon/lexicon.ts';
import { wordsOf } from '../../../src/engine/text/words.ts';
import { timeSentences } from '../../../src/engine/timing/time-sentences.ts';
import { cases } from '../cases.ts';

const sampleRate = 8000;
const samples = Float32Array.from({ length: 4 * sampleRate }, (_, at) => Math.sin(at / 3) / 2);

const shown = (text: string, lexicon?: readonly LexiconEntry[]) =>
  timeSentences(text, { samples, sampleRate, start: 1, rate: 1 }, lexicon)
    .map((sentence) => `${sentence.text} = ${sentence.words.map((word) => word.text).join('|')}`)
    .join(' / ');

describe('words that are shown', () => {
  it.each(cases('shown'))('of $given are $expected', ({ given, expected }) => expect(shown(given)).toBe(expected));

  it.each(cases('shown with a lexicon'))('of $given with a lexicon are $expected', ({ given, expected }) => {
    const lexicon = entriesOf({
      ...{ root: '{R UW1 T}', route: '{R UW1 T}', 重庆: '{chong2}庆', 你好: '{ni3}{hao3}', 你: '{ni3}' },
      ...{ 'New York': '{N UW1} Yark', gif: 'jif' },
    });
    expect(shown(given, lexicon)).toBe(expected);
  });

  it('keep their times', () => {
    const [plain] = timeSentences('One two three.', { samples, sampleRate, start: 1, rate: 1 });
    const [tagged] = timeSentences('One [laughing] three.', { samples, sampleRate, start: 1, rate: 1 });
    expect(tagged?.words).toHaveLength(2);
    expect(tagged?.end).toBe(plain?.end);
    const [one, three] = tagged?.words ?? [];
    expect((three?.start ?? 0) - (one?.end ?? 0)).toBeGreaterThan(0.5);
  });

  it.each([
    ['Say {HH AH0 L OW1}, 你{ni3}{hao3}。', ['Say', '{HH AH0 L OW1},', '你', '{ni3}', '{hao3}。']],
    ['a{ni3}b [sigh]', ['a', '{ni3}', 'b', '[sigh]']],
  ])('of %j are split to %j', (text, words) => expect(wordsOf(text)).toEqual(words));
});
