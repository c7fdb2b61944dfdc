/** All words of a document of each format, construct by construct: spoken, or left out by rule and reported. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readDocument } from '../../src/book/read-document.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, type Construct, constructsOf, expected, type Fate, withWords } from './account-words.ts';
import { writePdf } from './write-documents.ts';
import { writeEpub } from './write-epub.ts';
import { writeKindle, writeMobi } from './write-mobi.ts';

const folder = sharedFolder();
let files = 0;
async function write(extension: string, content: string): Promise<string> {
  const path = join(folder, `${++files}.${extension}`);
  await writeFile(path, content);
  return path;
}

const elements = (names: string, fate: Fate = 'spoken'): readonly Construct[] =>
  names.split(' ').map((name) => [`<${name}>`, `<${name}>WORD</${name}>`, fate]);

/** Elements of the HTML standard and of older pages that are spoken, and other constructs of pages. */
const inPages: readonly Construct[] = [
  ...elements('h2 p div section header footer address blockquote pre center form fieldset hgroup search figure'),
  ...elements(
    'a b i em strong span code u s sub sup small big mark kbd del ins q cite abbr var font tt strike samp time data dfn',
  ),
  ...elements('bdi bdo button output label legend nobr acronym blink marquee unknown-element'),
  ...constructsOf('page'),
];
const cue = (markup: string, at: number): string =>
  `00:${String(at).padStart(2, '0')}.000 --> 00:${String(at).padStart(2, '0')}.900\n${markup}\n`;

const headOfAss =
  '[Script Info]\nTitle: none\n; none\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: S,Arial\n\n[Fonts]\nfontname: none\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';

it.each<
  readonly [format: string, constructs: readonly Construct[], write: (of: readonly Construct[]) => Promise<string>]
>([
  [
    'EPUB',
    [...inPages, ...elements('article main'), ...constructsOf('epub')],
    (of) => writeEpub(join(folder, `${++files}.epub`), { title: 'Book', chapters: [['One', withWords(of)]] }),
  ],
  ['HTML', inPages, (of) => write('html', `<html><body>${withWords(of)}</body></html>`)],
  ['MOBI', inPages, (of) => writeMobi(join(folder, `${++files}.mobi`), `<html><body>${withWords(of)}</body></html>`)],
  [
    'AZW3',
    inPages,
    (of) =>
      writeKindle(join(folder, `${++files}.azw3`), [['<html><body>|</body></html>', withWords(of)]], {
        contents: [['One', 0, 0]],
        sheet: 'p { margin: 0 }',
      }),
  ],
  [
    'FB2',
    constructsOf('fb2'),
    (of) =>
      write(
        'fb2',
        `<FictionBook><body><section><title><p>One</p></title>${withWords(of)}</section></body></FictionBook>`,
      ),
  ],
  [
    'WebVTT',
    constructsOf('vtt'),
    (of) =>
      write('vtt', `WEBVTT words\n\nNOTE x\n\nSTYLE\n::cue {}\n\n${withWords(of, (text, at) => cue(text, at + 1))}`),
  ],
  // As players read SubRip, which has no specification.
  [
    'SubRip',
    constructsOf('srt'),
    (of) =>
      write(
        'srt',
        withWords(of, (text, at) => `${at + 1}\n00:${cue(`${text}\n`, at + 1).replace('--> ', '--> 00:')}`),
      ),
  ],
  [
    'SubStation Alpha',
    constructsOf('ass'),
    (of) =>
      write(
        'ass',
        headOfAss + withWords(of, (text, at) => text.replaceAll('TIME', `0:00:${at + 10}.00,0:00:${at + 10}.90`)),
      ),
  ],
  // Conventions of Project Gutenberg and Aozora Bunko; the rest of a text is words.
  [
    'plain text',
    constructsOf('txt'),
    (of) =>
      write(
        'txt',
        withWords(of, (text) => `${text}\n\n`),
      ),
  ],
])('%s has the words of all constructs, spoken or reported', async (_, constructs, file) => {
  expect(constructs.length).toBeGreaterThan(0);
  expect(accountOf(await readDocument(await file(constructs)), constructs)).toEqual(expected(constructs));
});

it.each(['display: none', 'visibility: hidden'])(
  'a page leaves out what its own sheet hides by %s',
  async (declaration) => {
    const path = await write(
      'html',
      `<html><head><style>.c1 { ${declaration} }</style></head><body><p class="c1">No.</p><p>Yes.</p></body></html>`,
    );
    const { chapters, leftOut } = await readDocument(path);
    const texts = chapters.flatMap(({ segments }) => passagesOf(segments).map(({ text }) => text));
    expect([texts.filter((text) => text !== ''), leftOut]).toEqual([['Yes.'], { hidden: 1 }]);
  },
);

/** Elements of CommonMark, GitHub, Pandoc and Obsidian; HTML within it is as in pages. */
it('Markdown has the words of all constructs, spoken or reported', async () => {
  const constructs = constructsOf('md');
  const path = await write(
    'md',
    `---\ntitle: "The Title"\nauthor: A. Writer\n---\n${withWords(constructs, (markup) => `${markup}\n\n`)}`,
  );
  const book = await readDocument(path);
  const account = accountOf(book, constructs);
  // The mark of the note is one, too.
  expect(account).toEqual({
    ...expected(constructs),
    leftOut: { notes: 3, formulas: 1, pictures: 1, embedded: 1, comments: 2 },
  });
  expect([book.title, book.author]).toEqual(['The Title', 'A. Writer']);
  const texts = book.chapters.flatMap(({ segments }) => passagesOf(segments).map(({ text }) => text)).join(' ');
  expect(texts).not.toMatch(/[[\]{}=|^~#>]|%%\S/);
});

it('a PDF has the words of all constructs, spoken or reported', async () => {
  const body = 'The words of this line are as many as those of all others';
  const pages: readonly (readonly (readonly [
    markup: string,
    fate: Fate | 'page-numbers',
    size?: number,
    at?: readonly [number, number],
  ])[])[] = [
    [
      ['WORD', 'spoken', 20],
      [`${body}, WORD.`, 'spoken'],
      ['Another line of the paragraph ends in the middle of one of its words, as in exam-', 'nothing'],
      ['ple, WORD.', 'spoken'],
      ['WORD    12    34', 'spoken'],
      ['- WORD', 'spoken'],
      [`${body} and here is its mark.1`, 'nothing'],
      ['1 It is WORD.', 'notes', 8],
      [`${body}, again.`, 'nothing'],
      ['O', 'nothing', 30],
      ['nce there was WORD.', 'spoken'],
      ['2 WORD', 'notes', 8],
    ],
    [
      [`${body} WORD`, 'spoken'],
      [`${body} twice.`, 'nothing'],
      ['2', 'nothing', 12, [300, 30]],
    ],
  ];
  const constructs = pages
    .flat()
    .map(([markup, fate], index): Construct => [`${index}: ${markup.slice(0, 20)}`, markup, fate]);
  const written = withWords(constructs).split('\n');
  let line = 0;
  const path = await writePdf(
    join(folder, 'a.pdf'),
    pages.map((page) =>
      page.map(([, , size = 12, at]) => {
        const text = written[line++] as string;
        return at === undefined ? ([text, size] as const) : ([text, size, at] as const);
      }),
    ),
  );
  const book = await readDocument(path);
  expect(accountOf(book, constructs)).toEqual({ ...expected(constructs), leftOut: { notes: 3, 'page-numbers': 1 } });
  const spoken = book.chapters.flatMap(({ segments }) => passagesOf(segments).map(({ text }) => text)).join(' ');
  expect(spoken).toContain('as in example, ');
  expect(spoken).toContain('Once there was');
});
