/** All constructs of an OpenDocument text (OpenDocument 1.3, part 3): their words are spoken, or left out and reported. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBook } from '../../src/book/read-book.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { accountOf, constructsOf, expected, withWords } from './account-words.ts';
import { chaptersOf } from './chapters-of.ts';
import { writeOdtBody } from './write-documents.ts';

const folder = sharedFolder();
let files = 0;
const read = async (body: string, parts: Readonly<Record<string, string>> = {}, keep: readonly string[] = []) =>
  readBook(await writeOdtBody(join(folder, `${++files}.odt`), body, parts), { keep: keep as never });

const styles =
  '<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:parent-style-name="T1"/>';

const constructs = constructsOf('odt');

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
