import { describe, expect, it } from '@jest/globals';
import { createHiddenText, withoutHidden } from '../../../src/engine/script/hidden-text.ts';
import { rowsOf } from '../../support/rows.ts';

const cases = rowsOf(import.meta.dirname, 'hidden-text.tsv');

describe('text that is not to be spoken', () => {
  it.each(cases)('%s: of %j leaves %j', (_kind, text, shown) => expect(withoutHidden(text)).toBe(shown));

  it.each(cases)('%s: of %j leaves the same however it is split', (_kind, text, shown) => {
    for (let length = 1; length <= 9; length += 1) {
      const hidden = createHiddenText();
      let seen = '';
      for (let at = 0; at < text.length; at += length) seen += hidden.push(text.slice(at, at + length));
      expect(seen + hidden.end()).toBe(shown);
    }
  });

  it('holds nothing back that is no mark', () => {
    const hidden = createHiddenText();
    expect(['Hello ', 'there <', 'b> ', 'you <thi'].map((text) => hidden.push(text))).toEqual([
      'Hello ',
      'there ',
      '<b> ',
      'you ',
    ]);
  });

  it('may begin before the text', () => expect(withoutHidden('so it is 4.\n</think>\n\nFour.')).toBe('Four.'));
});
