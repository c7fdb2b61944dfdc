/** Mobipocket, zipped FictionBooks, files of another name, and what a PDF has beside its text. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { leftOutKinds } from '../../src/book/left-out.ts';
import { readDocument } from '../../src/book/read-document.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { cases, chapterLines, chaptersOf } from './chapters-of.ts';
import { type PdfLine, writeFb2, writePdf, zip } from './write-documents.ts';
import { writeKindle, writeMobi } from './write-mobi.ts';

const folder = sharedFolder();
const at = (name: string): string => join(folder, name);

const html =
  '<html><body><h1>One</h1><p>First words.</p><mbp:pagebreak/><h1>Two</h1><p>Sécond words.</p></body></html>';
const both = [
  ['One', 'One First words.'],
  ['Two', 'Two Sécond words.'],
];

describe('a Mobipocket book', () => {
  it('is read, whatever its name', async () => {
    expect(chaptersOf(await readDocument(await writeMobi(at('a.txt'), html)))).toEqual(both);
  });

  it('is read from compressed records, also where one ends within a letter', async () => {
    const words = 'Sécond wörds ön the river, and the river went on and on. '.repeat(300).trim();
    const text = `<html><body><h1>One</h1><p>${words}</p></body></html>`;
    for (const compression of [1, 2, 17_480] as const) {
      const path = await writeMobi(at('c.mobi'), text, { compression });
      expect(chaptersOf(await readDocument(path))).toEqual([['One', `One ${words}`]]);
    }
  });

  it('has the chapters of its table of contents, which are bytes of its text', async () => {
    const text = '<html><body><p>Före all.</p><p>First wörds.</p><p>More.</p><p>Sécond words.</p></body></html>';
    const contents = [
      ['Öne', '<p>First'] as const,
      ['A part of one', '<p>More', 1] as const,
      ['Two', '<p>Sécond'] as const,
    ];
    const path = await writeMobi(at('n.mobi'), text, { contents });
    expect(chapterLines(await readDocument(path))).toEqual([
      'n: Före all.',
      'Öne: First wörds. More.',
      'Two: Sécond words.',
    ]);
  });

  it("of Kindle's later format has its fragments in their skeletons, with its style sheets and contents", async () => {
    const path = await writeKindle(
      at('k.azw3'),
      [
        [
          '<html><body><div>|</div><div>|</div></body></html>',
          '<p>First wörds.</p><p>Two lines.</p>',
          '<p>Sécond words.</p>',
        ],
        [
          '<html><body>|</body></html>',
          '<p class="no">Silent.</p><h1><span style="display:block">Thïrd</span>part</h1><p>Thïrd <a href="kindle:pos:fid:0000:off:0000000000">words</a>.</p>',
        ],
        [
          '<html><body>|</body></html>',
          '<p>Fourth<a href="kindle:pos:fid:0003:off:000000002F" class="noteref">1</a></p><p>1 <a href="kindle:pos:fid:0003:off:0000000009">↩</a> A note.</p>',
        ],
      ],
      {
        contents: [
          ['One', 0, 0],
          ['Twö', 1, 0],
          ['Thïrdpart', 2, 0],
          ['Four', 3, 0],
        ],
        sheet: '.no { display: none }',
      },
    );
    const book = await readDocument(path);
    expect(chapterLines(book)).toEqual([
      'One: First wörds. Two lines.',
      'Twö: Sécond words.',
      'Thïrd part: Thïrd part Thïrd words.',
      'Four: Fourth',
    ]);
    expect(book.leftOut).toEqual({ hidden: 1, notes: 1 });
  });

  it('with DRM is refused', async () => {
    const path = await writeMobi(at('b.azw'), html, { encryption: 2 });
    await expect(readDocument(path)).rejects.toThrow('is protected by DRM');
  });
});

it('reads a zipped FictionBook, whose poems have no chapters', async () => {
  const fb2 =
    '<FictionBook><body><section><title><p>One</p></title><poem><title><p>A Poem</p></title><stanza><title><p>First</p></title><v>It rhymes.</v></stanza></poem></section><section><title><p>Two</p></title><p>End.</p></section></body></FictionBook>';
  const book = await readDocument(await zip(at('a.zip'), { 'book.fb2': fb2 }));
  expect(book.chapters.map(({ title }) => title)).toEqual(['One', 'Two']);
  expect((await readDocument(await writeFb2(at('c.epub')))).title).toBe('The Document');
});

it('reads bold lines that begin the sections of a FictionBook without titles as titles', async () => {
  const section = (title: string): string => `<section><p><strong>${title}</strong></p><p>Words.</p></section>`;
  await writeFile(at('bold.fb2'), `<FictionBook><body>${section('One')}${section('Two')}</body></FictionBook>`);
  expect(chapterLines(await readDocument(at('bold.fb2')))).toEqual(['One: One Words.', 'Two: Two Words.']);
});

it('reads the first body of a FictionBook, whatever its name', async () => {
  await writeFile(
    at('named.fb2'),
    '<FictionBook><body name="main"><section><title><p>One</p></title><p>Words.</p></section></body><body name="notes"><section><p>Note.</p></section></body></FictionBook>',
  );
  const book = await readDocument(at('named.fb2'));
  expect([chaptersOf(book), book.leftOut]).toEqual([[['One', 'One Words.']], { notes: 1 }]);
});

it.each(cases('refused'))('refuses $case with the way out', async ({ case: name, given, expected }) => {
  await writeFile(at(name), Buffer.from(given, 'latin1'));
  await expect(readDocument(at(name))).rejects.toThrow(expected);
});

it('reads a PDF with a large initial, and a title of two lines', async () => {
  const filler = 'upon a time there was a quick brown fox that jumped over the lazy dog and ran';
  const path = await writePdf(at('a.pdf'), [
    [
      ['Chapter One', 20],
      ['The Sea', 20],
      ['O', 26],
      [`nce ${filler}`, 11],
      ['away from the farm.', 11],
    ],
  ]);
  const words = `Chapter One The Sea Once ${filler} away from the farm.`;
  expect(chaptersOf(await readDocument(path))).toEqual([['Chapter One The Sea', words]]);
});

it.each<readonly [name: string, initial: readonly string[], first: string]>([
  ['in a line of its own', ['O'], 'Once'],
  ['behind a quotation mark', ['"O'], '"Once'],
  ['behind a quotation mark in a line of its own', ['"', 'O'], '"Once'],
])('joins a large initial %s to its word', async (_, initial, first) => {
  const before = 'The first of the paragraphs of this page has a line that is as long as usual.';
  const large = initial.map((letters): PdfLine => [letters, 26]);
  const lines: readonly PdfLine[] = [['Chapter One', 20], [before, 11], ...large, ['nce more they went down.', 11]];
  const [[title, words] = []] = chaptersOf(await readDocument(await writePdf(at('initial.pdf'), [lines])));
  expect([title, words]).toEqual(['Chapter One', expect.stringContaining(`${before} ${first} more they went down.`)]);
});

it('keeps the lines beside a large initial in their paragraph', async () => {
  const lines: readonly PdfLine[] = [
    ['Chapter One', 20, [60, 540]],
    ['O', 40, [60, 490]],
    ['nce upon a time there was a small town near', 11, [93, 505]],
    ['the sea, where the people lived on fish and', 11, [93, 491]],
    ['songs, and the old men told stories of the', 11, [60, 477]],
    ['great storm that had taken half the fleet.', 11, [60, 463]],
  ];
  const book = await readDocument(await writePdf(at('beside.pdf'), [lines]));
  const paragraphs = book.chapters.flatMap(({ segments }) => passagesOf(segments).map(({ text }) => text));
  expect(paragraphs.filter((text) => text !== '')).toEqual([
    'Chapter One',
    'Once upon a time there was a small town near the sea, where the people lived on fish and songs, and the old men told stories of the great storm that had taken half the fleet.',
  ]);
});

it('joins raised and lowered signs of a PDF to their words', async () => {
  const lines: readonly PdfLine[] = [
    ['Chapter One', 20, [60, 540]],
    ['The field has 10 m', 11, [60, 500]],
    ['2', 8, [150.5, 505]],
    [', and H', 11, [154.9, 500]],
    ['2', 8, [190.4, 494.5]],
    ['O is what it needs.', 11, [194.8, 500]],
  ];
  const [[, words] = []] = chaptersOf(await readDocument(await writePdf(at('signs.pdf'), [lines])));
  expect(words).toBe('Chapter One The field has 10 m², and H2O is what it needs.');
});

it.each([
  ['<title/>', '<title/>'],
  ['an empty title', '<title></title>'],
])('has the name of its file as the title of a page with %s', async (_, title) => {
  await writeFile(at('untitled.html'), `<head>${title}</head><script>x = 1</script><p>Hi there.</p>`);
  const book = await readDocument(at('untitled.html'));
  expect([book.title, chaptersOf(book)]).toEqual(['untitled', [['untitled', 'Hi there.']]]);
});

describe('a PDF of two pages a sheet', () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ');
  /** Ten lines, with a running head and the number of the page. */
  const half = (number: number, left: number, hasNumber = true): readonly PdfLine[] => [
    ['THE GREAT BOOK', 9, [left + 130, 570]],
    ...words.map((word, index): PdfLine => {
      const letters = String.fromCharCode(96 + number).repeat(5);
      return [`a page of ${letters} has many words, and of ${word} too`, 11, [left, 540 - index * 14]];
    }),
    ...(hasNumber ? [[String(number), 9, [left + 170, 30]] as const] : []),
  ];
  const sheet = (left: number, right: number, hasNumber = true): readonly PdfLine[] => [
    ...half(left, 40, hasNumber),
    ...half(right, 450, hasNumber),
  ];

  it.each<readonly [name: string, sheets: readonly (readonly PdfLine[])[], pages: readonly number[]]>([
    ['from left to right', [sheet(2, 3), sheet(4, 5), sheet(6, 7)], [2, 3, 4, 5, 6, 7]],
    ['as a booklet is folded', [sheet(8, 1, false), sheet(2, 7), sheet(6, 3), sheet(4, 5)], [1, 2, 3, 4, 5, 6, 7, 8]],
  ])('is read %s', async (_, sheets, pages) => {
    const book = await readDocument(await writePdf(at('sheets.pdf'), sheets, [842, 595]));
    const [[, spoken = ''] = []] = chaptersOf(book);
    expect([...spoken.matchAll(/([a-h])\1{4}/g)].map(([letters]) => letters.charCodeAt(0) - 96)).toEqual(
      pages.flatMap((page) => words.map(() => page)),
    );
    expect(spoken).not.toContain('GREAT');
  });
});

describe('a PDF of a word processor', () => {
  const prose = [['It begins here, as the quick brown fox jumps over the lazy dog.'], ['It ends here.']] as const;
  const raised = (mark: string): readonly PdfLine[] => [
    ['A word', 12, [72, 400]],
    [mark, 7, [110, 405]],
    [' and more of the sentence follows here.', 12, [114, 400]],
    ['Next line.', 12, [72, 386]],
    ['Another line.', 12, [72, 372]],
  ];

  /** Pages between slashes, of lines between bars; ¶ is prose, ^ a mark in a sentence, _ a line at the foot, # a title. */
  const pagesOf = (pages: string): readonly (readonly PdfLine[])[] =>
    pages.split(' / ').map((page) =>
      page.split('|').flatMap((line): readonly PdfLine[] => {
        const words = line.slice(1);
        if (line === '¶') return prose;
        if (line.startsWith('^')) return raised(words);
        if (line.startsWith('_')) return [[words, 12, [72, 100]]];
        return line.startsWith('#') ? [[words, 20]] : [[line]];
      }),
    );

  it.each(cases('PDF'))('is read without $case, unless it is text', async ({ given, expected }) => {
    const [spoken = '', silent = '', leftOut = ''] = expected.split(' | ');
    const path = await writePdf(at('word.pdf'), pagesOf(given));
    const book = await readDocument(path);
    const words = chaptersOf(book).flat().join(' ');
    expect(JSON.stringify(book.leftOut)).toBe(leftOut);
    expect(words).toContain(spoken);
    expect(words).not.toContain(silent);
    const kept = await readDocument(path, { keep: leftOutKinds });
    if (silent !== 'nothing') expect(chaptersOf(kept).flat().join(' ')).toContain(silent);
  });
});

it('leaves out a note in the middle of a page of a PDF, whose mark the page has', async () => {
  const line = 'These are the words of a line that is as long as the others';
  const note = ['1 It is a note about all of them.', 8] as const;
  const pages = (mark: string) => [[['Title', 20], [`${line}.${mark}`], [line], note, [line], ['at last.']]] as const;
  const book = await readDocument(await writePdf(at('note.pdf'), pages('1')));
  expect(chaptersOf(book)).toEqual([['Title', `Title ${line}. ${line} ${line} at last.`]]);
  expect(book.leftOut).toEqual({ notes: 2 });
  expect(chaptersOf(await readDocument(await writePdf(at('list.pdf'), pages(''))))[0]?.[1]).toContain('It is a note');
});
