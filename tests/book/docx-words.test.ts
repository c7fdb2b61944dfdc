/** All constructs of a Word document (ECMA-376 Part 1): their words are spoken, or left out and reported. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, type Construct, expected, withWords } from './account-words.ts';
import { chaptersOf } from './chapters-of.ts';
import { writeDocxBody } from './write-documents.ts';

const folder = sharedFolder();
let files = 0;
const read = async (body: string, parts: Readonly<Record<string, string>> = {}, keep: readonly string[] = []) =>
  readBook(await writeDocxBody(join(folder, `${++files}.docx`), body, parts), { keep: keep as never });

const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t>${text}</w:t></w:r>`;
const paragraph = (inner: string, properties = ''): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${inner}</w:p>`;
const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (text: string): string => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const fieldOf = (instructions: string, result: string): string =>
  mark('begin') + instructions + mark('separate') + result + mark('end');
const field = (text: string, result: string): string => fieldOf(instruction(text), result);
const shape = (text: string): string =>
  `<w:drawing><wp:anchor><wp:docPr id="1" name="Box"/><a:graphic><a:graphicData uri="x"><wps:wsp><wps:txbx><w:txbxContent>${paragraph(run(text))}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`;
const picture = (text: string): string =>
  `<w:pict><v:shape><v:textbox><w:txbxContent>${paragraph(run(text))}</w:txbxContent></v:textbox></v:shape></w:pict>`;

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

const constructs: readonly Construct[] = [
  ['a run', paragraph(run('WORD')), 'spoken'],
  ['an inserted run', paragraph(`<w:ins w:id="1">${run('WORD')}</w:ins>`), 'spoken'],
  ['a moved run', paragraph(`<w:moveTo w:id="1">${run('WORD')}</w:moveTo>`), 'spoken'],
  ['a deleted run', paragraph('<w:del w:id="1"><w:r><w:delText>WORD</w:delText></w:r></w:del>'), 'changes'],
  ['a run moved away', paragraph(`<w:moveFrom w:id="1">${run('WORD')}</w:moveFrom>`), 'changes'],
  ['a simple field', paragraph(`<w:fldSimple w:instr=" MERGEFIELD Name ">${run('WORD')}</w:fldSimple>`), 'spoken'],
  ['a complex field', paragraph(field(' REF a ', run('WORD'))), 'spoken'],
  [
    'a field in a field',
    paragraph(fieldOf(instruction('IF ') + field('MERGEFIELD x', run('nothing')) + instruction('= "a"'), run('WORD'))),
    'spoken',
  ],
  ['a phonetic guide', paragraph(mark('begin') + instruction('EQ \\o\\ad(\\s\\up 9(),WORD)') + mark('end')), 'spoken'],
  [
    'the reading of a guide',
    paragraph(mark('begin') + instruction('EQ \\* jc2 \\o\\ad(\\s\\up 9(WORD),x)') + mark('end')),
    'readings',
  ],
  ['a formula of a field', paragraph(mark('begin') + instruction('EQ \\r(3,WORD)') + mark('end')), 'formulas'],
  [
    'a choice',
    paragraph(
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="x"/><w:listEntry w:val="WORD"/></w:ddList></w:ffData></w:fldChar></w:r>${instruction('FORMDROPDOWN')}${mark('end')}`,
    ),
    'spoken',
  ],
  ['a hyperlink', paragraph(`<w:hyperlink w:anchor="a">${run('WORD')}</w:hyperlink>`), 'spoken'],
  ['a hyperlink to nowhere', paragraph(`<w:hyperlink r:id="none">${run('WORD')}</w:hyperlink>`), 'spoken'],
  [
    'a picture that is missing',
    paragraph(
      '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="WORD"/><a:graphic><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="none"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
    ),
    'spoken',
  ],
  ['a hyperlink by a field', paragraph(field(' HYPERLINK "http://example.org" ', run('WORD'))), 'spoken'],
  ['text in the other direction', paragraph(`<w:bdo w:val="rtl">${run('WORD')}</w:bdo>`), 'spoken'],
  ['embedded text in the other direction', paragraph(`<w:dir w:val="rtl">${run('WORD')}</w:dir>`), 'spoken'],
  ['a smart tag', paragraph(`<w:smartTag>${run('WORD')}</w:smartTag>`), 'spoken'],
  ['custom XML', paragraph(`<w:customXml w:element="a">${run('WORD')}</w:customXml>`), 'spoken'],
  ['an unknown element', paragraph(`<x:new xmlns:x="urn:new">${run('WORD')}</x:new>`), 'spoken'],
  [
    'a content control',
    `<w:sdt><w:sdtPr><w:alias w:val="a"/></w:sdtPr><w:sdtContent>${paragraph(run('WORD'))}</w:sdtContent></w:sdt>`,
    'spoken',
  ],
  [
    'the prompt of a control',
    `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${paragraph(run('WORD'))}</w:sdtContent></w:sdt>`,
    'forms',
  ],
  ['ruby', paragraph(`<w:r><w:ruby><w:rubyPr/><w:rubyBase>${run('WORD')}</w:rubyBase></w:ruby></w:r>`), 'spoken'],
  [
    'the reading of ruby',
    paragraph(`<w:r><w:ruby><w:rt>${run('WORD')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r>`),
    'readings',
  ],
  ['a simple formula', paragraph('<m:oMath><m:r><m:rPr><m:nor/></m:rPr><m:t>WORD</m:t></m:r></m:oMath>'), 'spoken'],
  [
    'a matrix',
    paragraph('<m:oMath><m:m><m:mr><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:mr></m:m></m:oMath>'),
    'formulas',
  ],
  ['hidden text', paragraph(run('WORD', '<w:vanish/>')), 'hidden'],
  ['text that is not hidden', paragraph(run('WORD', '<w:vanish w:val="0"/>')), 'spoken'],
  ['text hidden by its style', paragraph(run('WORD', '<w:rStyle w:val="Deep"/>')), 'hidden'],
  ['a paragraph hidden by its style', paragraph(run('WORD'), '<w:pStyle w:val="Secret"/>'), 'hidden'],
  [
    'a hidden row',
    `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${paragraph(run('WORD'))}</w:tc></w:tr></w:tbl>`,
    'hidden',
  ],
  [
    'a deleted row',
    `<w:tbl><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc>${paragraph(run('WORD'))}</w:tc></w:tr></w:tbl>`,
    'changes',
  ],
  ['a cell', `<w:tbl><w:tr><w:tc>${paragraph(run('WORD'))}</w:tc></w:tr></w:tbl>`, 'spoken'],
  ['an entry of the contents', paragraph(run('WORD'), '<w:pStyle w:val="TOC1"/>'), 'contents'],
  ['an entry of the contents in another language', paragraph(run('WORD'), '<w:pStyle w:val="Inhalt"/>'), 'contents'],
  [
    'contents by a field',
    paragraph(field(' TOC \\o "1-3" ', `<w:hyperlink w:anchor="a">${run('WORD')}</w:hyperlink>`)),
    'contents',
  ],
  ['contents by a simple field', paragraph(`<w:fldSimple w:instr="TOC">${run('WORD')}</w:fldSimple>`), 'contents'],
  [
    'contents in a control',
    `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>${paragraph(run('WORD'))}</w:sdtContent></w:sdt>`,
    'contents',
  ],
  ['an entry of the index', paragraph(run('WORD'), '<w:pStyle w:val="Index1"/>'), 'index'],
  ['a text box', paragraph(`<w:r>${picture('WORD')}</w:r>`), 'spoken'],
  ['a text box in a shape', paragraph(`<w:r>${shape('WORD')}</w:r>`), 'spoken'],
  [
    'a text box in two forms',
    paragraph(
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${shape('WORD')}</mc:Choice><mc:Fallback>${picture('WORD')}</mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    'spoken',
  ],
  [
    'a text box without a new form',
    paragraph(`<w:r><mc:AlternateContent><mc:Fallback>${picture('WORD')}</mc:Fallback></mc:AlternateContent></w:r>`),
    'spoken',
  ],
  [
    'a large initial and its word',
    `${paragraph(run('WO'), '<w:framePr w:dropCap="drop" w:lines="3"/>')}${paragraph(run('RD'))}`,
    'nothing',
  ],
  ['WordArt', paragraph('<w:r><w:pict><v:shape><v:textpath string="WORD"/></v:shape></w:pict></w:r>'), 'spoken'],
  [
    'the words of a diagram',
    paragraph(
      '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><a:p><a:r><a:t>WORD</a:t></a:r></a:p></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
    ),
    'embedded',
  ],
  ['an embedded formula', paragraph('<w:r><w:object><o:OLEObject ProgID="Equation.3"/></w:object></w:r>'), 'formulas'],
  ['an imported file', '<w:altChunk r:id="r9"/>', 'embedded'],
];

describe('a Word document', () => {
  it('has the words of all constructs, spoken or reported', async () => {
    const book = await read(withWords(constructs), { 'word/styles.xml': styles });
    expect(accountOf(book, constructs)).toEqual(expected(constructs));
    expect(book.warnings).toEqual([
      expect.stringMatching(/^formulas that have no words are left out \(3 in the book\)$/),
      expect.stringMatching(/^left out: changes \(3, first "quillad"/),
    ]);
  });

  it.each([
    [
      'a merged name',
      `Dear <w:fldSimple w:instr=" MERGEFIELD Name ">${run('Anna Smith')}</w:fldSimple>, welcome.`,
      'Dear Anna Smith, welcome.',
    ],
    ['a page break', 'end<w:br w:type="page"/>Second', 'end Second'],
    ['a column break', 'end<w:br w:type="column"/>Second', 'end Second'],
    ['a carriage return', 'end<w:cr/>Second', 'end Second'],
    ['a tab', 'end<w:ptab/>Second', 'end Second'],
  ])('keeps its words apart or together: %s', async (_, written, said) => {
    const inner = written.replace(
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
    const kept = constructs.filter(
      ([, , fate]) => ['changes', 'hidden', 'contents', 'forms', 'index'].includes(fate) && fate !== 'nothing',
    );
    const rows = kept.filter(([name]) => name !== 'a deleted row');
    const book = await read(withWords(rows), { 'word/styles.xml': styles }, [
      'changes',
      'hidden',
      'contents',
      'forms',
      'index',
    ]);
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
