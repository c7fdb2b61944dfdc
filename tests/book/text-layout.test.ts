/** Plain text as books and typed manuscripts have it, and the layout of PDFs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDocument } from '../../src/book/read-document.ts';
import { readRows } from '../support/rows.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { chapterLines, chaptersOf } from './chapters-of.ts';

const folder = sharedFolder();
async function read(text: string) {
  const path = join(folder, 'book.txt');
  await writeFile(path, text);
  return readDocument(path);
}
const paragraphsOf = async (text: string): Promise<readonly string[]> =>
  ((await read(text)).chapters[0]?.segments ?? []).flatMap((segment) =>
    segment.kind === 'text' && segment.text.trim() !== '' ? [segment.text.trim()] : [],
  );
const wrap = (text: string, first = '', width = 50): string => {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = '';
    }
    line += (line.trim() === '' ? '' : ' ') + word;
  }
  return [...lines, line].join('\n');
};
const story =
  'It was a bright cold day in the spring and the clocks were striking, while somebody came slowly up the stairs of the house.';
const other =
  'Nobody had seen him before, and nobody was going to see him again, as far as anyone in the village could tell.';

describe('paragraphs', () => {
  it.each([
    ['indented', `${wrap(story, '   ')}\n${wrap(other, '   ')}\n${wrap(story, '   ')}`],
    ['with tabs', `${wrap(story, '\t')}\n${wrap(other, '\t')}\n${wrap(story, '\t')}`],
    ['apart', `${wrap(story)}\n\n${wrap(other)}\n\n${wrap(story)}\n\n`],
    ['without any sign but short lines', `${wrap(story)}\n${wrap(other)}\n${wrap(story)}`],
  ])('%s are joined from their lines', async (_, text) => {
    const texts = await paragraphsOf(text);
    expect(texts).toEqual([story, other, story]);
  });

  it('of Chinese have their indentation', async () => {
    const line = '春天的早晨他慢慢地走上楼梯没有人知道他是谁也没有人';
    const text = `　　${line.slice(0, 18)}\n${line.slice(0, 20)}\n他走了。\n　　${line.slice(0, 18)}\n${line.slice(0, 20)}\n门关了。\n`;
    const texts = await paragraphsOf(text);
    expect(texts).toEqual([
      `${line.slice(0, 18)}${line.slice(0, 20)}他走了。`,
      `${line.slice(0, 18)}${line.slice(0, 20)}门关了。`,
    ]);
  });
});

describe('chapters', () => {
  /** Also layouts of books of Project Gutenberg; `¶` is a paragraph. */
  it.each(readRows<'name' | 'text' | 'titles'>('tests/book/chapters.tsv'))(
    '$name are found',
    async ({ text, titles }) => {
      const { chapters } = await read(text.replaceAll('¶', `${wrap(story, '', 70)}\n\n${wrap(other, '', 70)}`));
      expect(chapters.map(({ title }) => title).join(' | ')).toBe(titles);
    },
  );

  it('have numerals for headings that the contents have with titles', async () => {
    const book = await read(`Contents\n\nI. Sea\nII. Land\n\n\nI\n\n${wrap(story)}\n\nII\n\n${wrap(other)}\n`);
    expect(book.chapters.map(({ title }) => title)).toEqual(['I', 'II']);
    expect(book.leftOut).toEqual({ contents: 1 });
  });

  it('have a text of one line, which is no title', async () => {
    const book = await read('Chapter 1\n\nHello There\n\nChapter 2\n\nIt Was the End. All of It.[1]\n\nMore.\n');
    expect(chapterLines(book)).toEqual([
      'Chapter 1: Chapter 1 Hello There',
      'Chapter 2: Chapter 2 It Was the End. All of It.[1] More.',
    ]);
  });

  it('have whole words where a text was typeset, and their compounds', async () => {
    const typeset =
      'It is well-known that com-\npounds are among words. A well-\nknown man is un-\nhappy with *all* of **them** and 2 * 3 * 4.\n';
    expect(chaptersOf(await read(typeset))[0]?.[1]).toBe(
      'It is well-known that compounds are among words. A well-known man is unhappy with all of them and 2 * 3 * 4.',
    );
    expect(chaptersOf(await read('A well-\nknown man.\nHe reads.\n'))[0]?.[1]).toBe('A well-known man. He reads.');
  });

  it("have none of Project Gutenberg's front and back matter, contents and marks", async () => {
    const text = `The Project Gutenberg eBook of Alice\n\nThis eBook is for the use of anyone.\n\n*** START OF THE PROJECT GUTENBERG EBOOK ALICE ***\n\nProduced by A. Nobody\n\n[Illustration]\n\n\nContents\n\n CHAPTER I.     Down the Rabbit-Hole\n CHAPTER II.    The Pool of Tears\n\n\nCHAPTER I.\nDown the Rabbit-Hole\n\n\n${wrap(`Alice was _very_ tired. ${story}`)}\n\n\nCHAPTER II.\nThe Pool of Tears\n\n\n${wrap(other)}\n\n*** END OF THE PROJECT GUTENBERG EBOOK ALICE ***\n\nUpdated editions will replace the previous one.\n`;
    const book = await read(text);
    expect(chapterLines(book)).toEqual([
      `CHAPTER I. Down the Rabbit-Hole: CHAPTER I. Down the Rabbit-Hole Alice was very tired. ${story}`,
      `CHAPTER II. The Pool of Tears: CHAPTER II. The Pool of Tears ${other}`,
    ]);
    expect(book.leftOut).toEqual({ copyright: 3, contents: 1 });
  });

  it('are not sentences that begin with the word', async () => {
    const book = await read(
      `${wrap(`${story} See also`)}\nChapter 5 of the report says so, as does\nPart 2.\n\n${wrap(other)}\n\n`,
    );
    expect(book.chapters).toHaveLength(1);
  });
});

it.each([
  ['one, which the text before it has marks of', 'One.[1] Two.[2]\n\n', { notes: 4 }, false],
  ['one, and text between the others', 'One.[1]\n\n', { notes: 3 }, true],
])('leaves out the second paragraph of a note behind %s', async (_, text, leftOut, isSpoken) => {
  const book = await read(`${text}Words.\n\n[1] A note.\n\nMore of it.\n\n[2] Another.\n\nThe end is here.\n`);
  const words = chaptersOf(book).flat().join(' ');
  expect(book.leftOut).toEqual(leftOut);
  expect([words.includes('More of it.'), words.includes('The end is here.')]).toEqual([isSpoken, true]);
});

it("reads the words of Aozora Bunko's books once, with its headings", async () => {
  const rule = '-'.repeat(55);
  const book = await read(
    `吾輩は猫である\n夏目漱石\n\n${rule}\n【テキスト中に現れる記号について】\n\n《》：ルビ\n${rule}\n\n［＃８字下げ］一［＃「一」は中見出し］\n\n　吾輩《わがはい》は猫。※［＃「てへん＋劣」］\n　｜名前《なまえ》はまだ無い。\n［＃改ページ］\n［＃中見出し］二《に》［＃中見出し終わり］\n\n　『《詩》』の話《はなし》。\n\n底本：「全集」ちくま文庫\n入力：何某\n`,
  );
  expect(chaptersOf(book)).toEqual([
    [book.title, '吾輩は猫である 夏目漱石'],
    ['一', '一 吾輩は猫。 名前はまだ無い。'],
    ['二', '二 『《詩》』の話。'],
  ]);
  expect(book.leftOut).toEqual({ copyright: 2, pictures: 1, readings: 3 });
});
