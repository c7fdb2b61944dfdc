/** Captions as a text to listen to, without their times. */
import { readCaptionFile } from '../../captions/read-captions.ts';
import { withoutPadding } from '../../captions/timed-lines.ts';
import { aboutEncoding, decodeAny } from '../../files/any-encoding.ts';
import type { Book, ReadBookOptions } from '../book.ts';
import type { DocumentFile } from '../document-file.ts';
import { countLeftOut } from '../left-out.ts';
import { htmlBook, titleOfFile } from './html-book.ts';
import { escapeHtml } from './xml-to-html.ts';

/** A longer pause between captions ends a paragraph, in seconds. */
const paragraphPause = 3;
const kinds = ['sounds', 'readings', 'comments'] as const;

/** @throws SvcError INVALID_REQUEST */
export async function readCaptionsBook({ path, bytes }: DocumentFile, options: ReadBookOptions): Promise<Book> {
  const leftOut = countLeftOut(options.keep);
  const decoded = decodeAny(withoutPadding(bytes), path);
  const spoken = kinds.map((kind) => [kind, leftOut.leaves(kind) ? 'silent' : 'spoken'] as const);
  const { cues, ...read } = await readCaptionFile(decoded.text, Object.fromEntries(spoken));
  const warnings = [...aboutEncoding(decoded, path), ...read.warnings];
  for (const kind of kinds) for (const words of read[kind]) leftOut.count(kind, words);
  const paragraphs: string[][] = [];
  for (const [index, { text, start }] of cues.entries()) {
    const before = cues[index - 1];
    if (before === undefined || start - before.end > paragraphPause) paragraphs.push([text]);
    else paragraphs.at(-1)?.push(text);
  }
  const html = paragraphs.map((texts) => `<p>${escapeHtml(texts.join(' '))}</p>`).join('');
  return htmlBook(html, path, options, { title: titleOfFile(path) }, { leftOut, warnings });
}
