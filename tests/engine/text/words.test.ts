import { expect, it } from '@jest/globals';
import { wordsOf } from '../../../src/engine/text/words.ts';
import { cases } from '../cases.ts';

it.each(cases('words'))('the words of $given', ({ given: marked }) => {
  const words = marked.split('|');
  expect(wordsOf(words.join(' '))).toEqual(words);
  // Without the spaces that only some scripts have.
  if (!/[A-Za-z가-힣]/u.test(marked)) expect(wordsOf(words.join(''))).toEqual(words);
});

it('keeps a text that has no words', () => {
  expect(['', ' ', '“”'].map(wordsOf)).toEqual([[], [], ['“”']]);
});
