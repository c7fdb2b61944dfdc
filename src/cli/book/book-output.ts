/** Where an audiobook goes: one file with chapters, or a folder with a file for each. */
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import filenamify from 'filenamify';
import { type AudioFormatName, audioFormats } from '../../audio/encode/format.ts';
import { chapterFormats, type TaggedFormatName } from '../../audio/encode/tagged-file.ts';
import { besidePath, cutBytes } from '../../files/beside.ts';
import { followLinks } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { requireFolderFor } from '../output/output.ts';
import { type BookOptions, nameOfBook } from './book-options.ts';

export type BookOutput = {
  readonly path: string;
  /** Beside the book: what is finished while it grows. */
  readonly workFolder: string;
} & (
  | { readonly kind: 'file'; readonly format: (typeof chapterFormats)[number] }
  | { readonly kind: 'folder'; readonly format: AudioFormatName }
);

const formatsByExtension: Readonly<Record<string, TaggedFormatName>> = {
  '.m4b': 'mp4',
  '.m4a': 'mp4',
  '.mp4': 'mp4',
  '.mp3': 'mp3',
  '.ogg': 'ogg',
  '.opus': 'opus',
  '.flac': 'flac',
};

/** `.ogg` files hold Opus too. */
const container = (format: TaggedFormatName): TaggedFormatName => (format === 'opus' ? 'ogg' : format);

const wayOut = `name one of ${Object.keys(formatsByExtension).join(', ')}, or a folder such as "book/" for a file per chapter`;

/** @throws SvcError INVALID_REQUEST */
export async function resolveBookOutput(options: BookOptions): Promise<BookOutput> {
  const { output, play, responseFormat, textFile, bookText } = options;
  if (play) throw requestError(`--play does not apply to ${nameOfBook({ textFile })}; write a file with --output`);
  if (!output || output === '-') throw requestError(`${nameOfBook({ textFile })} needs --output: ${wayOut}`);
  const existing = await stat(output).catch(() => undefined);
  if (/[/\\]$/.test(output) || existing?.isDirectory()) {
    if (existing !== undefined && !existing.isDirectory())
      throw requestError(`--output must be a folder, got the file ${quote(output)}`);
    const workFolder = besidePath(join(output, basename(textFile)), '.unfinished');
    return { kind: 'folder', path: output, workFolder, format: responseFormat ?? 'mp3' };
  }
  if (existing !== undefined && !existing.isFile())
    throw requestError(`--output must be a file or a folder, got ${quote(output)}`);
  const byName = formatsByExtension[extname(output).toLowerCase()];
  const named = responseFormat ?? byName;
  const format = chapterFormats.find((name) => name === named);
  const contradiction = (): Error => {
    const both = `--output ${quote(output)} and --response-format ${responseFormat}`;
    return requestError(`${both} contradict each other; leave one out`);
  };
  if (format === undefined) {
    // A text in an M4A file is no book.
    if (bookText !== undefined && responseFormat !== undefined) throw contradiction();
    const what = responseFormat === undefined ? `--output ${quote(output)}` : `--response-format ${responseFormat}`;
    throw requestError(`${what} cannot hold the chapters of a book: ${wayOut}`);
  }
  if (byName !== undefined && container(byName) !== container(format)) throw contradiction();
  await requireFolderFor(output, '--output');
  // On the disk of the target of a link, so that what is finished there can be renamed to it.
  return { kind: 'file', path: output, workFolder: besidePath(await followLinks(output), '.unfinished'), format };
}

/** Bytes of a title, so that its captions and temporary files have names too. */
const longestTitle = 200;

/** `07 - Title.mp3`. */
export function chapterFileName(index: number, count: number, title: string, format: AudioFormatName): string {
  const number = String(index + 1).padStart(Math.max(2, String(count).length), '0');
  const named = filenamify(title, { replacement: ' ', maxLength: 80 }).replace(/\s+/gu, ' ').trim();
  const name = cutBytes(named, longestTitle).trim();
  return `${number} - ${name}${audioFormats[format].extension}`;
}
