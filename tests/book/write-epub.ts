/** Small EPUB files for tests. */
import { zip } from './write-documents.ts';

export interface TestBook {
  readonly title: string;
  readonly author?: string;
  /** Title and content of each page. */
  readonly chapters: readonly (readonly [title: string, body: string])[];
  /** PNG. */
  readonly cover?: Buffer;
}

/** A book of two chapters and three sentences. */
export const shortBook: TestBook = {
  title: 'The Book',
  chapters: [
    ['One', '<p>The first words.</p><p>And more.</p>'],
    ['Two', '<p>Second chapter.</p>'],
  ],
};

const page = (body: string): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`;

export function writeEpub(path: string, { title, author, chapters, cover }: TestBook): Promise<string> {
  const ids = chapters.map((_, index) => `c${index}`);
  const creator = author === undefined ? '' : `<dc:creator>${author}</dc:creator>`;
  const image =
    cover === undefined ? '' : '<item id="i" href="i.png" media-type="image/png" properties="cover-image"/>';
  const entries = chapters.map(([name], index) => `<li><a href="c${index}.xhtml">${name}</a></li>`);
  return zip(path, {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title>${creator}</metadata>
    <manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${image}
    ${ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest>
    <spine>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
    'nav.xhtml': page(`<nav epub:type="toc"><ol>${entries.join('')}</ol></nav>`),
    ...Object.fromEntries(chapters.map(([, body], index) => [`c${index}.xhtml`, page(body)])),
    ...(cover !== undefined && { 'i.png': cover }),
  });
}

/** One pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
