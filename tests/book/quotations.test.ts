import { describe, expect, it } from '@jest/globals';
import { quotationsIn } from '../../src/book/quotations.ts';

const said = (paragraph: string): readonly string[] =>
  quotationsIn(paragraph).flatMap(({ start, end, isSpeech }) => (isSpeech ? [paragraph.slice(start, end)] : []));

describe('quotations', () => {
  it.each([
    ['“Well,” said Alice, “I see.”', ['“Well,”', '“I see.”']],
    ['"Well," said Alice, "I see."', ['"Well,"', '"I see."']],
    [
      '‘I don’t think—’ said Alice, ‘that the boys’ caps are mine.’',
      ['‘I don’t think—’', '‘that the boys’ caps are mine.’'],
    ],
    ['„Wer bist du?“, fragte Anna.', ['„Wer bist du?“']],
    ['»Ich bin es«, sagte er.', ['»Ich bin es«']],
    ['« Oui », dit Marie. « Non. »', ['« Oui »', '« Non. »']],
    ['”Hej”, sa hon, och log. ”Kom in nu, allihop.”', ['”Kom in nu, allihop.”']],
    ['小明说：“你好。”“再见。”小红道。', ['“你好。”', '“再见。”']],
    ['「そうですか」と言った。', ['「そうですか」']],
    // A speech of several paragraphs closes the last one only.
    ['“It went on and on. It never stopped.', ['“It went on and on. It never stopped.']],
    ['She said “maybe” to it.', ['“maybe”']],
  ])('of %j', (paragraph, expected) => expect(said(paragraph)).toEqual(expected));

  it.each([
    'The so-called “good life” was over.',
    'He read “Moby Dick” twice.',
    "It's a six-foot-2\" man's world, isn't it.",
    'The boys’ caps and the girls’ hats.',
    'A ‘ alone.',
  ])('are not speech in %j', (paragraph) => expect(said(paragraph)).toEqual([]));

  it('are found in one reading of a hostile paragraph', () => {
    let reads = 0;
    const counted = (text: string): string =>
      new Proxy(Object(text), {
        get(target, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
          const value = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const readsOf = (length: number): number => {
      reads = 0;
      quotationsIn(counted(`x ${'„ « ‘ '.repeat(length)}`));
      return reads;
    };
    expect(readsOf(4_000) / readsOf(1_000)).toBeLessThan(4.5);
  });
});
