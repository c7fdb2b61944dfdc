/** Rich Text Format: all constructs of RTF 1.9.1 that have words, character sets, and damage. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, constructsOf, expected, withWords } from './account-words.ts';
import { chapterLines, chaptersOf } from './chapters-of.ts';

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

  it.each([
    ['code pages of fonts', String.raw`\f1\'cf\'f0\'e8\'e2\'e5\'f2`, 'Привет'],
    ['quotation marks of Windows', String.raw`\'93Don\'92t\'94 \'97 no`, '“Don’t” — no'],
    ['characters of two bytes', String.raw`\f2\'82\'a0\'82\'a2`, 'あい'],
    ['Unicode with fallbacks', String.raw`\u1055?\uc2\u1088??\uc0\u1080\u1074`, 'Прив'],
    ['surrogates', String.raw`a\u-10179?\u-8704?b`, 'a\u{1F600}b'],
    ['signs', String.raw`\ldblquote Wait\rdblquote\emdash now\~then`, '“Wait”—now then'],
    ['hyphens', String.raw`over\-flow co\_op`, 'overflow co\u2011op'],
    ['pictures', String.raw`a{\pict\pngblip 89504e47}b{\pict\bin4 }}{{}c`, 'abc'],
    ['bullets in a font of signs', String.raw`{\f3 l}word`, 'word'],
    ['a large initial', String.raw`\pard\dropcapli3\dropcapt1 O\par\pard nce upon a time.`, 'Once upon a time.'],
    ['raised and lowered letters', String.raw`10{\super 6} H{\sub 2}O x\super 2\nosupersub .`, '10⁶ H2O x².'],
    ['the text of a raised mark', String.raw`The end{\super 1}.`, 'The end.'],
    ['a fraction', String.raw`a {\field{\*\fldinst EQ \\f(1,2)}{\fldrslt}} b`, 'a 1/2 b'],
    ['a page break', String.raw`end\page Second`, 'end Second'],
    ['braces', String.raw`\{a\}\\`, '{a}\\'],
  ])('reads %s', async (_, written, words) => {
    expect(await said(`${written}\\par`)).toBe(words);
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
