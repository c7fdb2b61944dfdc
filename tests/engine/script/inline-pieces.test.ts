/** Paragraphs of Markdown without end are read in pieces, between which other work may go first. */
import { expect, it } from '@jest/globals';
import { inlinePieces } from '../../../src/engine/script/inline-pieces.ts';
import { markdownSegments } from '../../../src/engine/script/markdown.ts';

const most = 4096;
const pad = 'word '.repeat(700);

it.each([
  ['a sentence', 'A sentence. '.repeat(2000)],
  ['emphasis', 'a *b c* '.repeat(2000)],
  ['characters of two units', `a${'😀'.repeat(4000)}`],
  ['brackets that stay open', '[a '.repeat(4000)],
  ['nothing', ''],
])('pieces of %s are the text', (_, text) => {
  const pieces = [...inlinePieces(text)];
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBeLessThanOrEqual(Math.ceil(text.length / (most / 2)) + 1);
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(most);
    // No half of a character.
    expect(Buffer.from(piece).toString()).toBe(piece);
  }
});

it.each([
  '[a page of words](http://example.com/a/b "its title")',
  '*some words*',
  '`some code`',
  '<a href="x" title="y">',
])('ends no piece within %j', (whole) => {
  for (let shift = 0; shift < 12; shift += 1) {
    const text = `${'x'.repeat(shift)} ${pad}${`${whole} `.repeat(40)}${pad}`;
    const [first = ''] = inlinePieces(text);
    expect(
      first
        .split(whole)
        .join('')
        .replace(/[\sxword]/g, ''),
    ).toBe('');
  }
});

it('speaks a paragraph of 64 KiB as a short one, in many steps', () => {
  const count = 10_000;
  const segments = [...markdownSegments('a *b* '.repeat(count), { code: 'read' })];
  const spoken = segments.map((segment) => (segment?.kind === 'text' ? segment.text : '')).join('');
  expect(spoken.trim()).toBe('a b '.repeat(count).trim());
  const steps = segments.filter((segment) => segment === undefined).length;
  expect(steps).toBeGreaterThan((6 * count) / most);
});

it('takes a task for one at the beginning of a paragraph only', () => {
  const text = `- [x] a ${'b '.repeat(most / 2 - 3)}[x] c ${'d '.repeat(most)}`;
  const spoken = [...markdownSegments(text, { code: 'read' })].map((one) => (one?.kind === 'text' ? one.text : ''));
  expect(spoken.join('')).toContain('[x] c');
  expect(spoken.join('')).not.toContain('[x] a');
});
