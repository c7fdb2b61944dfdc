/** All constructs of an OpenDocument text (OpenDocument 1.3, part 3): their words are spoken, or left out and reported. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, type Construct, expected, withWords } from './account-words.ts';
import { chaptersOf } from './chapters-of.ts';
import { writeOdtBody } from './write-documents.ts';

const folder = sharedFolder();
let files = 0;
const read = async (body: string, parts: Readonly<Record<string, string>> = {}, keep: readonly string[] = []) =>
  readBook(await writeOdtBody(join(folder, `${++files}.odt`), body, parts), { keep: keep as never });

const styles =
  '<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:parent-style-name="T1"/>';

const constructs: readonly Construct[] = [
  ['a paragraph', '<text:p>WORD</text:p>', 'spoken'],
  ['a heading', '<text:h text:outline-level="2">WORD</text:h>', 'spoken'],
  ['a span', '<text:p><text:span>WORD</text:span></text:p>', 'spoken'],
  ['a link', '<text:p><text:a xlink:href="a">WORD</text:a></text:p>', 'spoken'],
  ['an item', '<text:list><text:list-item><text:p>WORD</text:p></text:list-item></text:list>', 'spoken'],
  ['the head of a list', '<text:list><text:list-header><text:p>WORD</text:p></text:list-header></text:list>', 'spoken'],
  ['a numbered paragraph', '<text:numbered-paragraph><text:p>WORD</text:p></text:numbered-paragraph>', 'spoken'],
  [
    'a cell',
    '<table:table><table:table-row><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row></table:table>',
    'spoken',
  ],
  [
    'a covered cell',
    '<table:table><table:table-row><table:covered-table-cell><text:p>WORD</text:p></table:covered-table-cell></table:table-row></table:table>',
    'hidden',
  ],
  [
    'a hidden row',
    '<table:table><table:table-row table:visibility="collapse"><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row></table:table>',
    'hidden',
  ],
  ['a section', '<text:section text:name="a"><text:p>WORD</text:p></text:section>', 'spoken'],
  ['a hidden section', '<text:section text:display="none"><text:p>WORD</text:p></text:section>', 'hidden'],
  [
    'a section that a condition hides',
    '<text:section text:display="condition" text:is-hidden="true"><text:p>WORD</text:p></text:section>',
    'hidden',
  ],
  ['a hidden span', '<text:p><text:span text:style-name="T1">WORD</text:span></text:p>', 'hidden'],
  [
    'a span hidden by the parent of its style',
    '<text:p><text:span text:style-name="T2">WORD</text:span></text:p>',
    'hidden',
  ],
  ['hidden text', '<text:p><text:hidden-text text:is-hidden="true">WORD</text:hidden-text></text:p>', 'hidden'],
  ['a hidden paragraph', '<text:p>WORD<text:hidden-paragraph text:is-hidden="true"/></text:p>', 'hidden'],
  ['a field', '<text:p><text:user-field-get>WORD</text:user-field-get></text:p>', 'spoken'],
  ['a placeholder', '<text:p><text:placeholder>WORD</text:placeholder></text:p>', 'forms'],
  [
    'a note',
    '<text:p><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>WORD</text:p></text:note-body></text:note></text:p>',
    'notes',
  ],
  ['ruby', '<text:p><text:ruby><text:ruby-base>WORD</text:ruby-base></text:ruby></text:p>', 'spoken'],
  [
    'the reading of ruby',
    '<text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>WORD</text:ruby-text></text:ruby></text:p>',
    'readings',
  ],
  [
    'a comment',
    '<text:p><office:annotation><dc:creator>Anna</dc:creator><text:p>WORD</text:p></office:annotation></text:p>',
    'comments',
  ],
  [
    'a deletion',
    '<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>Ben</dc:creator></office:change-info><text:p>WORD</text:p></text:deletion></text:changed-region></text:tracked-changes>',
    'changes',
  ],
  [
    'contents',
    '<text:table-of-content><text:table-of-content-source/><text:index-body><text:p>WORD</text:p></text:index-body></text:table-of-content>',
    'contents',
  ],
  [
    'a list of pictures',
    '<text:illustration-index><text:index-body><text:p>WORD</text:p></text:index-body></text:illustration-index>',
    'contents',
  ],
  [
    'an index',
    '<text:alphabetical-index><text:index-body><text:p>WORD</text:p></text:index-body></text:alphabetical-index>',
    'index',
  ],
  [
    'a text box',
    '<text:p><draw:frame><draw:text-box><text:p>WORD</text:p></draw:text-box></draw:frame></text:p>',
    'spoken',
  ],
  [
    'the caption of a picture',
    '<text:p><draw:frame><draw:text-box><text:p><draw:frame><draw:image/></draw:frame>WORD</text:p></draw:text-box></draw:frame></text:p>',
    'spoken',
  ],
  [
    'the title of a picture',
    '<text:p><draw:frame><draw:image/><svg:title>WORD</svg:title></draw:frame></text:p>',
    'spoken',
  ],
  ['a shape', '<text:p><draw:custom-shape><text:p>WORD</text:p></draw:custom-shape></text:p>', 'spoken'],
  ['a group of shapes', '<text:p><draw:g><draw:rect><text:p>WORD</text:p></draw:rect></draw:g></text:p>', 'spoken'],
  ['a field of a form', '<office:forms>WORD</office:forms>', 'forms'],
  ['an unknown element', '<text:p><text:new>WORD</text:new></text:p>', 'spoken'],
  [
    'a description of a picture',
    '<text:p><draw:frame><draw:image/><svg:desc>A WORD</svg:desc></draw:frame></text:p>',
    'spoken',
  ],
  [
    'the name of a picture',
    '<text:p><draw:frame><draw:image/><svg:title>WORD.png</svg:title></draw:frame></text:p>',
    'pictures',
  ],
  [
    'a description by the program',
    '<text:p>a<draw:frame><draw:image/><svg:desc>OLE-object</svg:desc></draw:frame></text:p>',
    'nothing',
  ],
];

describe('an OpenDocument text', () => {
  it('has the words of all constructs, spoken or reported', async () => {
    const book = await read(withWords(constructs), { styles });
    expect(accountOf(book, constructs)).toEqual(expected(constructs));
    expect(book.warnings.at(-1)).toMatch(/^left out: hidden \(8, first "quillai"/);
    const kept = constructs.filter(([, , fate]) => fate !== 'spoken' && fate !== 'nothing');
    const kinds = [...new Set(kept.map(([, , fate]) => fate))];
    const whole = await read(withWords(kept), { styles }, kinds);
    expect(accountOf(whole, kept)).toEqual({ spoken: kept.map(([name]) => name), leftOut: {} });
  });

  it('has powers and marks of notes that are raised', async () => {
    const raised =
      '<style:style style:name="S" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>';
    const body = (own: string): string => `<text:p>${own}</text:p>`;
    const book = await read(
      body(
        '10<text:span text:style-name="S">6</text:span> words and a mark<text:span text:style-name="S">1</text:span>.',
      ),
      { styles: raised },
    );
    expect([chaptersOf(book)[0]?.[1], book.leftOut]).toEqual(['10⁶ words and a mark.', { notes: 1 }]);
  });

  it('has formulas that are objects, and reports the words of other objects and running heads', async () => {
    const object = (name: string): string => `<draw:frame><draw:object xlink:href="./${name}"/></draw:frame>`;
    const parts = {
      'Object 1/content.xml':
        '<math xmlns="m"><semantics><mrow><mi>x</mi><mo>=</mo><mn>2</mn></mrow><annotation encoding="StarMath 5.0">x = 2</annotation></semantics></math>',
      'Object 2/content.xml':
        '<office:document-content><office:body><office:chart><text:p>Sales</text:p></office:chart></office:body></office:document-content>',
      'styles.xml':
        '<office:document-styles><style:master-page><style:header><text:p>The Great Book</text:p></style:header><style:footer><text:p/></style:footer></style:master-page></office:document-styles>',
    };
    const book = await read(
      `<text:p>Let ${object('Object 1')} be.</text:p><text:p>${object('Object 2')}</text:p>`,
      parts,
    );
    expect(chaptersOf(book)[0]?.[1]).toBe('Let x equals 2 be.');
    expect(book.leftOut).toEqual({ embedded: 1, 'page-numbers': 1 });
  });
});
