import { describe, expect, it } from '@jest/globals';
import { htmlSegments } from '../../src/book/html-segments.ts';
import { sectionsOf } from '../../src/book/sections.ts';
import { parseScript } from '../../src/engine/script/parse-script.ts';
import { type Segment, structurePauses } from '../../src/engine/script/passage.ts';
import { splitStyle } from '../../src/engine/text/style.ts';
import { countedCopy, growthOf } from '../support/work.ts';
import { cases } from './chapters-of.ts';

const counted = await countedCopy<typeof import('../../src/book/sections.ts')>('src/book/sections.ts');

const passages = (text: string) => parseScript(text, { format: 'ssml', voices: [], code: 'skip' }).passages;

/** As of a page. */
const segmentsOf = (body: string): readonly Segment[] => [
  ...htmlSegments(body),
  { kind: 'pause', seconds: structurePauses.paragraph, from: 'structure' },
];

function sections(...pages: readonly string[]) {
  const chapter = sectionsOf({ title: 'Title', segments: pages.flatMap(segmentsOf) });
  if (!('sections' in chapter)) throw new Error(chapter.reason);
  return chapter.sections;
}

describe('a chapter', () => {
  it('keeps its words and the pauses between them', () => {
    const [section, ...others] = sections(
      '<h1>Title</h1><p>One &amp; &lt;two&gt;.</p>',
      '<p>Three.</p><hr/><p>Four</p>',
    );
    expect(others).toEqual([]);
    expect(passages(section?.text ?? '').map(({ text, pauseSeconds }) => [text, pauseSeconds])).toEqual([
      ['Title', 1],
      ['One & <two>.', 0.9],
      ['Three.', 1.2],
      ['Four', undefined],
    ]);
    expect(section?.characters).toBe('TitleOne & <two>.Three.Four'.length);
  });

  it('is cut between paragraphs, and says how long the pause at a cut is', () => {
    const paragraph = `<p>${'Some words here. '.repeat(60)}</p>`;
    const cut = sections(`<h1>Title</h1>${paragraph.repeat(7)}`);
    expect(cut.length).toBeGreaterThan(2);
    expect(cut.map(({ text }) => passages(text).length).reduce((sum, count) => sum + count)).toBe(8);
    expect(cut.map(({ pauseSeconds }) => pauseSeconds)).toEqual(cut.map(() => 0.9));
  });

  it('may be cut before parentheses, which stay text', () => {
    const long = `<p>${'Some words here. '.repeat(200)}</p>`;
    const cut = sections(`${long}<p>(Aside.) And on.</p>${long}<p>(1) One.</p>${long}`);
    const beginnings = cut.map(({ text }) => passages(text).map((passage) => passage.text.slice(0, 14)));
    expect(beginnings).toEqual([
      ['Some words her'],
      ['(Aside.)', 'And on.', 'Some words her'],
      ['(1) One.', 'Some words her'],
    ]);
    for (const { text } of cut) expect(splitStyle(passages(text)[0]?.text ?? '').style).toBe('');
    expect(cut[1]?.characters).toBe(`(Aside.) And on.${'Some words here. '.repeat(200).trim()}`.length);
  });

  it.each(['(a)', '(aside) text'])('of thousands of paragraphs %j takes linear time', async (text) => {
    const chapterOf = (count: number) => {
      const segments = segmentsOf(`<p>${text}</p>`.repeat(count));
      return counted.sectionsOf({ title: 'Title', segments });
    };
    const chapter = chapterOf(10_000);
    expect('sections' in chapter && chapter.sections.length).toBeGreaterThan(10);
    expect(await growthOf(chapterOf, 1_000, 4_000)).toBeLessThan(4.3);
  });

  it('loses characters that XML forbids, and nothing else', () => {
    const [section] = sections('<p>a\u0000b\u0008\ud800c\ufffe 😀 é</p>');
    expect(passages(section?.text ?? '')[0]?.text).toBe('abc 😀 é');
  });

  it.each(cases('no section'))('of $case is left out', ({ given, expected: reason }) => {
    expect(sectionsOf({ title: 'Title', segments: segmentsOf(given) })).toEqual({ title: 'Title', reason });
  });
});
