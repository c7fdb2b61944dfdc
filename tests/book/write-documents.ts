/** Small documents of many formats for tests. Each has the chapters One and Two. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export async function zipped(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return buffer(archive.outputStream);
}

export async function zip(path: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  await writeFile(path, await zipped(files));
  return path;
}

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

const wordRun = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const wordNamespaces = [
  ['w', word],
  ['r', relations],
  ['m', 'http://schemas.openxmlformats.org/officeDocument/2006/math'],
  ['mc', 'http://schemas.openxmlformats.org/markup-compatibility/2006'],
  ['wp', 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing'],
  ['a', 'http://schemas.openxmlformats.org/drawingml/2006/main'],
  ['wps', 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
  ['v', 'urn:schemas-microsoft-com:vml'],
  ['o', 'urn:schemas-microsoft-com:office:office'],
]
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** @param body XML of paragraphs; `parts` are further files of the archive */
export function writeDocxBody(
  path: string,
  body: string,
  parts: Readonly<Record<string, string>> = {},
): Promise<string> {
  const type = (part: string, kind: string): string =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}+xml"/>`;
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${relations}/${kind}" Target="${target}"/>`;
  const wrap = (inner: string): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  return zip(path, {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('/word/document.xml', 'document.main')}${type('/word/styles.xml', 'styles')}${type('/word/footnotes.xml', 'footnotes')}</Types>`,
    '_rels/.rels': wrap(relation('r1', 'officeDocument', 'word/document.xml')),
    'word/_rels/document.xml.rels': wrap(
      relation('r1', 'styles', 'styles.xml') +
        relation('r2', 'footnotes', 'footnotes.xml') +
        relation('r3', 'comments', 'comments.xml'),
    ),
    'word/styles.xml': `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/footnotes.xml': `<w:footnotes xmlns:w="${word}"><w:footnote w:id="1"><w:p>${wordRun('A note.')}</w:p></w:footnote></w:footnotes>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="x" xmlns:dc="y"><dc:title>The Document</dc:title><dc:creator>A. Writer</dc:creator></cp:coreProperties>`,
    'word/document.xml': `<w:document ${wordNamespaces}><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

export function writeDocx(path: string): Promise<string> {
  const heading = (text: string): string => `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${wordRun(text)}</w:p>`;
  const note = '<w:r><w:footnoteReference w:id="1"/></w:r>';
  const body = `${heading('One')}<w:p>${wordRun('First words')}${note}${wordRun('.')}</w:p>${heading('Two')}<w:p>${wordRun('Second words.')}</w:p>`;
  return writeDocxBody(path, body);
}

/** @param body XML of paragraphs; `parts` are further files of the archive */
export const writeOdtBody = (
  path: string,
  body: string,
  { styles = '', ...parts }: Readonly<Record<string, string>> = {},
): Promise<string> =>
  zip(path, {
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:draw="d" xmlns:svg="v" xmlns:xlink="x" xmlns:table="b" xmlns:dc="c"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ...parts,
  });

export const writeOdt = (path: string): Promise<string> =>
  zip(path, {
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>
      <text:h text:outline-level="1">One</text:h><text:p>First<text:s/>words<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>.</text:p>
      <text:h text:outline-level="1">Two</text:h><text:p>Second words.</text:p></office:text></office:body></office:document-content>`,
    'meta.xml': `<office:document-meta xmlns:office="o" xmlns:dc="d"><office:meta><dc:title>The Document</dc:title><dc:creator>A. Writer</dc:creator></office:meta></office:document-meta>`,
  });

export async function writeFb2(path: string): Promise<string> {
  await writeFile(
    path,
    `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
    <description><title-info><author><first-name>A.</first-name><last-name>Writer</last-name></author><book-title>The Document</book-title><lang>en</lang><coverpage><image l:href="#c.png"/></coverpage></title-info></description>
    <body><title><p>The Document</p></title><section><title><p>One</p></title><p>First words<a l:href="#n1" type="note">1</a>.</p></section><section><title><p>Two</p></title><p>Second words.</p></section></body>
    <body name="notes"><section id="n1"><title><p>1</p></title><p>A note.</p></section></body><binary id="c.png" content-type="image/png">iVBORw0KGgo=</binary></FictionBook>`,
  );
  return path;
}

export async function writeHtml(path: string): Promise<string> {
  await writeFile(
    path,
    '<!DOCTYPE html><html lang="en"><head><title>The Document</title><meta name="author" content="A. Writer"></head><body><header>Menu</header><main><h1>One</h1><p>First words.</p><h1>Two</h1><p>Second words.</p></main><footer>Imprint</footer></body></html>',
  );
  return path;
}

/** Lines of a page: text and size, from the top, or where they are from the lower left corner. */
export type PdfLine = readonly [text: string, size?: number, at?: readonly [x: number, y: number]];

/** A PDF with a text layer; a page without lines is a picture of nothing. */
export async function writePdf(
  path: string,
  pages: readonly (readonly PdfLine[])[],
  box: readonly [width: number, height: number] = [595, 842],
): Promise<string> {
  const objects: string[] = [];
  const add = (content: string): number => objects.push(content);
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  add('<</Type/Catalog/Pages 2 0 R>>');
  add(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
  for (const lines of pages) {
    let y = 800;
    const content = lines
      .map(([text, size = 12, [left, base] = [72, undefined]]) => {
        y -= size * 1.3;
        return `BT /F1 ${size} Tf 1 0 0 1 ${left} ${(base ?? y).toFixed(1)} Tm (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`;
      })
      .join('\n');
    const number = add('');
    objects[number - 1] =
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${box.join(' ')}]/Resources<</Font<</F1 3 0 R>>>>/Contents ${number + 1} 0 R>>`;
    add(`<</Length ${content.length}>>\nstream\n${content}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((content, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${content}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
  await writeFile(path, file, 'latin1');
  return path;
}

/** Writes files of a folder. */
export async function writeFolder(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Encodes text of characters with two bytes in a character set such as GBK, by decoding all of them. */
export function encodeWide(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number[]>();
  for (let one = 0x81; one < 0xff; one += 1) {
    for (let other = 0x40; other < 0xff; other += 1) {
      const character = decoder.decode(Uint8Array.of(one, other));
      if (character.length === 1 && !codes.has(character)) codes.set(character, [one, other]);
    }
  }
  return Buffer.from([...text].flatMap((character) => codes.get(character) ?? [character.charCodeAt(0)]));
}
