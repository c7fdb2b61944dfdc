/** Plain text as a book, in the encoding that its bytes look like, with chapters by lines that look like headings. */
import { analyse } from 'chardet';
import { isUnspaced } from '../../engine/text/writing-systems.ts';
import { SvcError } from '../../errors.ts';
import { encodingOf } from '../../files/unicode-text.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import { type DocumentFile, DocumentLimitError } from '../document-file.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { escapeHtml } from './xml-to-html.ts';

/** Lines with words. Those of the longest books have a hundred thousand. */
const mostLines = 1_000_000;
/** Bytes by which the encoding is found. */
const sampled = 256 * 1024;

/** @throws SvcError INVALID_REQUEST for what is no text */
export async function readTextBook({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  return textBook(decodeAny(bytes, path), path, options);
}

/** @param path names the book */
export const textBook = (text: string, path: string, options: ReadBookOptions): Book =>
  htmlBook(textToHtml(text), path, options, { title: titleOfFile(path) });

/** @throws SvcError INVALID_REQUEST for binary data */
export function decodeAny(bytes: Uint8Array, path: string): string {
  const stated = encodingOf(bytes);
  try {
    const text = new TextDecoder(stated, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // In another encoding.
  }
  for (const { name } of analyse(bytes.subarray(0, sampled))) {
    try {
      const text = new TextDecoder(name.toLowerCase(), { fatal: true }).decode(bytes);
      if (!/[\0\p{Co}]/u.test(text)) return text;
    } catch {
      // An encoding that fits no better, or an unknown one.
    }
  }
  throw new SvcError('INVALID_REQUEST', `${path} is not text in a known encoding; save it as UTF-8`);
}

/** The word for a chapter in the 30 languages of VoxCPM 2, where it comes first. */
const chapterWord =
  /^(?:chapter|part|book|prologue|epilogue|preface|introduction|الفصل|အခန်း|kapitel|hoofdstuk|luku|chapitre|prologue|épilogue|κεφάλαιο|פרק|अध्याय|bab|capitolo|ជំពូក|ບົດທີ|kapittel|rozdział|capítulo|глава|часть|пролог|эпилог|sura|kabanata|บทที่|bölüm|chương)(?![\p{L}\p{M}])/iu;
const eastAsian =
  /^(?:第[\s\d〇零一二三四五六七八九十百千０-９]{1,9}[章回节節卷部話]|제\s?\d{1,4}\s?장|序章|終章|楔子)/u;
const numeral = /^(?:[IVXLC]{1,7}|\d{1,3})\.?$/;
const longestHeading = 80;

/** Paragraphs are apart by empty lines, or else each line is one. */
function textToHtml(text: string): string {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  const filled = lines.filter((line) => line !== '').length;
  if (filled > mostLines) throw new DocumentLimitError(`it has more than ${mostLines} lines`);
  // Lines of a text that is wrapped are about as long as each other.
  const isWrapped = lines.length - filled > 2 && lines.filter((line) => line.length > 90).length < filled / 10;
  const html: string[] = [];
  let open: string[] = [];
  const finish = (): void => {
    if (open.length > 0) html.push(`<p>${escapeHtml(open.join(isSpaceless(open) ? '' : ' '))}</p>`);
    open = [];
  };
  for (const [index, line] of lines.entries()) {
    const isAlone = !lines[index - 1] && !lines[index + 1];
    if (line === '') finish();
    else if (isHeading(line, isAlone)) {
      finish();
      html.push(`<h1>${escapeHtml(line)}</h1>`);
    } else {
      open.push(line);
      if (!isWrapped) finish();
    }
  }
  finish();
  return html.join('\n');
}

/** Whether no space stands between its lines, by the end of the first. */
const isSpaceless = ([first = '']: readonly string[]): boolean => {
  const last = [...first.slice(-2)].at(-1);
  return isUnspaced(last) || /[、。，]/u.test(last ?? '');
};

function isHeading(line: string, isAlone: boolean): boolean {
  if (line.length > longestHeading) return false;
  if (eastAsian.test(line)) return !/[。，；]$/u.test(line);
  return isAlone && !/[,;]$/.test(line) && (chapterWord.test(line) || numeral.test(line));
}
