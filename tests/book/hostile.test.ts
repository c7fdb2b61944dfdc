/** Documents that are made to keep a reader busy, or to break its parsers. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ReadBookOptions } from '../../src/book/book.ts';
import { countLeftOut } from '../../src/book/left-out.ts';
import { parseCastFile, readBook } from '../../src/book/read-book.ts';
import { readDocument } from '../../src/book/read-document.ts';
import { expectError } from '../support/errors.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { countedCopy, growthOf } from '../support/work.ts';
import { chaptersOf } from './chapters-of.ts';
import { writeDocx, writePdf, zipped } from './write-documents.ts';

const counted = await countedCopy<
  typeof import('../../src/book/epub/read-epub.ts') &
    typeof import('../../src/book/formats/markdown-book.ts') &
    typeof import('../../src/book/formats/docx-words.ts') &
    typeof import('../../src/book/formats/odt-book.ts') &
    typeof import('../../src/book/formats/fb2-book.ts') &
    typeof import('../../src/book/formats/text-book.ts') &
    typeof import('../../src/book/formats/html-book.ts') &
    typeof import('../../src/book/formats/pdf-lines.ts') &
    typeof import('../../src/book/formats/pdf-paragraphs.ts') &
    typeof import('../../src/book/cast-document.ts') &
    typeof import('../../src/book/list-chapters.ts') &
    typeof import('../../src/engine/script/passage.ts') &
    typeof import('../../src/cli/output/warnings.ts')
>(
  'src/book/epub/read-epub.ts',
  'src/book/formats/markdown-book.ts',
  'src/book/formats/docx-words.ts',
  'src/book/formats/odt-book.ts',
  'src/book/formats/fb2-book.ts',
  'src/book/formats/text-book.ts',
  'src/book/formats/html-book.ts',
  'src/book/formats/pdf-lines.ts',
  'src/book/formats/pdf-paragraphs.ts',
  'src/book/cast-document.ts',
  'src/book/list-chapters.ts',
  'src/engine/script/passage.ts',
  'src/cli/output/warnings.ts',
);

const folder = sharedFolder();
const options: ReadBookOptions = {};

async function written(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const epub = (css: string, body: string): Promise<Buffer> =>
  zipped({
    'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
    'book.opf':
      '<package><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.css': css,
    'a.xhtml': `<html><head><link rel="stylesheet" href="a.css"/></head><body>${body}</body></html>`,
  });

describe('work grows with the length alone', () => {
  const file = (name: string, content: string) => ({ path: name, bytes: Buffer.from(content) });
  const many = <Item>(length: number, item: (index: number) => Item) =>
    Array.from({ length }, (_, index) => item(index));
  const markdown = (text: string) => counted.readMarkdownBook(file('a.md', text), options);
  const html = (page: string) => counted.htmlBook(page, 'a.html', options);
  const plain = (text: string) => counted.readTextBook(file('a.txt', text), options);
  const epubOf = async (css: string, body: string) =>
    counted.readEpub({ path: 'a.epub', bytes: await epub(css, body) }, options);
  const fb2 = (title: string) => {
    const body = '<body><section><p>a</p></section></body>';
    const book = `<FictionBook><description><title-info>${title}</title-info></description>${body}</FictionBook>`;
    return counted.readFb2(file('a.fb2', book), options);
  };

  it.each<[string, (size: number) => unknown]>([
    ['Markdown of brackets', (size) => markdown('['.repeat(size))],
    ['Markdown of links', (size) => markdown('[a]('.repeat(size))],
    ['lines in front of Markdown', (size) => markdown(`---\n${'a\n'.repeat(size)}`)],
    ['HTML of <', (size) => html('<'.repeat(size))],
    ['HTML of headings', (size) => html('<h1>a</h1>'.repeat(size))],
    ['HTML of paragraphs', (size) => html('<p>a'.repeat(size))],
    [
      'marks behind a paragraph',
      (size) => {
        const pause = { kind: 'pause', seconds: 1, from: 'structure' } as const;
        const marks = many(size, () => [pause, { kind: 'text', text: '.' } as const]).flat();
        return counted.passagesOf([{ kind: 'text', text: 'a '.repeat(size) }, ...marks]);
      },
    ],
    [
      'places of notes behind pauses',
      (size) => html(`a<a href="#n">[1]</a><p>${'<br><a id="n"></a>'.repeat(size)}</p>`),
    ],
    ['lines of a paragraph', (size) => plain(`One.\n\n\n\nTwo.\n\n${'and so for-\n'.repeat(size)}`)],
    ['tags in a heading of EPUB', (size) => epubOf('', `<h1>${'a<b/>'.repeat(size)}</h1>`)],
    [
      'pieces of a line of PDF',
      (size) => {
        const item = (index: number) => ({ str: 'a', transform: [1, 0, 0, 12, index * 6, 0], height: 12, width: 6 });
        return counted.linesOf(many(size, item), countLeftOut());
      },
    ],
    [
      'lines of a paragraph of PDF',
      (size) => {
        const line = { text: 'and so forth', x: 0, end: 60, height: 12, margin: 0 };
        const pages = many(size / 50, () => ({ lines: many(50, (index) => ({ ...line, y: 700 - index * 14 })) }));
        return counted.pagesToHtml(pages, new Map([[0, Array(size / 50).fill('a')]]), countLeftOut());
      },
    ],
    [
      'lines of numerals',
      async (size) => counted.listChapters({ chapters: (await plain('I\n\n'.repeat(size))).chapters }),
    ],
    [
      'ODT of spaces',
      async (size) => {
        const content = `<office:document-content><text:p>${'<text:s/>'.repeat(size)}</text:p></office:document-content>`;
        return counted.readOdt({ path: 'a.odt', bytes: await zipped({ 'content.xml': content }) }, options);
      },
    ],
    [
      'fields within each other in DOCX',
      (size) => {
        const mark = (type: string): string => `<w:fldChar w:fldCharType="${type}"/>`;
        const fields = (mark('begin') + mark('separate')).repeat(size);
        const xml = `<w:document xmlns:w="${word}">${fields}${'<w:t>a</w:t>'.repeat(size)}${mark('end').repeat(size)}</w:document>`;
        const styles = { isHidden: () => false, matterOf: () => undefined, headingOf: () => undefined };
        return counted.rewritePart(xml, { styles, relations: new Set() }, countLeftOut());
      },
    ],
    ['an annotation of FB2', (size) => fb2(`<annotation>${'<p>a</p>'.repeat(size)}</annotation>`)],
    ['authors of FB2', (size) => fb2('<author><last-name>a</last-name></author>'.repeat(size))],
    [
      'rules and elements of EPUB',
      (size) => {
        const rules = many(size / 4, (index) => `.a.b${index}{display:none}`).join('');
        return epubOf(rules, '<p class="a">a</p>'.repeat(size));
      },
    ],
    [
      'a selector of classes',
      (size) => epubOf(`${'.a'.repeat(size)}{display:none}`, '<p class="a">a</p>'.repeat(size)),
    ],
    [
      'keys of a cast',
      (size) => {
        const keys = many(size / 4, (index) => `  k${index}: iris\n`).join('');
        return counted.readCastDocument(`characters:\n${keys}`, 'a.yaml');
      },
    ],
    ['errors of a cast', (size) => counted.readCastDocument(']'.repeat(size), 'a.yaml').catch(() => undefined)],
    [
      'warnings',
      (size) => {
        const io = { stderr: { write: () => true }, environment: {} } as never;
        const warner = counted.createWarner({ quiet: true }, io);
        for (let index = 0; index < size; index += 1) warner.report([`warning ${index}`]);
      },
    ],
  ])('%s', async (_, run) => {
    expect(await growthOf(run, 200, 800)).toBeLessThan(4.5);
  });
});

describe('a small document that takes other parsers forever is read', () => {
  it.each([
    ['a line that begins with a tag, with no-break spaces', 'a.md', `<a${'\u00a0a=\u00a0b'.repeat(50)} `],
    ['the same in a list', 'b.md', `- <a${'\u00a0a=\u00a0b'.repeat(50)} `],
    ['a tag over two lines', 'c.md', `x <a\nb${'\u00a0a=\u00a0b'.repeat(50)} `],
  ])('%s', async (_, name, markdown) => {
    expect((await readBook(await written(name, markdown))).chapters).toHaveLength(1);
  });

  it.each([
    ':is('.repeat(1_000),
    ':not(a,'.repeat(800),
    `${':is('.repeat(500)}a${')'.repeat(500)}`,
    'a{'.repeat(3_000),
  ])('selectors of a style sheet: %#', async (selector) => {
    const path = await written('css.epub', await epub(`.x{display:none}${selector}{display:none}`, '<p>a</p>'));
    expect(chaptersOf(await readBook(path))).toEqual([['Beginning', 'a']]);
  });
});

const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const main = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const docx = (body: string, others: Readonly<Record<string, string>> = {}): Promise<Buffer> =>
  zipped({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${main}" Target="word/other.xml"/></Relationships>`,
    'word/other.xml': `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
    ...others,
  });
const paragraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>';

describe('is refused in one line that names the file:', () => {
  it.each<[string, string, () => Promise<string | Buffer>, RegExp]>([
    [
      'a main part of another name that is too large',
      'a.docx',
      () => docx(paragraph.repeat(400_000)),
      /larger than 12 MB/,
    ],
    [
      'parts that are too large together',
      'b.docx',
      () =>
        docx(paragraph.repeat(200_000), {
          'word/styles.xml': `<w:styles xmlns:w="${word}">${'<w:style/>'.repeat(700_000)}</w:styles>`,
        }),
      /larger than 12 MB/,
    ],
    ['nested paragraphs', 'c.docx', () => docx('<w:p>'.repeat(20_000)), /nested too deeply/],
    [
      'a document without a body',
      'd.docx',
      () => zipped({ '_rels/.rels': '<a/>', 'word/document.xml': '<a/>' }),
      /damaged/,
    ],
    ['no XML', 'e.docx', () => zipped({ '_rels/.rels': 'a', 'word/document.xml': 'a' }), /damaged/],
    ['nested elements', 'f.html', async () => '<div>'.repeat(10_000), /nested too deeply/],
    ['nested elements of FB2', 'g.fb2', async () => `<FictionBook>${'<p>'.repeat(10_000)}`, /nested too deeply/],
    ['short lines', 'h.txt', async () => 'a\n'.repeat(1_100_000), /more than 1000000 lines/],
  ])('%s', async (_, name, content, problem) => {
    const path = await written(name, await content());
    const error: unknown = await readBook(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringMatching(problem) });
    expect((error as Error).message).toContain(basename(path));
    expect((error as Error).message).not.toMatch(/call stack|cannot read prop|\n/i);
  });

  it('a formula of ODT that is shown again and again', async () => {
    const formula = `<math>${'<mi>x</mi>'.repeat(10_000)}</math>`;
    const shown = '<draw:object xlink:href="./Object 1"/>'.repeat(1_000);
    const content = `<office:document-content><text:p>a${shown}</text:p></office:document-content>`;
    const path = await written(
      'formulas.odt',
      await zipped({ 'content.xml': content, 'Object 1/content.xml': formula }),
    );
    await expect(readBook(path)).rejects.toThrow('formulas.odt: its formulas are larger than 8 MB');
  });

  it('a PDF whose pages contain themselves', async () => {
    const path = await writePdf(join(folder, 'loop.pdf'), [[['a']], [['b']]]);
    const pdf = (await readFile(path, 'latin1')).replace('Kids[4 0 R 6 0 R]', 'Kids[4 0 R 2 0 R]');
    await expectError(
      readBook(await written('loop.pdf', Buffer.from(pdf, 'latin1'))),
      'INVALID_REQUEST',
      /loop\.pdf is not a readable PDF: it is damaged; open it in another program/,
    );
  });

  it('a cast that is nested, or names a key twice', async () => {
    const { signal } = new AbortController();
    await expect(parseCastFile('{'.repeat(5_000), 'cast.yaml', signal)).rejects.toThrow('"cast.yaml" is not a cast');
    for (const mark of ['- ', '? ', '- ? '])
      await expect(parseCastFile(mark.repeat(5_000), 'cast.yaml', signal)).rejects.toThrow('is nested too deeply');
    await expect(parseCastFile('characters:\n  A: iris\n  A: ben\n', 'cast.yaml', signal)).rejects.toThrow(
      '"cast.yaml" is not valid YAML: it has the key "A" twice',
    );
  });
});

describe('a folder of Markdown', () => {
  const bookOf = (links: readonly string[]): string => links.map((link) => `- [${link}](${link})\n`).join('');

  it('has each page once, and none without an end', async () => {
    const path = join(folder, 'book');
    await mkdir(path);
    execFileSync('mkfifo', [join(path, 'pipe.md')]);
    await symlink('/dev/zero', join(path, 'zeros.md'));
    await writeFile(join(path, 'a.md'), 'Hello.');
    await writeFile(join(path, 'SUMMARY.md'), bookOf(['pipe.md', 'zeros.md', ...Array(300).fill('a.md')]));
    const { chapters, warnings } = await readBook(path);
    expect(chapters).toHaveLength(1);
    expect(warnings).toEqual(['pipe', 'zeros'].map((name) => `the page "${name}.md" is left out: it is missing`));
  });

  it('has a limit for all of its pages', async () => {
    const path = join(folder, 'large');
    await mkdir(path);
    await writeFile(join(path, 'SUMMARY.md'), bookOf(['a.md', 'b.md', 'c.md']));
    await writeFile(join(path, 'a.md'), 'Hello.');
    for (const name of ['b.md', 'c.md']) await writeFile(join(path, name), '');
    await truncate(join(path, 'b.md'), 65 * 2 ** 20);
    await expect(readBook(path)).rejects.toThrow('the pages of the book are larger than 64 MiB in total');
  });
});

it('reads a paragraph of more lines than a call takes arguments', async () => {
  const path = await written('long.txt', `One.\n\n\n\nTwo.\n\n${'a\n'.repeat(130_000)}`);
  expect((await readBook(path)).chapters).toHaveLength(1);
});

it('does not wait for what is read, and stops reading when it is canceled', async () => {
  const path = await written('long.md', 'a *b* [c](d)\n'.repeat(200_000));
  const controller = new AbortController();
  let turns = 0;
  const reading = readBook(path, { signal: controller.signal });
  const turn = (): void => {
    turns += 1;
    if (turns === 100) controller.abort();
    else setImmediate(turn);
  };
  setImmediate(turn);
  await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(turns).toBe(100);
  expect((await readBook(await written('short.md', 'Hello.'))).chapters).toHaveLength(1);
});

it('reads in a thread what it reads in this one', async () => {
  const path = await writeDocx(join(folder, 'same.docx'));
  expect(await readBook(path)).toEqual(await readDocument(path));
});
