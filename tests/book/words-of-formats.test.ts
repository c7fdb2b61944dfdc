/** All words of a document of each format, construct by construct: spoken, or left out by rule and reported. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readDocument } from '../../src/book/read-document.ts';
import { passagesOf } from '../../src/engine/script/passage.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, type Construct, expected, type Fate, withWords } from './account-words.ts';
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

/** Elements of the HTML standard and of older pages. */
const inPages: readonly Construct[] = [
  ...elements('h2 p div section header footer address blockquote pre center form fieldset hgroup search figure'),
  ...elements(
    'a b i em strong span code u s sub sup small big mark kbd del ins q cite abbr var font tt strike samp time data dfn',
  ),
  ...elements('bdi bdo button output label legend nobr acronym blink marquee unknown-element'),
  ['lists', '<ul><li>WORD</li></ul><ol><li>x</li></ol><dl><dt>y</dt><dd>z</dd></dl>', 'spoken'],
  ['a term', '<dl><dt>WORD</dt><dd>x</dd></dl>', 'spoken'],
  ['a description', '<dl><dt>x</dt><dd>WORD</dd></dl>', 'spoken'],
  ['a cell', '<table><tr><td>x</td><td>WORD</td></tr></table>', 'spoken'],
  ['the head of a table', '<table><thead><tr><th>WORD</th></tr></thead></table>', 'spoken'],
  ['the caption of a table', '<table><caption>WORD</caption><tr><td>x</td></tr></table>', 'spoken'],
  ['the caption of a figure', '<figure><img src="x"/><figcaption>WORD</figcaption></figure>', 'spoken'],
  ['details', '<details><summary>x</summary>WORD</details>', 'spoken'],
  ['a picture', '<img src="x" alt="WORD"/>', 'spoken'],
  ['an open dialog', '<dialog open="">WORD</dialog>', 'spoken'],
  ['a formula', '<math alttext="the WORD of x"><mi>x</mi></math>', 'spoken'],
  ['ruby', '<ruby>WORD<rt></rt></ruby>', 'spoken'],
  ['marked text', '<p>A <b>W</b>ord: <i>WORD</i>.</p>', 'spoken'],
  ['text behind a comment', '<!-- x --><p>WORD</p>', 'spoken'],
  ['CDATA', '<p><![CDATA[WORD]]></p>', 'spoken'],
  ['CDATA of nothing', '<p>a</p>WORD', 'spoken'],
];
const leftOutOfPages: readonly Construct[] = [
  ['the reading of ruby', '<ruby>x<rp>(</rp><rt>WORD</rt></ruby>', 'readings'],
  ['navigation', '<nav>WORD</nav>', 'contents'],
  ['invisible text', '<p style="visibility:hidden">WORD</p>', 'hidden'],
  ['a field of a form', '<input type="text" value="WORD"/>', 'forms'],
  ['a note behind a raised link', '<p>text<a href="#q"><sup>7</sup></a></p><p id="q">7 WORD</p>', 'notes'],
  ['contents of Word', '<p class="MsoToc1">WORD</p>', 'contents'],
  ['contents of LibreOffice', '<p class="Contents_20_1">WORD</p>', 'contents'],
  ['an index of LibreOffice', '<p class="Index_20_1">WORD</p>', 'index'],
  ['a comment of LibreOffice', '<span class="annotation_style_by_filter">WORD</span>', 'comments'],
  ['a note behind a Roman numeral', '<p>text<a href="#r">ii</a></p><p id="r"><a href="#s">ii</a> WORD</p>', 'notes'],
  ['hidden text of Word', '<p style="mso-hide:all">WORD</p>', 'hidden'],
  ['a link to edit', '<span class="mw-editsection">WORD</span>', 'surroundings'],
  ['a running head of LibreOffice', '<div title="header"><p>WORD</p></div>', 'page-numbers'],
  ['a text area', '<textarea>WORD</textarea>', 'forms'],
  ['a choice', '<select><option>WORD</option></select>', 'forms'],
  ['a list of choices', '<datalist><option>WORD</option></datalist>', 'forms'],
  ['a template', '<template>WORD</template>', 'hidden'],
  [
    'a list of links',
    '<ul><li><a href="#a">WORD</a></li><li><a href="#b">x</a></li><li><a href="#c">y</a> 7</li></ul>',
    'contents',
  ],
  ['a closed dialog', '<dialog>WORD</dialog>', 'hidden'],
  ['hidden text', '<p hidden="">WORD</p>', 'hidden'],
  ['text without display', '<p style="display: none">WORD</p>', 'hidden'],
  ['text hidden from readers', '<p aria-hidden="true">WORD</p>', 'hidden'],
  ['a drawing', '<svg><text>WORD</text></svg>', 'embedded'],
  ['an object', '<object>WORD</object>', 'embedded'],
  ['a video', '<video>WORD</video>', 'embedded'],
  ['what stands in for a canvas', '<canvas>WORD</canvas>', 'embedded'],
  ['what stands in for a bar', '<progress>WORD</progress>', 'embedded'],
  ['what stands in for a gauge', '<meter>WORD</meter>', 'embedded'],
  ['the name of a picture', '<img src="x" alt="WORD.jpg"/>', 'pictures'],
  ['a sound', '<audio>WORD</audio>', 'embedded'],
  ['text without scripts', '<noscript>WORD</noscript>', 'embedded'],
  ['a script', '<script>WORD</script>', 'nothing'],
  ['a style', '<style>WORD</style>', 'nothing'],
  ['a comment', '<!-- WORD -->', 'nothing'],
];
const inEpub: readonly Construct[] = [
  ...elements('article main'),
  ['the mark of a note', '<p>x<a epub:type="noteref" href="#n">WORD</a></p>', 'notes'],
  ['a note that its mark alone names', '<p>x<a epub:type="noteref" href="#o">7</a></p><p id="o">7 WORD</p>', 'notes'],
  ['a note', '<aside epub:type="footnote"><p>WORD</p></aside>', 'notes'],
  ['an end note', '<aside role="doc-endnote">WORD</aside>', 'notes'],
  ['the number of a page', '<span epub:type="pagebreak">WORD</span>', 'page-numbers'],
  ['a table of contents', '<section epub:type="toc"><p>WORD</p></section>', 'contents'],
  ['an index', '<section epub:type="index"><p>WORD</p></section>', 'index'],
  ['an imprint', '<section epub:type="copyright-page"><p>WORD</p></section>', 'copyright'],
  [
    'the alternative of a switch',
    '<epub:switch><epub:case>WORD</epub:case><epub:default>x</epub:default></epub:switch>',
    'embedded',
  ],
  ['the default of a switch', '<epub:switch><epub:default>WORD</epub:default></epub:switch>', 'spoken'],
];

/** Elements of FictionBook 2.1. */
const inFb2: readonly Construct[] = [
  ['a paragraph', '<p>WORD</p>', 'spoken'],
  ['a subtitle', '<subtitle>WORD</subtitle>', 'spoken'],
  ['a quotation', '<cite><p>WORD</p></cite>', 'spoken'],
  ['the author of a quotation', '<cite><p>x</p><text-author>WORD</text-author></cite>', 'spoken'],
  ['a poem', '<poem><stanza><v>WORD</v></stanza></poem>', 'spoken'],
  ['the title of a poem', '<poem><title><p>WORD</p></title><stanza><v>x</v></stanza></poem>', 'spoken'],
  ['the date of a poem', '<poem><stanza><v>x</v></stanza><date>WORD</date></poem>', 'spoken'],
  ['an epigraph', '<epigraph><p>WORD</p></epigraph>', 'spoken'],
  ['a summary', '<annotation><p>WORD</p></annotation>', 'spoken'],
  ['a cell', '<table><tr><th>x</th><td>WORD</td></tr></table>', 'spoken'],
  ['emphasis', '<p><emphasis>WORD</emphasis></p>', 'spoken'],
  ['strong', '<p><strong>WORD</strong></p>', 'spoken'],
  ['a style', '<p><style name="x">WORD</style></p>', 'spoken'],
  ['a strike', '<p><strikethrough>WORD</strikethrough></p>', 'spoken'],
  ['lowered', '<p>x<sub>WORD</sub></p>', 'spoken'],
  ['code', '<p><code>WORD</code></p>', 'spoken'],
  ['a link', '<p><a l:href="http://x">WORD</a></p>', 'spoken'],
  ['a picture', '<image l:href="#x" alt="WORD"/>', 'spoken'],
  ['an unknown element', '<p><new>WORD</new></p>', 'spoken'],
];

const inCaptions: readonly Construct[] = [
  ['words', 'WORD', 'spoken'],
  ['a mark', '<i>WORD</i>', 'spoken'],
  ['a class', '<c.yellow>WORD</c>', 'spoken'],
  ['a language', '<lang en>WORD</lang>', 'spoken'],
  ['a speaker', '<v Anna>WORD</v>', 'spoken'],
  ['a time', '<00:00:01.000>WORD', 'spoken'],
  ['an entity', 'a &amp; WORD', 'spoken'],
  ['underlined', '<u>WORD</u>', 'spoken'],
  ['ruby', '<ruby>WORD</ruby>', 'spoken'],
  ['the reading of ruby', '<ruby>漢<rt>WORD</rt></ruby>', 'readings'],
  ['a reading without ruby', '<rt>WORD</rt>', 'spoken'],
  ['an unknown tag', '<new>WORD</new>', 'spoken'],
  ['a sound', '[WORD]', 'sounds'],
  ['music', '♪ WORD ♪', 'sounds'],
];

/** As players read SubRip, which has no specification. */
const inSubRip: readonly Construct[] = [
  ['words', 'WORD', 'spoken'],
  ['tags', '<i>a</i> <b>b</b> <u>c</u> <s>d</s> <font color="red">WORD</font>', 'spoken'],
  ['tags with blanks', '< i>WORD< / i >', 'spoken'],
  ['an unknown end of a tag', 'WORD</xyz>', 'spoken'],
  ['overrides of ASS', '{\\an8\\i1}WORD{\\i0}', 'spoken'],
  ['a line break of ASS', 'a\\NWORD', 'spoken'],
  ['a mark of MicroDVD', '{y:i}WORD', 'spoken'],
  ['a reference', 'a &copy; &#87;&#x6f;rd WORD', 'spoken'],
  ['a speaker', 'ANNA: WORD', 'spoken'],
  ['a second paragraph', 'a\n\nWORD', 'spoken'],
  ['an arrow', '5 --> 6 WORD', 'spoken'],
  ['the reading of ruby', '<ruby>漢<rt>WORD</rt></ruby>', 'readings'],
  ['a drawing', '{\\p1}m 0 0 WORD{\\p0}', 'nothing'],
  ['a sound', '[WORD]', 'sounds'],
  ['music', '♪ WORD ♪', 'sounds'],
];

/** SubStation Alpha 4.00+: lines of its section of events. */
const inAss: readonly Construct[] = [
  ['words', 'Dialogue: 0,TIME,S,,0,0,0,,WORD', 'spoken'],
  ['overrides', 'Dialogue: 0,TIME,S,,0,0,0,,{\\pos(1,2)\\fad(1,2)\\t(\\fs9)}a {\\rOther}WORD', 'spoken'],
  ['karaoke', 'Dialogue: 0,TIME,S,,0,0,0,,{\\k9}a{\\kf9} WORD', 'spoken'],
  ['breaks and a hard space', 'Dialogue: 0,TIME,S,,0,0,0,,a\\nb\\Nc\\hWORD', 'spoken'],
  ['commas', 'Dialogue: 0,TIME,S,,0,0,0,,a, WORD, b', 'spoken'],
  ['an effect', 'Dialogue: 0,TIME,S,,0,0,0,Banner;9,WORD', 'spoken'],
  ['a margin of a speaker', 'Dialogue: Marked=0,TIME,S,Anna,0,0,0,,WORD', 'spoken'],
  ['a time without fractions', 'Dialogue: 0,0:00:59,0:01:00,S,,0,0,0,,WORD', 'spoken'],
  ['a time before the video', 'Dialogue: 0,-1:59:59.00,0:01:00.00,S,,0,0,0,,WORD', 'spoken'],
  ['a shadow', 'Dialogue: 0,TIME,S,,0,0,0,,WORD\nDialogue: 1,TIME,S,,0,0,0,,{\\blur3}WORD', 'spoken'],
  ['a comment of a line', 'Dialogue: 0,TIME,S,,0,0,0,,a{WORD}', 'comments'],
  ['a comment', 'Comment: 0,TIME,S,,0,0,0,,WORD', 'comments'],
  ['a drawing', 'Dialogue: 0,TIME,S,,0,0,0,,a{\\p1}m 0 WORD{\\p0}', 'nothing'],
  ['words behind a drawing with colors', 'Dialogue: 0,TIME,S,,0,0,0,,{\\p1}m 0 0{\\c&HFF&} l 1 1{\\p0}WORD', 'spoken'],
  ['a picture', 'Picture: 0,TIME,S,,0,0,0,,WORD.png', 'nothing'],
  ['a sound file', 'Sound: 0,TIME,S,,0,0,0,,WORD.wav', 'nothing'],
  ['a command', 'Command: 0,TIME,S,,0,0,0,,WORD', 'nothing'],
  ['a sound', 'Dialogue: 0,TIME,S,,0,0,0,,[WORD]', 'sounds'],
];

const cue = (markup: string, at = 0): string =>
  `00:${String(at).padStart(2, '0')}.000 --> 00:${String(at).padStart(2, '0')}.900\n${markup}\n`;

it.each<readonly [format: string, constructs: readonly Construct[], write: (body: string) => Promise<string>]>([
  [
    'EPUB',
    [...inPages, ...leftOutOfPages, ...inEpub],
    (body) => writeEpub(join(folder, `${++files}.epub`), { title: 'Book', chapters: [['One', body]] }),
  ],
  ['HTML', [...inPages, ...leftOutOfPages], (body) => write('html', `<html><body>${body}</body></html>`)],
  [
    'MOBI',
    [...inPages, ...leftOutOfPages],
    (body) => writeMobi(join(folder, `${++files}.mobi`), `<html><body>${body}</body></html>`),
  ],
  [
    'AZW3',
    [...inPages, ...leftOutOfPages],
    (body) =>
      writeKindle(join(folder, `${++files}.azw3`), [['<html><body>|</body></html>', body]], {
        contents: [['One', 0, 0]],
        sheet: 'p { margin: 0 }',
      }),
  ],
  [
    'FB2',
    inFb2,
    (body) =>
      write('fb2', `<FictionBook><body><section><title><p>One</p></title>${body}</section></body></FictionBook>`),
  ],
])('%s has the words of all constructs, spoken or reported', async (_, constructs, file) => {
  const book = await readDocument(await file(withWords(constructs)));
  expect(accountOf(book, constructs)).toEqual(expected(constructs));
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

it('WebVTT has the words of all constructs, spoken or reported', async () => {
  let count = 0;
  const path = await write(
    'vtt',
    `WEBVTT words\n\nNOTE x\n\nSTYLE\n::cue {}\n\n${withWords(inCaptions, (markup) => cue(markup, ++count))}`,
  );
  expect(accountOf(await readDocument(path), inCaptions)).toEqual(expected(inCaptions));
});

it('SubRip has the words of all constructs, spoken or reported', async () => {
  let count = 0;
  const numbered = (markup: string): string => `${++count}\n00:${cue(`${markup}\n`, count).replace('--> ', '--> 00:')}`;
  const path = await write('srt', withWords(inSubRip, numbered));
  expect(accountOf(await readDocument(path), inSubRip)).toEqual(expected(inSubRip));
});

it('SubStation Alpha has the words of all constructs, spoken or reported', async () => {
  let count = 9;
  const timed = (markup: string): string => {
    count += 1;
    return markup.replaceAll('TIME', `0:00:${count}.00,0:00:${count}.90`);
  };
  const head = `[Script Info]\nTitle: none\n; none\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: S,Arial\n\n[Fonts]\nfontname: none\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n`;
  const path = await write('ass', head + withWords(inAss, timed));
  expect(accountOf(await readDocument(path), inAss)).toEqual(expected(inAss));
});

/** Conventions of Project Gutenberg and Aozora Bunko; the rest of a text is words. */
it('plain text has the words of all constructs, spoken or reported', async () => {
  const constructs: readonly Construct[] = [
    ['the licence', 'WORD\n\n*** START OF THE PROJECT GUTENBERG EBOOK X ***', 'copyright'],
    ['who made it', 'Produced by WORD', 'copyright'],
    ['contents', 'Contents\n\nChapter I\nWORD', 'contents'],
    ['a heading', 'Chapter I\n\nWORD', 'spoken'],
    ['a paragraph', 'Words and WORD.', 'spoken'],
    ['emphasis', 'It was _WORD_, he said.', 'spoken'],
    ['a picture', '[Illustration: WORD]', 'spoken'],
    ['a note', '[Footnote 1: WORD]', 'notes'],
    ['verse', '    O WORD,\n    the sea', 'spoken'],
    ['a rule', '* * * * *\n\nWORD', 'spoken'],
    ['emphasis of chats', 'It was *WORD*, he said.', 'spoken'],
    ['a list', '- a\n- WORD', 'spoken'],
    ['a divided word', 'It is WORD-\ned and so on.', 'spoken'],
    ['what looks like mark-up', 'a <b>, [WORD](x) and # c', 'spoken'],
    ['the end', '*** END OF THE PROJECT GUTENBERG EBOOK X ***\n\nWORD', 'copyright'],
  ];
  const path = await write(
    'txt',
    withWords(constructs, (markup) => `${markup}\n\n`),
  );
  expect(accountOf(await readDocument(path), constructs)).toEqual(expected(constructs));
});

/** Elements of CommonMark, GitHub, Pandoc and Obsidian; HTML within it is as in pages. */
it('Markdown has the words of all constructs, spoken or reported', async () => {
  const constructs: readonly Construct[] = [
    ['a paragraph', 'a WORD', 'spoken'],
    ['a heading with attributes', '## WORD {#id}', 'spoken'],
    ['a heading above a line', 'WORD\n====', 'spoken'],
    ['emphasis', 'a **b** *c* ~~d~~ ==WORD==', 'spoken'],
    ['code', 'a `WORD`', 'spoken'],
    ['a block of code', '```js\nWORD\n```', 'spoken'],
    ['indented code', '    WORD', 'spoken'],
    ['a link', '[WORD](http://x "y")', 'spoken'],
    ['a link by reference', '[WORD][ref]', 'spoken'],
    ['a link of a wiki', '[[x|WORD]]', 'spoken'],
    ['a picture', '![WORD](x.png)', 'spoken'],
    ['an item', '- a\n  - WORD', 'spoken'],
    ['a task', '- [x] WORD', 'spoken'],
    ['a quotation', '> WORD', 'spoken'],
    ['a callout', '> [!NOTE]\n> WORD', 'spoken'],
    ['a cell', '| a | b |\n|---|---|\n| c | WORD |', 'spoken'],
    ['a definition', 'a\n: WORD', 'spoken'],
    ['a container', '::: note\nWORD\n:::', 'spoken'],
    ['a tag', 'a <b>WORD</b>', 'spoken'],
    ['a block of HTML', '<div>WORD</div>', 'spoken'],
    ['the text of a note', 'a[^1]\n\n[^1]: WORD', 'notes'],
    ['a note in the line', 'a^[WORD]', 'notes'],
    ['a formula', '$$\\sum_i WORD$$', 'formulas'],
    ['a script', '<script>WORD</script>', 'nothing'],
    ['a comment', '<!-- WORD -->', 'nothing'],
    ['the place of a link', '[ref]: http://x/WORD', 'nothing'],
    ['a part of a page of a wiki', '[[#WORD]]', 'spoken'],
    ['a described picture of a wiki', '![[x.png|WORD]]', 'spoken'],
    ['a picture of a wiki', '![[WORD.png|100]]', 'pictures'],
    ['a file of a wiki', '![[WORD]]', 'embedded'],
    ['a comment in the line', 'a %%WORD%% and 5 %%', 'comments'],
    ['a block of comment', '%%\nWORD\n\nmore\n%%', 'comments'],
  ];
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
