import { describe, expect, it } from '@jest/globals';
import { quotationsIn } from '../../src/book/quotations.ts';
import { cases } from './chapters-of.ts';

const said = (paragraph: string): readonly string[] =>
  quotationsIn(paragraph).flatMap(({ start, end, isSpeech }) => (isSpeech ? [paragraph.slice(start, end)] : []));

describe('quotations', () => {
  it.each(cases('speech'))('of $case: $given', ({ given, expected }) => expect(said(given).join(' | ')).toBe(expected));

  it.each(cases('no speech'))('are not speech in $given', ({ given }) => expect(said(given)).toEqual([]));

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
