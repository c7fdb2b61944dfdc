/** Names files that are no text, with the way to a text. */
import { encodingOf } from '../../files/unicode-text.ts';

/** Magic bytes of file types. */
export const telltaleBytes = 4096;

interface Kind {
  /** Completes `"FILE" is …`. */
  readonly name: string;
  readonly remedy: string;
  fits(start: string): boolean;
}

const begins = (signature: string) => (start: string) => start.startsWith(signature);
/** A ZIP archive with a file of this path near its beginning. */
const archiveWith = (path: RegExp) => (start: string) => start.startsWith('PK\x03\x04') && path.test(start);

const pandoc = (format: string): string =>
  `save it as plain text or EPUB, or convert it, as with pandoc -f ${format} -t markdown`;

const namedBook = (extension: string): string => `svc tts --text-file reads it, in a file that ends in ${extension}`;

/** The first that fits; each character of `start` is a byte. */
const kinds: readonly Kind[] = [
  {
    name: 'a PDF document',
    remedy: namedBook('.pdf'),
    fits: begins('%PDF-'),
  },
  {
    name: 'an EPUB book',
    remedy: namedBook('.epub'),
    fits: archiveWith(/mimetypeapplication\/epub\+zip/),
  },
  { name: 'a Word document', remedy: namedBook('.docx'), fits: archiveWith(/word\//) },
  {
    name: 'an Excel workbook',
    remedy: 'save the sheet as CSV or tab-separated text',
    fits: archiveWith(/xl\//),
  },
  {
    name: 'an OpenDocument file',
    remedy: namedBook('.odt'),
    fits: archiveWith(/mimetypeapplication\/vnd\.oasis\.opendocument/),
  },
  // The types of all files come first in an archive of Microsoft Office, whatever it holds.
  { name: 'a document of Microsoft Office', remedy: pandoc('docx'), fits: archiveWith(/\[Content_Types\]\.xml/) },
  {
    name: 'a ZIP archive',
    remedy: 'unpack it, or name a book in a file that ends in .epub with --text-file',
    fits: begins('PK\x03\x04'),
  },
  { name: 'a gzip archive', remedy: 'unpack it first', fits: begins('\x1f\x8b') },
  {
    name: 'a document of an old Microsoft Office',
    remedy: 'save it as plain text, or a table as CSV',
    fits: begins('\xd0\xcf\x11\xe0'),
  },
  { name: 'an RTF document', remedy: pandoc('rtf'), fits: begins('{\\rtf') },
];

const html =
  /^(?:\xef\xbb\xbf)?\s{0,1000}(?:<\?xml[^>]{0,1000}\?>\s{0,1000})?(?:<!--(?:(?!-->)[\s\S]){0,1000}-->\s{0,1000})?<(?:!doctype html|html)[\s>]/i;

const htmlPage: Omit<Kind, 'fits'> = {
  name: 'an HTML page',
  remedy: `${pandoc('html')}; or speak its source with --input-format plain`,
};

/**
 * What a file is that has no text to speak; undefined for any other.
 *
 * @param start at least `telltaleBytes` of it, or all
 * @param markup whether a page of HTML is text
 * @returns `a PDF document; convert it …`
 */
export function describeNoText(start: Uint8Array, markup: 'refused' | 'text'): string | undefined {
  const text = Buffer.from(start.subarray(0, telltaleBytes)).toString('latin1');
  const kind = kinds.find(({ fits }) => fits(text)) ?? (markup === 'refused' && html.test(text) ? htmlPage : undefined);
  if (kind !== undefined) return `${kind.name}; ${kind.remedy}`;
  if (encodingOf(start) !== 'utf-8') return undefined;
  return looksLikeUtf16(start) ? 'UTF-16 text without a byte order mark; save it as UTF-8' : undefined;
}

/** Fewer may be anything. */
const leastPairs = 8;

/** Whether every second byte is zero, as in UTF-16 of Latin letters. */
function looksLikeUtf16(start: Uint8Array): boolean {
  const bytes = start.subarray(0, telltaleBytes);
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = bytes.length / 2;
  return half >= leastPairs && Math.max(even, odd) > half * 0.7 && Math.min(even, odd) < half * 0.1;
}
