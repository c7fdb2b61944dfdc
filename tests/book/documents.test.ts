/** Books in other formats than EPUB. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Book } from '../../src/book/book.ts';
import { readBook } from '../../src/book/read-book.ts';
import { expectError } from '../support/errors.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { cases, chapterLines, chaptersOf } from './chapters-of.ts';
import { encodeWide, writeDocx, writeFb2, writeFolder, writeHtml, writeOdt, writePdf } from './write-documents.ts';

const folder = sharedFolder();
const at = (name: string): string => join(folder, name);

async function text(name: string, content: string | Buffer): Promise<Book> {
  await writeFile(at(name), content);
  return readBook(at(name));
}

describe('a document', () => {
  const both = [
    ['One', 'One First words.'],
    ['Two', 'Two Second words.'],
  ];

  it.each([
    ['DOCX', () => writeDocx(at('a.docx'))],
    ['ODT', () => writeOdt(at('a.odt'))],
    ['FB2', () => writeFb2(at('a.fb2'))],
    ['HTML', () => writeHtml(at('a.html'))],
  ])('of %s has its chapters, title and author, without notes', async (_, write) => {
    const book = await readBook(await write());
    expect([chaptersOf(book).slice(-2), book.title, book.author]).toEqual([both, 'The Document', 'A. Writer']);
    expect(JSON.stringify(book.chapters)).not.toMatch(/A note|Menu|Imprint/);
  });

  it('of FB2 has its cover', async () => {
    expect((await readBook(await writeFb2(at('cover.fb2')))).cover?.mimeType).toBe('image/png');
  });

  it.each(cases('no document'))('that is none is refused: $given', async ({ given, expected }) => {
    await expect(text(given, 'Hello.')).rejects.toThrow(expected);
  });

  it.each(['none.epub', 'none.docx', 'none.md'])('that is missing is refused: %s', async (name) => {
    await expectError(readBook(at(name)), 'INVALID_REQUEST', /^cannot read the book ".*none\.\w+": no such file$/);
  });

  it('of captions is read without their times', async () => {
    const srt =
      '1\n00:00:01,000 --> 00:00:02,000\nOne,\n\n2\n00:00:02,000 --> 00:00:03,000\ntwo.\n\n3\n00:00:09,000 --> 00:00:10,000\nThree.\n';
    const words = [['talk', 'One, two. Three.']];
    expect(chaptersOf(await text('talk.srt', srt))).toEqual(words);
    expect(chaptersOf(await text('talk.srt', `${srt}\0\0\0`))).toEqual(words);
  });
});

it('has the name of its file where LibreOffice states that it has no title', async () => {
  const page = '<html><head><title>- no title specified</title></head><body><p>One.</p></body></html>';
  expect((await text('name.html', page)).title).toBe('name');
});

describe('a PDF', () => {
  const filler = 'the quick brown fox jumps over the lazy dog and runs away from';
  const page = (number: number, ...lines: readonly (readonly [string, number?])[]) =>
    [['The Great Book'], ...lines, [`- ${number} -`]] as const;

  it('has paragraphs of its lines, without headers, footers, page numbers and divided words', async () => {
    const path = await writePdf(at('book.pdf'), [
      page(
        1,
        ['One', 20],
        [`It begins, as ${filler}`],
        ['the farm. This is an exam-'],
        ['ple of a word that is divided, and then of a sentence that'],
      ),
      page(2, ['goes on with the next page.'], ['Two', 20], [`Second words, as ${filler}`], ['the farm.']),
      page(3, [`Third, as ${filler}`], ['the farm.']),
    ]);
    const book = await readBook(path);
    expect(chaptersOf(book)).toEqual([
      [
        'One',
        `One It begins, as ${filler} the farm. This is an example of a word that is divided, and then of a sentence that goes on with the next page.`,
      ],
      ['Two', `Two Second words, as ${filler} the farm. Third, as ${filler} the farm.`],
    ]);
    expect(book.leftOut).toEqual({ 'page-numbers': 6 });
  });

  it('of pictures is refused, with the remedy', async () => {
    const path = await writePdf(at('scan.pdf'), [[], [], []]);
    await expect(readBook(path)).rejects.toThrow(
      'the PDF has no text, only pictures of it; recognize the text first, as with ocrmypdf',
    );
  });
});

describe('a text', () => {
  const chinese =
    '第一章 开始\n\n这是一个测试文本，用来检测编码。我们写几句话。\n\n第二章 结束\n\n这里还有一些文字，它们也是测试。\n';
  const japanese = '第一章\n\nこれはテストの文章です。文字コードを検出します。\n\n第二章\n\nおわりです。\n';

  it.each([
    ['GBK', encodeWide(chinese, 'gbk'), ['第一章 开始', '第二章 结束']],
    ['Shift_JIS', encodeWide(japanese, 'shift_jis'), ['第一章', '第二章']],
    ['UTF-16', Buffer.from(`\uFEFF${chinese}`, 'utf16le'), ['第一章 开始', '第二章 结束']],
    [
      'windows-1252',
      Buffer.from('Kapitel 1\n\nGröße und Übermut, das ist schön.\n\nKapitel 2\n\nKäse fürs Gemüt.\n', 'latin1'),
      ['Kapitel 1', 'Kapitel 2'],
    ],
  ])('in %s is read, with chapters by its headings', async (name, bytes, titles) => {
    const book = await text(`${name}.txt`, bytes);
    expect(book.chapters.map(({ title }) => title)).toEqual(titles);
    expect(JSON.stringify(book.chapters)).not.toContain('\uFFFD');
  });

  it('has paragraphs of wrapped lines', async () => {
    const wrapped =
      'Chapter I\n\nThe first line of a paragraph\ngoes on here.\n\nAnother one.\n\nChapter II\n\nEnd.\n\n';
    expect(chapterLines(await text('wrapped.txt', wrapped))).toEqual([
      'Chapter I: Chapter I The first line of a paragraph goes on here. Another one.',
      'Chapter II: Chapter II End.',
    ]);
  });

  it('has no spaces between lines of a script without them', async () => {
    const wrapped = 'บทที่ 1\n\nสวัสดีครับ\nผมชื่อสมชาย\n\n第二章\n\n你好，\n世界。\n\n';
    expect(chapterLines(await text('thai.txt', Buffer.from(wrapped)))).toEqual([
      'บทที่ 1: บทที่ 1 สวัสดีครับผมชื่อสมชาย',
      '第二章: 第二章 你好，世界。',
    ]);
  });

  it('that is binary data is refused', async () => {
    await expect(text('data.txt', Buffer.from([0, 1, 2, 3, 255, 254, 0, 0]))).rejects.toThrow(
      'is not text in a known encoding',
    );
  });
});

describe('Markdown', () => {
  it('has chapters by its headings', async () => {
    expect(chapterLines(await text('a.md', '# Book\n\nHello.\n\n## One\n\nA.\n\n## Two\n\n*B*.\n'))).toEqual([
      'Book: Book Hello.',
      'One: One A.',
      'Two: Two B.',
    ]);
  });

  it.each<readonly [name: string, front: string, words: string]>([
    ['long metadata', `---\ntitle: One\ntags:\n  - a\n\n${'key: value\n'.repeat(2_000)}---\n`, 'Text.'],
    ['no metadata, but a rule', '---\nHe said: yes, and left.\n\n---\n\n', 'He said: yes, and left. Text.'],
    ['a rule alone', '---\nWords.\n', 'Words. Text.'],
  ])('has %s in front of it', async (_, front, words) => {
    await writeFile(join(folder, 'front.md'), `${front}\nText.`);
    expect(chaptersOf(await readBook(join(folder, 'front.md')))[0]?.[1]).toBe(words);
  });

  it('of a folder has the chapters of SUMMARY.md, and nothing outside', async () => {
    const path = await writeFolder(at('mdbook'), {
      'book.toml': 'title = "The Guide"\n',
      'src/SUMMARY.md':
        '# Summary\n\n[Start](start.md)\n\n- [One](one.md)\n  - [Deep](deep.md)\n- [Gone](gone.md)\n- [Out](../../a.md)\n- [Bad](%E0%A4.md)\n',
      'src/start.md': 'Hello.\n',
      'src/one.md': '# One\n\nFirst.\n',
      'src/deep.md': 'Deep. $\\int_0^1 x$\n',
    });
    const book = await readBook(path);
    expect([book.title, chaptersOf(book)]).toEqual([
      'The Guide',
      [
        ['Start', 'Hello.'],
        ['One', 'One First.'],
        ['Deep', 'Deep.'],
      ],
    ]);
    expect(book.warnings).toEqual([
      'the page "gone.md" is left out: it is missing',
      'the page "../../a.md" is left out: it is outside the folder of the book',
      'the page "%E0%A4.md" is left out: its link is not valid',
      'formulas that have no words are left out (1 in the book)',
    ]);
    expect((await readBook(path, { chapterDepth: 1 })).chapters.map(({ title }) => title)).toEqual(['Start', 'One']);
  });

  it('of a folder without SUMMARY.md is refused', async () => {
    const path = await writeFolder(at('plain'), { 'a.md': 'Hello.' });
    await expect(readBook(path)).rejects.toThrow('has no SUMMARY.md');
  });
});
