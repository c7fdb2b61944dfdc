import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { normalizeText } from '../../../src/engine/text/normalize.ts';
import { readGolden } from '../../support/golden.ts';

const { tokenizer } = readGolden(join(import.meta.dirname, '../../fixtures/tiny-v1'));
const accepted = tokenizer.filter(({ core_text }) => core_text !== null);
const rejected = tokenizer.filter(({ core_text }) => core_text === null);

/** Every code point that Python's `str.isspace` accepts. */
const pythonSpaces = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
];

describe('normalizeText', () => {
  it.each(accepted)('normalizes $text like the official implementation', ({ text, core_text }) => {
    expect(normalizeText(text)).toBe(core_text);
  });

  it.each(rejected)('rejects blank text "$text"', ({ text }) => {
    expect(() => normalizeText(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: `text must contain a visible character, got "${text}"`,
      }),
    );
  });

  it("treats exactly Python's whitespace as whitespace", () => {
    const spaces = Array.from({ length: 0x10000 }, (_, code) => code).filter(
      (code) => normalizeText(`a${String.fromCharCode(code)}b`) === 'a b',
    );
    expect(spaces).toEqual(pythonSpaces);
    for (const code of pythonSpaces) expect(() => normalizeText(String.fromCharCode(code))).toThrow();
  });

  it('keeps leading and trailing spaces, one each', () => {
    expect(normalizeText('\n\n a\t\tb \u3000')).toBe(' a b ');
  });

  it('shortens a long blank text in its message', () => {
    expect(() => normalizeText('\n'.repeat(5_000))).toThrow(/got 5000 characters starting with "(\\n){40}"$/);
  });
});
