/** All constructs of a Word document (ECMA-376 Part 1): their words are spoken, or left out and reported. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, constructsOf, expected, withWords } from './account-words.ts';
import { cases, chaptersOf } from './chapters-of.ts';
import { writeDocxBody } from './write-documents.ts';

const folder = sharedFolder();
let files = 0;
const read = async (body: string, parts: Readonly<Record<string, string>> = {}, keep: readonly string[] = []) =>
  readBook(await writeDocxBody(join(folder, `${++files}.docx`), body, parts), { keep: keep as never });

const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t>${text}</w:t></w:r>`;
const paragraph = (inner: string, properties = ''): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${inner}</w:p>`;

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const styles = `<w:styles xmlns:w="${word}">${[
  ['Heading1', 'heading 1', ''],
  ['TOC1', 'toc 1', ''],
  ['Inhalt', 'toc 2', ''],
  ['Index1', 'index 1', ''],
  ['Secret', 'Secret', '<w:rPr><w:vanish/></w:rPr>'],
  ['Deep', 'Deep', '<w:basedOn w:val="Secret"/>'],
  ['Own', 'Mein Kapitel', '<w:basedOn w:val="Heading1"/>'],
  ['Outline', 'Part', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'],
  ['Text', 'Text below', '<w:basedOn w:val="Heading1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'],
]
  .map(([id, name, more]) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`)
  .join('')}</w:styles>`;

const constructs = constructsOf('docx');

describe('a Word document', () => {
  it('has the words of all constructs, spoken or reported', async () => {
    const book = await read(withWords(constructs), { 'word/styles.xml': styles });
    expect(accountOf(book, constructs)).toEqual(expected(constructs));
    expect(book.warnings).toEqual([
      expect.stringMatching(/^formulas that have no words are left out \(3 in the book\)$/),
      expect.stringMatching(/^left out: changes \(3, first "quillad"/),
    ]);
  });

  it.each(cases('DOCX'))('keeps its words apart or together: $case', async ({ given, expected: said }) => {
    const inner = given.replace(
      /(^|>)([^<>]+)(?=<(?!\/w:t)|$)/g,
      (__, end: string, text: string) => `${end}${run(text)}`,
    );
    const body = paragraph(inner.replaceAll(/<w:(br|cr|ptab)[^>]*\/>/g, '<w:r>$&</w:r>'));
    expect(chaptersOf(await read(body))[0]?.[1]).toBe(said);
  });

  it('joins a large initial with its word, also at the end', async () => {
    const letter = paragraph(run('O'), '<w:framePr w:dropCap="drop" w:lines="3"/>');
    expect(chaptersOf(await read(letter + paragraph(run('nce upon a time.'), '<w:jc w:val="both"/>')))[0]?.[1]).toBe(
      'Once upon a time.',
    );
    expect(chaptersOf(await read(paragraph(run('The')) + letter))[0]?.[1]).toBe('The O');
  });

  it('has comments, running heads and charts in files of their own, which are reported', async () => {
    const parts = {
      'word/comments.xml': `<w:comments xmlns:w="${word}"><w:comment w:id="1">${paragraph(run('Is this so?'))}</w:comment></w:comments>`,
      'word/header1.xml': `<w:hdr xmlns:w="${word}">${paragraph(run('The Great Book'))}</w:hdr>`,
      'word/charts/chart1.xml': '<c:chart xmlns:c="c" xmlns:a="a"><a:t>Sales</a:t><c:v>7</c:v></c:chart>',
    };
    const body = paragraph(`${run('Words.')}<w:r><w:commentReference w:id="1"/></w:r>`);
    const book = await read(body, parts);
    expect(book.leftOut).toEqual({ comments: 1, 'page-numbers': 1, embedded: 1 });
    expect(chaptersOf(book)[0]?.[1]).toBe('Words.');
    const kept = chaptersOf(await read(body, parts, ['comments', 'page-numbers']))[0]?.[1];
    expect(kept).toContain('Is this so?');
    expect(kept).toContain('The Great Book');
  });

  it.each([
    ['based on one of Word', '<w:pStyle w:val="Own"/>', true],
    ['with an outline level', '<w:pStyle w:val="Outline"/>', true],
    ['of a text with an outline level', '<w:outlineLvl w:val="0"/>', true],
    ['based on one, but as text', '<w:pStyle w:val="Text"/>', false],
    ['that is text here', '<w:pStyle w:val="Own"/><w:outlineLvl w:val="9"/>', false],
  ])('has a chapter by a style %s', async (_, properties, isHeading) => {
    const body = paragraph(run('One'), properties) + paragraph(run('Words.'));
    const [[title] = []] = chaptersOf(await read(body, { 'word/styles.xml': styles }));
    expect(title === 'One').toBe(isHeading);
  });

  it('reads what is kept', async () => {
    const kinds = ['changes', 'hidden', 'contents', 'forms', 'index'];
    const rows = constructs.filter(([name, , fate]) => kinds.includes(fate) && name !== 'a deleted row');
    const book = await read(withWords(rows), { 'word/styles.xml': styles }, kinds);
    expect(accountOf(book, rows)).toEqual({ spoken: rows.map(([name]) => name), leftOut: {} });
  });

  it('loses nothing behind a field that never ends', async () => {
    const open =
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    expect(chaptersOf(await read(paragraph(open + run('One.')) + paragraph(run('Two.'))))[0]?.[1]).toBe('One. Two.');
  });

  it('shows what mammoth says', async () => {
    const symbol = '<w:r><w:sym w:font="Nobody" w:char="F0FF"/></w:r>';
    const { warnings } = await read(paragraph(run('Words.') + symbol) + paragraph(symbol));
    expect(warnings).toEqual([expect.stringMatching(/^mammoth: A w:sym element with an unsupported character/)]);
  });
});
