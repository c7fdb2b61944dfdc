import { describe, expect, it, jest } from '@jest/globals';
import { inTurns } from '../../../../src/event-loop.ts';
import { verbalizeSegments, verbalizeText } from '../../../support/verbalize.ts';
import { countedCopy, growthOf } from '../../../support/work.ts';

const counted = await countedCopy<typeof import('../../../../src/engine/text/verbalize/verbalize.ts')>(
  'src/engine/text/verbalize/verbalize.ts',
);

const mixed: readonly (readonly [text: string, spoken: string])[] = [
  ['他说I have 3 dogs and 2 cats然后走了2次', '他说I have three dogs and two cats然后走了两次'],
  ['我有3个apple', '我有三个apple'],
  ['5%', 'five percent'],
  // Each paragraph in its language.
  [
    'Il totale è 1.234.567 euro.\nThe total is 1.234 euros.\n5',
    'Il totale è un milione duecentotrentaquattromilacinquecentosessantasette euro.\nThe total is one point two three four euros.\nfive',
  ],
  ['ここに3つ', 'ここに三つ'],
  // Each sentence in its language, if its words are clear.
  [
    'Der Preis beträgt 25 Euro pro Monat. The new plan costs 30 dollars and 45 cents. Das sind 5 Euro mehr.',
    'Der Preis beträgt fünfundzwanzig Euro pro Monat. The new plan costs thirty dollars and forty-five cents. Das sind fünf Euro mehr.',
  ],
  [
    'Wir treffen uns um 14:30 Uhr. I will be there at 5 with 3 of my friends.',
    'Wir treffen uns um vierzehn Uhr dreißig. I will be there at five with three of my friends.',
  ],
  [
    '气温25度。The temperature will drop by 15 degrees. 降温10度。',
    '气温二十五度。The temperature will drop by fifteen degrees. 降温十度。',
  ],
  [
    '今日は25度です。There were 3 people at the meeting. 明日は30度です。',
    '今日は二十五度です。There were three people at the meeting. 明日は三十度です。',
  ],
  ['Завтра 3 встречи. There were 21 dogs in the park.', 'Завтра три встречи. There were twenty-one dogs in the park.'],
  [
    '오늘은 25도입니다. We met 3 people at 5 pm. 내일은 30도입니다.',
    '오늘은 이십오도입니다. We met three people at five PM. 내일은 삼십도입니다.',
  ],
  ["第87分钟破门，90+4'绝杀", '第八十七分钟破门，第九十加四分钟绝杀'],
  ['For English, press 1. Para español, oprima 2.', 'For English, press one. Para español, oprima dos.'],
  ['Am 5. Mai kam Dr. Müller mit 3 Leuten. The end.', 'Am fünften Mai kam Doktor Müller mit drei Leuten. The end.'],
  ['У меня 3 кота', 'У меня три кота'],
  ['고양이 3마리', '고양이 세 마리'],
  // Digits of other scripts.
  ['लगभग ३ लोग', 'लगभग तीन लोग'],
  // Languages that aren't spoken stay as they are.
  ['У мене є 3 коти', 'У мене є 3 коти'],
  ['ვარ 3 წლის', 'ვარ 3 წლის'],
];

describe('verbalizeText', () => {
  it.each(mixed)('finds the language: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });

  it.each([
    ['Say {HH AH0 L OW1} 2 times [laughing].', 'Say {HH AH0 L OW1} two times [laughing].'],
    ['他说{ni3}{hao3}2次[sigh]。', '他说{ni3}{hao3}两次[sigh]。'],
    ['[Uhm] No. 5 [Question-ah]', '[Uhm] number five [Question-ah]'],
    ['See https://example.com/{ni3} and {hao3}', 'See example dot com slash {ni3} and {hao3}'],
    // Not tags or phonemes: a reference and a set.
    ['See [2] and {3, 4}', 'See [two] and {three, four}'],
    ['\u{f0001} 2 [sigh]', '\u{f0001} two [sigh]'],
  ])('does not change tags and phonemes: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });

  it.each([
    ['', '[a '],
    ['', '{a'],
    ['[', 'a '],
    ['', '{a1}'],
    ['', '1'],
    ['', '1.'],
    ['', '1-'],
    ['', '中1'],
    ['', 'a@'],
  ])('takes linear time for %j and many %j', async (start, piece) => {
    const verbalize = (count: number) => inTurns(counted.verbalizeSteps(start + piece.repeat(count)));
    expect(await growthOf(verbalize, 500, 2_000)).toBeLessThan(4.3);
  });

  it('takes the language as an option', () => {
    expect(verbalizeText('1.234', { language: 'en' })).toBe('one point two three four');
    expect(verbalizeText('1.234', { language: 'de-AT' })).toBe('eintausendzweihundertvierunddreißig');
    expect(verbalizeText('3', { language: 'nob' })).toBe('three');
    // Unknown languages are found as without it.
    expect(verbalizeText('Il totale è 3', { language: 'xx' })).toBe('Il totale è tre');
  });

  it('shows which stretches are spoken otherwise', () => {
    const text = 'It cost {ni3} $5 in 2026, 5km.';
    const segments = verbalizeSegments(text);
    expect(segments.map(({ start, end }) => text.slice(start, end))).toEqual(['$5', '2026', '5km']);
    expect(segments.map(({ spoken }) => spoken)).toEqual(['five dollars', 'twenty twenty-six', 'five kilometers']);
    const chinese = '他说I have 3 dogs and 2 cats然后走了2次';
    expect(verbalizeSegments(chinese).map(({ start, spoken }) => [chinese.slice(0, start).length, spoken])).toEqual([
      [9, 'three'],
      [20, 'two'],
      [30, '两'],
    ]);
  });
});

it('searches a paragraph no further than its end', () => {
  const exec = jest.spyOn(RegExp.prototype, 'exec');
  const text = '5 apples.\n'.repeat(200);
  verbalizeText(text);
  const searching = exec.mock.contexts.flatMap((pattern, call) =>
    String(pattern).includes('\\ue000') ? [(exec.mock.calls[call] as [string])[0].length] : [],
  );
  exec.mockRestore();
  expect(searching.length).toBeGreaterThan(200);
  expect(searching.filter((length) => length < text.length).length).toBeGreaterThan(searching.length / 2);
});
