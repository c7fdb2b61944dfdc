import { describe, expect, it } from '@jest/globals';
import { entriesOf, type LexiconEntry } from '../../../src/engine/lexicon/lexicon.ts';
import { wordsOf } from '../../../src/engine/text/words.ts';
import { timeSentences } from '../../../src/engine/timing/time-sentences.ts';

const sampleRate = 8000;
const samples = Float32Array.from({ length: 4 * sampleRate }, (_, at) => Math.sin(at / 3) / 2);

const shown = (text: string, lexicon?: readonly LexiconEntry[]) =>
  timeSentences(text, { samples, sampleRate, start: 1, rate: 1 }, lexicon).map((sentence) => [
    sentence.text,
    sentence.words.map((word) => word.text).join('|'),
  ]);

describe('words that are shown', () => {
  it.each([
    ['Hello there.', [['Hello there.', 'Hello|there.']]],
    ['[laughing] Hello [sigh] there.', [['Hello there.', 'Hello|there.']]],
    ['Hello there[Uhm].', [['Hello there.', 'Hello|there.']]],
    ['Say {HH AH0 L OW1}, please.', [['Say, please.', 'Say|please.']]],
    ['你{hao3}吗？', [['你吗？', '你|吗？']]],
    ['One. [Shh]', [['One.', 'One.']]],
    ['[laughing]', []],
    ['See [the note] and {braces here}.', [['See [the note] and {braces here}.', 'See|[the|note]|and|{braces|here}.']]],
    ['The set {1, 2, 3} is small.', [['The set {1, 2, 3} is small.', 'The|set|{1,|2,|3}|is|small.']]],
    ['Hello {name}, {item1} {Name2}.', [['Hello {name}, {item1} {Name2}.', 'Hello|{name},|{item1}|{Name2}.']]],
    ['Say {R UW1 T} {lü4} {Nu:3} {zhuang4} {ni3 hao3} {wanr2} now.', [['Say now.', 'Say|now.']]],
  ])('of %j are %j', (text, expected) => expect(shown(text)).toEqual(expected));

  it.each([
    ['Take {R UW1 T} 66.', [['Take route 66.', 'Take|route|66.']]],
    ['The {R UW1 T}, ({R UW1 T}) and {HH AH0}.', [['The route, (route) and.', 'The|route,|(route)|and']]],
    ['我在{chong2}庆，{ni3}{hao3}。', [['我在重庆，你好。', '我在|重庆，|你好。']]],
    ['{ni3}。', [['你。', '你。']]],
    ['In {N UW1} Yark.', [['In New York.', 'In|New York.']]],
  ])('of %j with a lexicon are %j', (text, expected) => {
    const lexicon = entriesOf({
      ...{ root: '{R UW1 T}', route: '{R UW1 T}', 重庆: '{chong2}庆', 你好: '{ni3}{hao3}', 你: '{ni3}' },
      ...{ 'New York': '{N UW1} Yark', gif: 'jif' },
    });
    expect(shown(text, lexicon)).toEqual(expected);
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
