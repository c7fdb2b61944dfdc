import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { ReadBookOptions } from '../../book/book.ts';
import { type LexiconEntry, overlayLexicon } from '../../engine/lexicon/lexicon.ts';
import type { InputFormat } from '../../engine/script/input-formats.ts';
import { SvcError } from '../../errors.ts';
import { describeNoText, documentKind, fileKind } from '../../files/file-kinds.ts';
import { reasonOf, refuseNamedPipe } from '../../files/file-system.ts';
import { decodeText, encodingOf, unmarkedUtf16 } from '../../files/unicode-text.ts';
import { quote, show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { printWarning } from '../output/messages.ts';
import type { OutputOptions } from './output-options.ts';
import type { SpeechOptions, TextOptions, VoiceOptions } from './speech-options.ts';

/** A book has a few megabytes. */
const maxMegabytes = 16;
export const maxTextBytes = maxMegabytes * 1024 * 1024;

export const tooMuchText = (source: string): SvcError =>
  requestError(`${source} exceeds the limit of ${maxMegabytes} MiB of text`);

/** The options with the text of the argument. @throws SvcError INVALID_REQUEST when options name a text too */
export function withArgument<Options extends TextOptions>(argument: string | undefined, options: Options): Options {
  if (argument === undefined) return options;
  const flag = options.text !== undefined ? '--text' : options.textFile !== undefined ? '--text-file' : undefined;
  if (flag === undefined) return { ...options, text: argument };
  throw requestError(`the text is given twice: as the argument ${show(argument)} and with ${flag}`);
}

type ReadOptions = TextOptions & SpokenFile & ReadBookOptions & Pick<OutputOptions, 'quiet'>;

/** The text to speak: of `--text`, else of `--text-file` or standard input, trimmed. @throws SvcError without one */
export async function readText(options: ReadOptions, io: Io): Promise<string> {
  const { text, textFile, inputFormat, quiet } = options;
  if (text !== undefined && textFile !== undefined)
    throw requestError('the text is given twice: with --text and with --text-file');
  if (text !== undefined) return text;
  // A stated format is that of the content.
  const markup = inputFormat === undefined || inputFormat === 'auto' ? ('refused' as const) : ('text' as const);
  if (textFile !== undefined && isSpokenDocument({ inputFormat, textFile })) return readDocument(textFile, options, io);
  if (textFile !== undefined && textFile !== '-') {
    const kind = markup === 'refused' ? fileKind(textFile) : undefined;
    if (kind !== undefined && 'refused' in kind) throw requestError(`${quote(textFile)} is ${kind.refused}`);
    return readAnyText(textFile, markup, quiet, io);
  }
  if (io.stdin.isTTY === true)
    throw requestError('no text to speak: give it as an argument, with --text-file, or on standard input');
  const read = decode(await readStart(io.stdin, io.signal), 'standard input', markup);
  if (read !== '') return read;
  throw requestError('no text to speak: standard input is empty; give the text as an argument or with --text-file');
}

export type SpokenFile = Pick<TextOptions & SpeechOptions, 'inputFormat' | 'textFile'>;

/** Whether the text is that of a document such as DOCX, which is read as SSML. */
export const isSpokenDocument = ({ inputFormat = 'auto', textFile }: SpokenFile): boolean =>
  textFile !== undefined && textFile !== '-' && inputFormat === 'auto' && documentKind(textFile) !== undefined;

/** The chapters of a document as one text. */
async function readDocument(path: string, { chapterDepth, keep, quiet }: ReadOptions, io: Io): Promise<string> {
  await refuseNamedPipe(path, () => requestError(`cannot read the text file ${quote(path)}: it is a named pipe`));
  const { readListedBook } = await import('../../book/read-book.ts');
  const { chapters, warnings } = await readListedBook(path, { chapterDepth, keep }, io.signal);
  if (!quiet) for (const warning of warnings) printWarning(warning, io);
  if (chapters.length === 0) throw requestError(`${quote(path)} has nothing to speak`);
  const texts = chapters.flatMap(({ sections }) =>
    sections.map(
      ({ text, pauseSeconds }) => `${text.replace(/^<speak>|<\/speak>$/g, '')}<break time="${pauseSeconds}s"/>`,
    ),
  );
  return `<speak>${texts.join('')}</speak>`;
}

/** The options with the transcript of `--prompt-file`. @throws SvcError if it cannot be read or is empty */
export async function withPromptFile<Options extends VoiceOptions>(
  options: Options,
  { signal }: Pick<Io, 'signal'>,
): Promise<Options> {
  const { promptFile } = options;
  if (promptFile === undefined) return options;
  const promptText = await readTextFile(promptFile, 'transcript', signal);
  if (promptText === '')
    throw requestError(`${quote(promptFile)} is empty: it must contain the transcript of the prompt audio`);
  return { ...options, promptText };
}

/** Reads UTF-8, or UTF-16 with a byte order mark, trimmed. @param kind what the file is, for messages */
export async function readTextFile(
  path: string,
  kind: string,
  signal: AbortSignal,
  markup: Markup = 'refused',
): Promise<string> {
  return decode(await readFileStart(path, kind, signal), quote(path), markup);
}

/** All bytes of a file, or a little more than `maxTextBytes`. @param kind what the file is, for messages */
export async function readFileStart(path: string, kind: string, signal: AbortSignal): Promise<Uint8Array> {
  const unreadable = (reason: string): SvcError => requestError(`cannot read the ${kind} ${quote(path)}: ${reason}`);
  await refuseNamedPipe(path, () => unreadable('it is a named pipe; pipe the text to standard input instead'));
  try {
    return await readStart(createReadStream(path), signal);
  } catch (error) {
    if ((error as Error).name === 'AbortError' || error instanceof SvcError) throw error;
    throw unreadable(reasonOf(error));
  }
}

/** A text file as `readTextFile` reads it, also in other encodings, with a warning. */
async function readAnyText(path: string, markup: Markup, quiet: boolean | undefined, io: Io): Promise<string> {
  const source = quote(path);
  const bytes = await readFileStart(path, 'text file', io.signal);
  const isUnicode = encodingOf(bytes) !== 'utf-8' || isUtf8(bytes);
  if (isUnicode && unmarkedUtf16(bytes) === undefined) return decode(bytes, source, markup);
  if (bytes.length > maxTextBytes) throw tooMuchText(source);
  const { aboutEncoding, decodeTextFile } = await import('../../files/any-encoding.ts');
  const decoded = decodeTextFile(bytes, source, markup);
  if (!quiet) for (const warning of aboutEncoding(decoded, source)) printWarning(warning, io);
  return decoded.text.trim();
}

/** Reads everything, or a little more than the limit: a device such as `/dev/zero` has no end. */
async function readStart(source: Readable, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of addAbortSignal(signal, source) as AsyncIterable<Uint8Array | string>) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    parts.push(bytes);
    length += bytes.length;
    if (length > maxTextBytes) break;
  }
  return Buffer.concat(parts);
}

type Markup = 'refused' | 'text';

function decode(bytes: Uint8Array, source: string, markup: Markup): string {
  if (bytes.length > maxTextBytes) throw tooMuchText(source);
  const other = describeNoText(bytes, markup);
  if (other !== undefined) throw requestError(`${source} is ${other}`);
  const encoding = encodingOf(bytes);
  const name = encoding === 'utf-8' ? 'UTF-8' : 'UTF-16';
  // NUL is valid, but occurs in no text that anyone wants spoken.
  if (encoding === 'utf-8' && bytes.includes(0)) throw requestError(`${source} is not UTF-8 text but binary data`);
  try {
    const text = decodeText(bytes);
    if (!text.includes('\0')) return text.trim();
  } catch {
    throw requestError(`${source} is not ${name} text; save it as UTF-8`);
  }
  throw requestError(`${source} is not ${name} text but binary data`);
}

const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.ssml': 'ssml',
};

/** `--input-format`, else by the name of the file. */
export const inputFormatOf = ({ inputFormat, textFile = '' }: SpokenFile): InputFormat =>
  isSpokenDocument({ inputFormat, textFile })
    ? 'ssml'
    : (inputFormat ?? formatsByExtension[extname(textFile).toLowerCase()] ?? 'auto');

/** All files of `--lexicon`; a later file takes precedence. @throws SvcError INVALID_REQUEST */
export async function readLexicons({ lexicon = [] }: Pick<TextOptions, 'lexicon'>, { signal }: Pick<Io, 'signal'>) {
  let entries: readonly LexiconEntry[] = [];
  const warnings: string[] = [];
  for (const path of lexicon) {
    const { parseLexicon } = await import('../../engine/lexicon/parse-lexicon.ts');
    const parsed = parseLexicon(await readTextFile(path, 'lexicon', signal), path);
    entries = overlayLexicon(entries, parsed.entries);
    for (const warning of parsed.warnings) warnings.push(warning);
  }
  return { entries, warnings };
}
