/** The lines of a batch, which are read twice and never kept in memory. */
import { isAscii, isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SvcError } from '../../errors.ts';
import { withWesternSigns } from '../../files/decode-bytes.ts';
import { describeNoText, telltaleBytes } from '../../files/file-kinds.ts';
import { reasonOf, refuseNamedPipe } from '../../files/file-system.ts';
import { noteTemporary } from '../../files/temporary-files.ts';
import { encodingOf, unmarkedUtf16 } from '../../files/unicode-text.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { printWarning } from '../output/messages.ts';
import { readLines } from './lines.ts';

/** As for `--text-file`. */
const maxMegabytes = 16;
export const maxLineBytes = maxMegabytes * 1024 * 1024;

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** Without its line end; undefined if the line is not text. */
  readonly text: string | undefined;
  /** Why the line is not text; completes `SUBJECT …`. */
  readonly problem?: string;
}

export interface BatchInput extends AsyncDisposable {
  /** For messages. */
  readonly name: string;
  /** Starts at the first line; ignores what is appended to the file meanwhile. */
  lines(): AsyncGenerator<Line, void, undefined>;
  /** As `lines`, not decoded, without line feeds. A line of more than `maxLineBytes` is cut somewhere beyond that. */
  bytes(): AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Opens a file, or standard input for `-`. Input that can't be read twice, such as a pipe, and other encodings than UTF-8 are
 * first copied to disk, as UTF-8.
 *
 * @throws SvcError INVALID_REQUEST when it can't be read or is no list, IO when there is no space for the copy
 */
export async function openInput(path: string | undefined, io: Io, quiet?: boolean): Promise<BatchInput> {
  const { stdin, signal } = io;
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  if (!path) throw requestError('--input is required: name a file, or - for standard input');
  if (path === '-') {
    if (stdin.isTTY === true) throw requestError('--input - needs a pipe or a file on standard input');
    return openText(await copyInput('standard input', stdin, signal), signal, warn);
  }
  await refuseNamedPipe(path, () => unreadable(path, 'it is a named pipe; use --input - and a pipe instead'));
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, reasonOf(error), error);
  });
  const found = await handle.stat();
  if (found.isFile())
    return openText({ name: path, handle, size: found.size, close: () => handle.close() }, signal, warn);
  if (found.isDirectory()) {
    await handle.close();
    throw unreadable(path, 'it is a folder');
  }
  return openText(await copyInput(path, handle.createReadStream(), signal), signal, warn);
}

/** A file that is read from its beginning, any number of times. */
type OpenFile = { readonly name: string; readonly handle: FileHandle; readonly size: number; close(): Promise<void> };

async function openText(file: OpenFile, signal: AbortSignal, warn: (message: string) => void): Promise<BatchInput> {
  const { name, handle } = file;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(telltaleBytes), 0, telltaleBytes, 0);
    const start = buffer.subarray(0, bytesRead);
    const wide = unmarkedUtf16(start);
    const other = wide === undefined ? describeNoText(start, 'refused') : undefined;
    if (other !== undefined) throw requestError(`${name} is ${other}`);
    const stated = encodingOf(start);
    const guessed = stated === 'utf-8' ? (wide ?? (await guessEncoding(file))) : undefined;
    if (guessed !== undefined) warn(`${name} is read as ${guessed}; save it as UTF-8 if its letters are wrong`);
    const encoding = guessed ?? stated;
    // As spreadsheets of older Macintoshes end their lines.
    const hasOldEnds = start.includes(0x0d) && !start.includes(0x0a);
    if (encoding === 'utf-8' && !hasOldEnds) return inputOver(file);
    const bytes = handle.createReadStream({ start: 0, autoClose: false });
    const text = encoding === 'utf-8' ? bytes : Readable.from(decode(bytes, encoding));
    const copy = await copyInput(name, hasOldEnds ? Readable.from(withLineFeeds(text)) : text, signal);
    await file.close();
    return inputOver(copy);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Lines and bytes beyond ASCII by which an encoding is found. */
const [mostLooked, mostSampled] = [10_000, 256 * 1024];

/** The encoding of a list of which most lines beyond ASCII are no UTF-8; in others, such a line is damaged. */
async function guessEncoding({ name, handle, size }: OpenFile): Promise<string | undefined> {
  const sample: Buffer[] = [];
  let [valid, invalid, length] = [0, 0, 0];
  for await (const line of readLines(handle, size, maxLineBytes)) {
    if (isAscii(line)) continue;
    if (isUtf8(line)) valid += 1;
    else {
      invalid += 1;
      if (length < mostSampled) sample.push(line);
      length += line.length;
    }
    if (valid + invalid >= mostLooked) break;
  }
  if (invalid <= valid) return undefined;
  const { decodeAny } = await import('../../files/any-encoding.ts');
  return decodeAny(Buffer.concat(sample), name).guessed;
}

async function* decode(source: Readable, encoding: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of source) yield withWesternSigns(decoder.decode(chunk, { stream: true }), decoder.encoding);
  yield decoder.decode();
}

async function* withLineFeeds(source: Readable): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of source)
    yield Buffer.from(Buffer.from(chunk).toString('latin1').replaceAll('\r', '\n'), 'latin1');
}

const unreadable = (path: string, reason: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `cannot read --input ${quote(path)}: ${reason}`, { cause });

async function copyInput(name: string, source: Readable, signal: AbortSignal): Promise<OpenFile> {
  const copy = join(tmpdir(), `svc-batch-${randomBytes(6).toString('hex')}.tmp`);
  const forget = noteTemporary(copy);
  const remove = async (): Promise<void> => {
    await rm(copy, { force: true });
    forget();
  };
  try {
    await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: 0o600 }), { signal });
    const handle = await open(copy, 'r');
    const close = async (): Promise<void> => {
      await handle.close();
      await remove();
    };
    return { name, handle, size: (await stat(copy)).size, close };
  } catch (error) {
    await remove();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ABORT_ERR') throw error;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw requestError(`${name} is not text in a known encoding; save it as UTF-8`);
    throw new SvcError('IO', `cannot copy ${name} to ${tmpdir()}: ${reasonOf(error)}`, { cause: error });
  }
}

function inputOver({ name, handle, size, close }: OpenFile): BatchInput {
  const bytes = () => readLines(handle, size, maxLineBytes);
  return {
    name,
    async *lines() {
      let number = 0;
      for await (const line of bytes()) {
        number += 1;
        const { text, ...problem } = decodeText(line);
        yield { number, text: text?.replace(/\r$/, ''), ...problem };
      }
    },
    bytes,
    [Symbol.asyncDispose]: close,
  };
}

/** UTF-8 as text; or why it is none. */
export function decodeText(bytes: Buffer): Omit<Line, 'number'> {
  if (bytes.length > maxLineBytes) return { text: undefined, problem: `exceeds the limit of ${maxMegabytes} MiB` };
  if (bytes.includes(0)) return { text: undefined, problem: 'is not UTF-8 text but binary data' };
  try {
    // Also removes the byte order mark.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: undefined, problem: 'is not UTF-8 text' };
  }
}
