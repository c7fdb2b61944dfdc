import { describe, expect, it } from '@jest/globals';
import { sentencesOfSpoken, withSegments } from '../../../src/engine/text/spoken-text.ts';
import { atOnce } from '../../../src/event-loop.ts';

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
  it.each([
    'One.| Two.',
    '{1=one}. First item.| {2=two}. Second item.',
    'At {10 a.m.=ten AM.} Eastern it begins.| {5=five} came.',
    'Visit {e.g.=for example.} Paris.| It costs {$5.50=five dollars and fifty cents}.| Then go.',
    'He left at {5 p.m.=five PM}.| {Dr.=Doctor} Who came.',
    'It is {5=five}|',
    '{$5=five dollars}.| {$6=six dollars}.',
  ])('%s', (marked) => {
    const expected = marked
      .split('|')
      .map((part) => part.replace(/\{[^=]*=([^}]*)\}/g, '$1').trim())
      .filter((part) => part !== '');
    expect(sentences(marked)).toEqual(expected);
  });
});
