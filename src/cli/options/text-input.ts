import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { SvcError } from '../../errors.ts';
import { reasonOf, refuseNamedPipe } from '../../files.ts';
import type { Io } from '../io.ts';
import { invalidOption, type TextOptions } from './options.ts';

/** A book has a few megabytes. */
const maxBytes = 16 * 1024 * 1024;

/**
 * The text to speak: `--text` as it is, else that of `--text-file` or of standard input without white space around it.
 *
 * @throws SvcError INVALID_REQUEST when there is no text or it can't be read as UTF-8.
 */
export async function readText({ text, textFile }: TextOptions, io: Io): Promise<string> {
  if (text !== undefined && textFile !== undefined) throw invalidOption('one text', '--text and --text-file', 'both');
  if (text !== undefined) return text;
  if (textFile !== undefined && textFile !== '-') {
    const flag = `--text-file ${textFile}`;
    return decode(await readTextFile(textFile, flag, io.signal), flag);
  }
  if (io.stdin.isTTY === true) throw invalidOption('a text', '--text, --text-file or standard input', 'none');
  return decode(await readStart(io.stdin, io.signal), 'standard input');
}

async function readTextFile(path: string, flag: string, signal: AbortSignal): Promise<Uint8Array> {
  const unreadable = (received: string, cause?: unknown): SvcError =>
    new SvcError('INVALID_REQUEST', `expected a readable text file for ${flag}, received ${received}`, { cause });
  await refuseNamedPipe(path, () => unreadable('a named pipe; pipe the text to standard input instead'));
  try {
    return await readStart(createReadStream(path), signal);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw unreadable(reasonOf(error), error);
  }
}

/** All of it, or a little more than may be spoken: a device such as `/dev/zero` has no end. */
async function readStart(source: Readable, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of addAbortSignal(signal, source) as AsyncIterable<Uint8Array | string>) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    parts.push(bytes);
    length += bytes.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(parts);
}

function decode(bytes: Uint8Array, source: string): string {
  if (bytes.length > maxBytes) throw invalidOption(`at most ${maxBytes} bytes of text`, source, 'more');
  // Control characters such as NUL are valid UTF-8, but not in what anyone means to have spoken.
  if (bytes.includes(0)) throw invalidOption('UTF-8 text', source, 'binary data');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch (cause) {
    throw new SvcError('INVALID_REQUEST', `expected UTF-8 text for ${source}, received other bytes`, { cause });
  }
}
