import { expect, it } from '@jest/globals';
import { wordErrorRate } from '../../../src/engine/text/word-errors.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/word-errors.ts')>(
  'src/engine/text/word-errors.ts',
);

it.each([
  ['Hello, World!', 'hello world', 0],
  ['It cost $3.50 in 2026.', 'It cost three dollars and fifty cents in twenty twenty-six', 0],
  ["Don't stop — it's 5 p.m.", 'dont stop its five pm', 0],
  ['Ｆｕｌｌ width', 'full width', 0],
  ['one two three four', 'one two four', 1 / 4],
  ['one two three four', 'one too three four', 1 / 4],
  ['one two three four', 'one two three three four', 1 / 4],
  ['one two', '', 1],
  ['one', 'a b c', 3],
  ['[laughing] Hello [sigh] there', 'hello there', 0],
  ['Say {HH AH0 L OW1} to me', 'say hallo to me', 0],
  ['', 'anything', 0],
  ['[laughing]', 'ha ha', 0],
  // Characters, wherever a recognizer sets spaces.
  ['今天天气很好。', '今天 天气 很好', 0],
  ['今天天气很好。', '今天天汽很好', 1 / 6],
  ['{ni3}好', '你好', 0],
  ['花了25元。', '花了二十五元', 0],
  ['カタカナ、コーヒー。', 'カタカナコーヒー', 0],
  ['สวัสดีครับ', 'สวัสดี ครับ', 0],
  ['안녕하세요 여러분', '안녕하세요여러분', 0],
  ['ABC 公司', 'abc公司', 0],
  ['Привет, как дела?', 'привет как дела', 0],
  ['كيف حالك؟', 'كيف حالك', 0],
])('%j heard as %j: %d', async (text, transcript, rate) => {
  expect(await wordErrorRate(text, transcript)).toBeCloseTo(rate, 10);
});

it('measures only the beginning of a transcript that goes on and on', async () => {
  const measure = (count: number): Promise<number> => counted.wordErrorRate('one two', 'one two '.repeat(count));
  expect(await measure(150_000)).toBeGreaterThan(100);
  expect(await growthOf(measure, 500, 150_000)).toBeCloseTo(1, 2);
});
