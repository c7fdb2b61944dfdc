/** Chapters of documents whose headings are only words, titles in headings of their own, and the licence of Project Gutenberg. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDocument } from '../../src/book/read-document.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { cases, chapterLines, chaptersOf } from './chapters-of.ts';
import { writeDocxBody, writePdf } from './write-documents.ts';
import { writeEpub } from './write-epub.ts';

const folder = sharedFolder();
let files = 0;
const at = (extension: string): string => join(folder, `${++files}.${extension}`);
async function read(body: string, keep: readonly string[] = []) {
  const path = at('html');
  await writeFile(path, `<html><head><title>Book</title></head><body>${body}</body></html>`);
  return readDocument(path, { keep: keep as never });
}
const titlesOf = async (body: string): Promise<readonly string[]> =>
  (await read(body)).chapters.map(({ title }) => title);
const prose = 'It was a bright cold day, and the clocks were striking. '.repeat(9).trim();

describe('chapters without marked headings', () => {
  it.each(cases('heading'))('are found $case', async ({ given, expected }) => {
    expect((await titlesOf(given.replaceAll('¶', prose))).join(' | ')).toBe(expected);
  });

  it('are found in RTF and DOCX', async () => {
    const lines = ['Chapter One', prose, 'Chapter Two', prose];
    const rtf = at('rtf');
    await writeFile(rtf, `{\\rtf1\\ansi ${lines.map((line) => `\\pard ${line}\\par`).join('\n')}}`);
    const body = lines.map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`).join('');
    const docx = await writeDocxBody(at('docx'), body);
    for (const path of [rtf, docx])
      expect((await readDocument(path)).chapters.map(({ title }) => title)).toEqual(['Chapter One', 'Chapter Two']);
  });

  it('are found in PDF by the room around them, and are no running heads', async () => {
    const line = (...letters: readonly number[]): string =>
      `The words of line ${String.fromCharCode(...letters.map((own) => 97 + own))} are as many as those of all others, and as long as any.`;
    // Lines of nothing make room.
    const page = (number: number): readonly (readonly [string, number])[] => [
      [`Chapter ${number}`, 11],
      [' ', 22],
      ...Array.from({ length: 6 }, (_, index) => [line(number, index), 11] as const),
    ];
    const book = await readDocument(await writePdf(at('pdf'), [page(1), page(2), page(3), page(4)]));
    expect(book.chapters.map(({ title }) => title)).toEqual(['Chapter 1', 'Chapter 2', 'Chapter 3', 'Chapter 4']);
    expect(book.leftOut).toEqual({});
  });
});

describe('headings in a row', () => {
  it('are the number of a chapter and its title', async () => {
    const body = (number: string, title: string): string => `<h2>${number}</h2><h2>${title}</h2><p>${prose}</p>`;
    const pages = `<h1>BOOK ONE</h1><h1>THE MARTIANS</h1>${body('CHAPTER ONE', 'THE EVE OF THE WAR')}${body('II', 'THE EPILOGUE')}`;
    const titles = ['BOOK ONE. THE MARTIANS', 'CHAPTER ONE. THE EVE OF THE WAR', 'II. THE EPILOGUE'];
    expect(await titlesOf(pages)).toEqual(titles);
    const chapters = [['One', pages.replaceAll('<p>', '<p/><p>')] as const];
    const epub = await writeEpub(at('epub'), { title: 'Book', chapters });
    expect((await readDocument(epub, { chapterDepth: 3 })).chapters).toHaveLength(1);
  });

  it('that are numbers are chapters of their own', async () => {
    const numbers = [1, 2, 3].map((number) => `<h2>${number}</h2>`).join('');
    expect(await titlesOf(`${numbers}<p>${prose}</p><h2>4</h2><p>${prose}</p>`)).toEqual(['1', '2', '3', '4']);
  });

  it('of a title page begin the first chapter', async () => {
    const book = await read(`<h1>The Site</h1><h1>The Story</h1><p>${prose}</p><h2>A</h2><p>a</p><h2>B</h2><p>b</p>`);
    expect(chapterLines(book)).toEqual([`The Story: The Site The Story ${prose}`, 'A: A a', 'B: B b']);
    const pages = '<h1>The Story</h1><h1>by A. Writer</h1><h1>Chapter 1</h1><p>a</p><h1>Two</h1><p>b</p>';
    expect(await titlesOf(pages)).toEqual(['Chapter 1', 'Two']);
  });

  it('of a chapter and of what it begins with are one chapter', async () => {
    const chapter = (number: number): string =>
      `<h1>Chapter ${number}. The Flight</h1><h3>Straight on</h3><p>${prose}</p>`;
    expect(await titlesOf(chapter(1) + chapter(2))).toEqual(['Chapter 1. The Flight', 'Chapter 2. The Flight']);
  });
});

it("leaves out Project Gutenberg's header and licence of any format", async () => {
  const body = `<pre>The Project Gutenberg EBook of Alice\n\n*** START OF THIS PROJECT GUTENBERG EBOOK ALICE ***\nProduced by</pre>
    <h1>Chapter 1</h1><p>${prose}</p><h1>Chapter 2</h1><p>${prose}</p><p>End of Project Gutenberg's Alice</p><p>*** END OF THIS PROJECT GUTENBERG EBOOK ALICE ***</p><p>The licence.</p><h2>More of it</h2><p>All of it.</p>`;
  const book = await read(body);
  const ends = chaptersOf(book).map(([title, words]) => `${title}: ${words?.slice(-9)}`);
  expect(ends).toEqual(['Book: oduced by', 'Chapter 1: striking.', 'Chapter 2: striking.']);
  expect(book.leftOut).toEqual({ copyright: 2 });
  const kept = chaptersOf(await read(body, ['copyright']))
    .flat()
    .join(' ');
  expect(kept).toContain('EBook of Alice');
  expect(kept).toContain('All of it.');
});
