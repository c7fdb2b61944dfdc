import { describe, expect, it } from '@jest/globals';
import { sentencesOfSpoken, withSegments } from '../../../src/engine/text/spoken-text.ts';
import { atOnce } from '../../../src/event-loop.ts';
import { cases } from '../cases.ts';

/** `{written=spoken}` marks what is spoken otherwise, `|` where a sentence ends. */
function sentences(marked: string): readonly string[] {
  let written = '';
  const segments: { start: number; end: number; spoken: string }[] = [];
  for (const [, plain = '', own = '', spoken = ''] of marked
    .replaceAll('|', '')
    .matchAll(/([^{]+)|\{([^=]*)=([^}]*)\}/g)) {
    if (plain === '') segments.push({ start: written.length, end: written.length + own.length, spoken });
    written += plain + own;
  }
  const spoken = atOnce(withSegments(written, segments));
  return [...sentencesOfSpoken(spoken)].map(({ start, end }) => spoken.text.slice(start, end).trim());
}

describe('sentences of a spoken text', () => {
  it.each(cases('spoken sentences'))('$given', ({ given }) => {
    const expected = given
      .split('|')
      .map((part) => part.replace(/\{[^=]*=([^}]*)\}/g, '$1').trim())
      .filter((part) => part !== '');
    expect(sentences(given)).toEqual(expected);
  });
});
