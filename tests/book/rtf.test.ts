/** Rich Text Format: all constructs of RTF 1.9.1 that have words, character sets, and damage. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, constructsOf, expected, withWords } from './account-words.ts';
import { cases, chapterLines, chaptersOf } from './chapters-of.ts';

const folder = sharedFolder();
let files = 0;
async function read(body: string | Buffer, keep: readonly string[] = []) {
  const path = join(folder, `${++files}.rtf`);
  await writeFile(path, typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  return readBook(path, { keep: keep as never });
}
const wrap = (
  body: string,
): string => String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}{\f1\fcharset204 Arial;}{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Wingdings;}}
{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s15 toc 1;}{\s17 Contents Heading;}{\s16 index 1;}}
{\info{\title The Document}{\author A. Writer}{\doccomm No words.}}
${body}}`;
const said = async (body: string): Promise<string | undefined> => chaptersOf(await read(wrap(body)))[0]?.[1];

const constructs = constructsOf('rtf');

describe('an RTF document', () => {
  it('has the words of all constructs, spoken or reported', async () => {
    const book = await read(wrap(withWords(constructs)));
    const account = expected(constructs);
    // The other guide has a reading too.
    expect(accountOf(book, constructs)).toEqual({ ...account, leftOut: { ...account.leftOut, readings: 2 } });
    const kept = constructs.filter(([, , fate]) => !['spoken', 'nothing', 'formulas'].includes(fate));
    const whole = await read(wrap(withWords(kept)), [...new Set(kept.map(([, , fate]) => fate))]);
    expect(accountOf(whole, kept)).toEqual({ spoken: kept.map(([name]) => name), leftOut: {} });
  });

  it('has chapters by styles and by outline levels, title and author', async () => {
    const book = await read(
      wrap(String.raw`\pard\s1 One\par\pard First words.\par\pard\outlinelevel0 Two\par\pard Second words.\par`),
    );
    expect([book.title, book.author, chaptersOf(book)]).toEqual([
      'The Document',
      'A. Writer',
      [
        ['One', 'One First words.'],
        ['Two', 'Two Second words.'],
      ],
    ]);
  });

  it.each(cases('RTF'))('reads $case', async ({ given, expected }) => {
    expect(await said(`${given}\\par`)).toBe(expected);
  });

  it('has the properties of a paragraph in its group alone', async () => {
    const book = await read(wrap(String.raw`\pard{\s1 One\par}First words.\par{\s1 Two}\par Second words.\par`));
    expect(chapterLines(book)).toEqual(['One: One First words.', 'Two: Two Second words.']);
  });

  it('that is cut off or closed too early is read as far as it goes', async () => {
    expect(await said(String.raw`\pard One.\par\pard Two`)).toBe('One. Two');
    expect(chaptersOf(await read(String.raw`{\rtf1\ansi One.\par Two`))[0]?.[1]).toBe('One. Two');
  });

  it('that is nested too deeply is refused', async () => {
    await expect(read(`{\\rtf1 ${'{'.repeat(2_000)}`)).rejects.toThrow('groups are nested too deeply');
  });
});
