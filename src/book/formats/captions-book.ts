/** Captions as a text to listen to, without their times. */
import { readCaptions } from '../../captions/read-captions.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { decodeAny } from './text-book.ts';
import { escapeHtml } from './xml-to-html.ts';

/** A longer pause between captions ends a paragraph, in seconds. */
const paragraphPause = 3;

/** @throws SvcError INVALID_REQUEST */
export async function readCaptionsBook({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const cues = await readCaptions(decodeAny(bytes, path));
  const paragraphs: string[][] = [];
  for (const [index, { text, start }] of cues.entries()) {
    const before = cues[index - 1];
    if (before === undefined || start - before.end > paragraphPause) paragraphs.push([text]);
    // Captions that scroll repeat each other.
    else if (before.text !== text) paragraphs.at(-1)?.push(text);
  }
  const html = paragraphs.map((texts) => `<p>${escapeHtml(texts.join(' '))}</p>`).join('');
  return htmlBook(html, path, options, { title: titleOfFile(path) });
}
