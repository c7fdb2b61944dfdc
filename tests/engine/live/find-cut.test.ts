import { describe, expect, it } from '@jest/globals';
import { findCut, type Pending } from '../../../src/engine/live/find-cut.ts';
import { textWindow } from '../../../src/engine/live/read-ahead.ts';
import { sentencesOf } from '../../../src/engine/text/sentences.ts';
import { rowsOf } from '../../support/rows.ts';
import { languages } from '../text/languages.ts';

const pending: Pending = { text: '', state: 'written', markup: 'none', least: 'sentence', maxCharacters: 280 };

/** The beginning that is spoken; undefined if more has to be written first. */
function spoken(given: Partial<Pending>): string | undefined {
  const cut = findCut({ ...pending, ...given });
  return cut && given.text?.slice(0, cut.length);
}

/** Pieces of a text that is written in tokens of this size and spoken whenever something can be. */
function pieces(text: string, size: number, given: Partial<Pending> = {}): string[] {
  const found: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length; at += size) {
    rest += text.slice(at, at + size);
    for (let piece = spoken({ ...given, text: rest }); piece !== undefined; piece = spoken({ ...given, text: rest })) {
      found.push(piece);
      rest = rest.slice(piece.length);
    }
  }
  return [...found, rest];
}

const sizes = [1, 2, 3, 4, 5, 6, 7];

describe('findCut', () => {
  it.each(rowsOf(import.meta.dirname, 'find-cut.tsv'))('%s, %s, %s: %s', (markup, least, state, _what, text, cut) => {
    expect(spoken({ text, markup, least, state } as Partial<Pending>)).toBe(cut === '' ? undefined : cut);
  });

  it('cuts a sentence that is longer than a part', () => {
    const given = { text: 'one two '.repeat(5), maxCharacters: 30, least: 'clause' } as const;
    expect(spoken(given)).toBe('one two one two ');
  });

  it.each(Object.entries(languages))('ends only sentences of %s, whatever the tokens', (_, texts) => {
    for (const marked of texts) {
      const text = marked.replaceAll('|', '');
      const ends = new Set([...sentencesOf(text)].map(({ end }) => end));
      for (const size of sizes) {
        const found = pieces(text, size);
        expect(found.join('')).toBe(text);
        let end = 0;
        for (const piece of found) {
          end += piece.length;
          if (!ends.has(end)) throw new Error(`cut after "${text.slice(0, end)}" with tokens of ${size}`);
        }
      }
    }
  });

  it('cuts the same clauses and parts whatever the tokens', () => {
    const text = 'Well, to be honest, I have no idea, and nobody has. '.repeat(3) + 'one two three '.repeat(30);
    const expected = pieces(text, 1, { least: 'clause' });
    expect(expected.join('')).toBe(text);
    expect(expected.length).toBeGreaterThan(5);
    for (const size of sizes) expect(pieces(text, size, { least: 'clause' })).toEqual(expected);
  });

  it.each([
    ['one word', 'a'.repeat(textWindow)],
    ['open brackets', '['.repeat(textWindow)],
    ['emoji', '😀'.repeat(textWindow / 2)],
    ['a quotation', '"'.repeat(textWindow)],
    ['a table', '| a |'.repeat(textWindow).slice(0, textWindow)],
    ['white space', ' '.repeat(textWindow)],
  ])('cuts any text as long as the window: %s', (_, text) => {
    for (const markup of ['none', 'markdown'] as const) {
      const found = spoken({ text, markup }) ?? '';
      expect(found.length).toBeGreaterThan(0);
      expect(found).not.toMatch(/[\ud800-\udbff]$/);
    }
  });

  it('opens code again that is longer than the window', () => {
    const text = `~~~~\n${'let a = 1;\n'.repeat(500)}`.slice(0, textWindow);
    expect(findCut({ ...pending, text, markup: 'markdown' })).toEqual({
      length: text.lastIndexOf('\n') + 1,
      ends: 'paragraph',
      reopen: '~~~~\n',
    });
  });
});
