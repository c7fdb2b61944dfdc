/** Plain text as books and typed manuscripts have it, and the layout of PDFs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDocument } from '../../src/book/read-document.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { chaptersOf } from './chapters-of.ts';

const folder = sharedFolder();
let files = 0;
async function read(text: string) {
  const path = join(folder, `${++files}.txt`);
  await writeFile(path, text);
  return readDocument(path);
}
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
    const { chapters } = await read(text);
    const texts = chapters[0]?.segments.flatMap((segment) =>
      segment.kind === 'text' && segment.text.trim() !== '' ? [segment.text.trim()] : [],
    );
    expect(texts).toEqual([story, other, story]);
  });

  it('of Chinese have their indentation', async () => {
    const line = '春天的早晨他慢慢地走上楼梯没有人知道他是谁也没有人';
    const text = `　　${line.slice(0, 18)}\n${line.slice(0, 20)}\n他走了。\n　　${line.slice(0, 18)}\n${line.slice(0, 20)}\n门关了。\n`;
    const { chapters } = await read(text);
    const texts = chapters[0]?.segments.flatMap((segment) =>
      segment.kind === 'text' && segment.text.trim() !== '' ? [segment.text.trim()] : [],
    );
    expect(texts).toEqual([
      `${line.slice(0, 18)}${line.slice(0, 20)}他走了。`,
      `${line.slice(0, 18)}${line.slice(0, 20)}门关了。`,
    ]);
  });
});

describe('chapters', () => {
  it.each<readonly [name: string, headings: readonly string[], titles: readonly string[]]>([
    [
      'with a title below',
      ['CHAPTER I.\nDown the Rabbit-Hole\n', 'CHAPTER II.\nThe Pool of Tears\n'],
      ['CHAPTER I. Down the Rabbit-Hole', 'CHAPTER II. The Pool of Tears'],
    ],
    ['with text below', ['Chapter 1', 'Chapter 2'], ['Chapter 1', 'Chapter 2']],
    [
      'by numbers and titles',
      ['I.--A SCANDAL IN BOHEMIA\n', 'II.--THE RED-HEADED LEAGUE\n'],
      ['I.--A SCANDAL IN BOHEMIA', 'II.--THE RED-HEADED LEAGUE'],
    ],
    ['in words', ['Chapter One\n', 'Chapter Twenty-One\n'], ['Chapter One', 'Chapter Twenty-One']],
    ['in German with ordinals', ['Erstes Kapitel\n', 'Zweites Kapitel\n'], ['Erstes Kapitel', 'Zweites Kapitel']],
    ['in French', ['PREMIÈRE PARTIE\n', 'DEUXIÈME PARTIE\n'], ['PREMIÈRE PARTIE', 'DEUXIÈME PARTIE']],
    ['abbreviated', ['Ch. 1\n', 'Ch. 2\n'], ['Ch. 1', 'Ch. 2']],
    ['by signs of numbers', ['#1\n', '#2\n'], ['#1', '#2']],
    ['by numbers before titles', ['1. The Sea\n', '2. The Land\n'], ['1. The Sea', '2. The Land']],
    ['by numbers and dashes', ['1 - The Sea\n', '2 - The Land\n'], ['1 - The Sea', '2 - The Land']],
    [
      'by numbers in words',
      ['\nOne\n', '\nTwenty-Two\n\n"Two?"\n\nTwo\n\n\nTWENTY-THREE\n'],
      ['Twenty-Two', 'TWENTY-THREE'],
    ],
    ['in bold', ['**Chapter 1**\n', '**Chapter 2**\n'], ['Chapter 1', 'Chapter 2']],
    ['in German', ['Erstes Kapitel\n\nKapitel 1\n', 'Kapitel 2\n'], ['Kapitel 1', 'Kapitel 2']],
    [
      'in capitals',
      ['\nTHE GIFT OF THE MAGI\n', '\nTHE COP AND THE ANTHEM\n'],
      ['THE GIFT OF THE MAGI', 'THE COP AND THE ANTHEM'],
    ],
  ])('%s are found', async (_, headings, titles) => {
    const book = await read(headings.map((heading) => `${heading}\n${wrap(story)}\n\n${wrap(other)}\n`).join('\n\n'));
    expect(book.chapters.map(({ title }) => title).slice(-2)).toEqual(titles);
  });

  it('have numerals for headings that the contents have with titles', async () => {
    const book = await read(`Contents\n\nI. Sea\nII. Land\n\n\nI\n\n${wrap(story)}\n\nII\n\n${wrap(other)}\n`);
    expect(book.chapters.map(({ title }) => title)).toEqual(['I', 'II']);
    expect(book.leftOut).toEqual({ contents: 1 });
  });

  it('have a text of one line, which is no title', async () => {
    const book = await read('Chapter 1\n\nHello There\n\nChapter 2\n\nIt Was the End. All of It.[1]\n\nMore.\n');
    expect(chaptersOf(book)).toEqual([
      ['Chapter 1', 'Chapter 1 Hello There'],
      ['Chapter 2', 'Chapter 2 It Was the End. All of It.[1] More.'],
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
    expect(chaptersOf(book)).toEqual([
      ['CHAPTER I. Down the Rabbit-Hole', `CHAPTER I. Down the Rabbit-Hole Alice was very tired. ${story}`],
      ['CHAPTER II. The Pool of Tears', `CHAPTER II. The Pool of Tears ${other}`],
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

/** Layouts of books of Project Gutenberg; `¶` is a paragraph. */
describe('chapters of books', () => {
  it.each<readonly [name: string, text: string, titles: readonly string[]]>([
    [
      'behind contents with numbers of pages and titles of two lines',
      'CONTENTS\n\nCHAPTER  PAGE\n\n  I. How Candide was brought up, and how he was\n       driven thence  1\n\n II. The War  5\n\n\n\nI\n\nHOW CANDIDE WAS BROUGHT UP, AND HOW HE WAS\nDRIVEN THENCE\n\n¶\n\nII\n\nTHE WAR\n\n¶',
      ['I. HOW CANDIDE WAS BROUGHT UP, AND HOW HE WAS DRIVEN THENCE', 'II. THE WAR'],
    ],
    [
      'behind contents of parts',
      'CONTENTS\n\nPART ONE\nThe Old Buccaneer\n\n1. THE SEA-DOG  11\n2. BLACK DOG . . . 17\n\nPART TWO\nThe Sea Cook\n\n3. BRISTOL . . 48\n\n\n\nPART ONE--The Old Buccaneer\n\n\n1\n\nThe Sea-dog\n\n¶\n\n2\n\nBlack Dog\n\n¶\n\nPART TWO--The Sea Cook\n\n\n3\n\nBristol\n\n¶',
      ['PART ONE--The Old Buccaneer', '1. The Sea-dog', '2. Black Dog', 'PART TWO--The Sea Cook', '3. Bristol'],
    ],
    [
      'behind contents in columns',
      'CONTENTS\n\nCHAPTER  TITLE\n\n  I  THERE IS NO ONE LEFT\n  II  I WILL!\n\n\n\nTHE GARDEN\n\nCHAPTER I\n\nTHERE IS NO ONE LEFT\n\n¶\n\nCHAPTER II\n\nI WILL!\n\n¶',
      ['CHAPTER I. THERE IS NO ONE LEFT', 'CHAPTER II. I WILL!'],
    ],
    [
      'by the titles of the contents alone',
      "Contents\n\n  Mowgli's Brothers\n  Kaa's Hunting\n  TWO GALLANTS\n\n\n\nMowgli's Brothers\n\n¶\n\nNot One of Them\n\n¶\n\nKaa's Hunting\n\n¶\n\nTWO GALLANTS\n\n¶",
      ["Mowgli's Brothers", "Kaa's Hunting", 'TWO GALLANTS'],
    ],
    [
      'with titles of two lines and marks of notes',
      'CHAPTER I -- CONCERNING THINGS FOR WHICH MEN, AND ESPECIALLY PRINCES,\nARE PRAISED OR BLAMED\n\n¶\n\nCHAPTER II(*) -- OF FAITH\n\n¶\n\nCHAPTER III. Of the Less Erroneous Pictures of Whales, and the True\nPictures of Whaling Scenes.\n\n¶',
      [
        'CHAPTER I -- CONCERNING THINGS FOR WHICH MEN, AND ESPECIALLY PRINCES, ARE PRAISED OR BLAMED',
        'CHAPTER II(*) -- OF FAITH',
        'CHAPTER III. Of the Less Erroneous Pictures of Whales, and the True Pictures of Whaling Scenes.',
      ],
    ],
    [
      'by issues',
      'FEDERALIST. No. 1\n\nFor the Journal.\n\n\nHAMILTON\n\n\n¶\n\nFEDERALIST No. 2\n\nThe same.\n\n\nJAY\n\n\n¶',
      ['FEDERALIST. No. 1', 'FEDERALIST No. 2'],
    ],
    [
      'but initials, numbers in the text and letters in capitals',
      'I.\n\n¶\n\nL. Frank Baum\n\nChicago, 1900.\n\n¶\n\n210\n\n¶\n\nII.\n\n\n"MY DEAR MR PIP:--\n\n¶\n\nTHE END',
      ['I.', 'II.'],
    ],
    [
      'of a play, behind a list of its acts',
      'THE SCENES OF THE PLAY\n\n\nACT I.  A Flat\n\nACT II.  A Garden\n\nACT III.  A Room\n\nTIME: The Present.\n\n\nFIRST ACT\n\n\n¶\n\n\nACT DROP\n\n\nSECOND ACT\n\n\n¶',
      ['FIRST ACT', 'SECOND ACT'],
    ],
    [
      'and no paragraphs that begin like them',
      'CHAPTER 32. Cetology.\n\n¶\n\nBOOK I. (FOLIO), CHAPTER I. (SPERM WHALE).--This whale, among the\nEnglish of old known as the whale, is the largest of them all.\n\n¶\n\nCHAPTER 33. Ahab.\n\n¶',
      ['CHAPTER 32. Cetology.', 'CHAPTER 33. Ahab.'],
    ],
    [
      'whose title is a name',
      'CHAPTER ONE\n\nTHE PREFACE\n\n¶\n\nCHAPTER TWO\n\n¶',
      ['CHAPTER ONE. THE PREFACE', 'CHAPTER TWO'],
    ],
    [
      'between signs',
      '=== Chapter 1 ===\n\n¶\n\n*** Chapter 2: The Sea ***\n\n¶\n\n[Chapter 3]\n\n¶\n\n[laughs]\n\n¶',
      ['Chapter 1', 'Chapter 2: The Sea', 'Chapter 3'],
    ],
    [
      'in quotation marks, in which people speak too',
      '"Chapter 1"\n\n¶\n\n“CHAPTER TWO: The Sea”\n\n¶\n\n"Chapter three."\n\n"Prologue"\n\n【第三章 海】\n\n¶',
      ['Chapter 1', 'CHAPTER TWO: The Sea', '第三章 海'],
    ],
    [
      'behind a list of them, as pandoc writes contents',
      'The Book\n\n-   The Sea\n    -   A Ship\n-   The Land\n\nThe Sea\n\n¶\n\nA Ship\n\n¶\n\nThe Land\n\n¶',
      ['The Sea', 'A Ship', 'The Land'],
    ],
    [
      'in a text without empty lines, as word processors save it',
      'Contents\n1. The Sea\t1\nThe Land\t12\n1. The Sea\nOne day.\nOne night. It was Chapter 2: The Land\nThe Land\nI: Yes.\n1. An item\nThe Sky\nChapter 3: The End\nLast words.\nEpilogue\nBye.\n',
      ['1. The Sea', 'The Land', 'Chapter 3: The End', 'Epilogue'],
    ],
    ['between dashes', '-- I --\n\n¶\n\n-- II --\n\n¶', ['-- I --', '-- II --']],
  ])('are found %s', async (_, text, titles) => {
    const { chapters } = await read(text.replaceAll('¶', `${wrap(story, '', 70)}\n\n${wrap(other, '', 70)}`));
    expect(
      chapters.map(({ title }) => title).filter((title) => !/^\d+$/.test(title) || titles.includes(title)),
    ).toEqual(titles);
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
