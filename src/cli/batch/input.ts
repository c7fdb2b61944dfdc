/** The lines of a batch: read twice, never held. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SvcError } from '../../errors.ts';
import { reasonOf, refuseNamedPipe } from '../../files.ts';
import type { Io } from '../io.ts';
import { invalidOption } from '../options/options.ts';
import { readLines } from './lines.ts';

/** As `readText` takes: a book has a few megabytes. */
const maxLineBytes = 16 * 1024 * 1024;

export interface Line {
  /** 1-based. */
  readonly number: number;
  /** Without its end; undefined when the line can't be text. */
  readonly text: string | undefined;
  /** What the line is in place of text. */
  readonly received?: string;
}

export interface BatchInput extends AsyncDisposable {
  /** For messages. */
  readonly name: string;
  /** From the first line on, at each call; one call at a time. What is added to the file meanwhile is not read. */
  lines(): AsyncGenerator<Line, void, undefined>;
}

/**
 * A file, or with `-` standard input. What can't be read twice, such as a pipe, is first copied to the disk.
 *
 * @throws SvcError INVALID_REQUEST when it can't be read; IO when there is no room for the copy
 */
export async function openInput(path: string | undefined, { stdin, signal }: Io): Promise<BatchInput> {
  if (!path) throw invalidOption('a file, or - for standard input,', '--input', 'none');
  if (path === '-') {
    if (stdin.isTTY === true) throw invalidOption('a pipe or a file on standard input', '--input -', 'a terminal');
    return copyInput('standard input', stdin, signal);
  }
  await refuseNamedPipe(path, () => unreadable(path, 'a named pipe; use --input - and a pipe instead'));
  const handle = await openFile(path);
  const found = await handle.stat();
  if (found.isFile()) return inputOver(path, handle, found.size, () => handle.close());
  if (found.isDirectory()) {
    await handle.close();
    throw unreadable(path, 'a folder');
  }
  return copyInput(path, handle.createReadStream(), signal);
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw unreadable(path, reasonOf(error), error);
  }
}

const unreadable = (path: string, received: string, cause?: unknown): SvcError =>
  new SvcError('INVALID_REQUEST', `expected a readable text file for --input ${path}, received ${received}`, { cause });

async function copyInput(name: string, source: Readable, signal: AbortSignal): Promise<BatchInput> {
  const copy = join(tmpdir(), `svc-batch-${randomBytes(6).toString('hex')}.tmp`);
  const remove = (): Promise<void> => rm(copy, { force: true });
  try {
    await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: 0o600 }), { signal });
    const handle = await open(copy, 'r');
    return inputOver(name, handle, (await stat(copy)).size, async () => {
      await handle.close();
      await remove();
    });
  } catch (error) {
    await remove();
    if ((error as NodeJS.ErrnoException).code === 'ABORT_ERR') throw error;
    throw new SvcError('IO', `expected to copy ${name} to ${tmpdir()}, received ${reasonOf(error)}`, { cause: error });
  }
}

const inputOver = (name: string, handle: FileHandle, size: number, close: () => Promise<void>): BatchInput => ({
  name,
  async *lines() {
    let number = 0;
    for await (const bytes of readLines(handle, size, maxLineBytes)) {
      number += 1;
      yield { number, ...decodeLine(bytes) };
    }
  },
  [Symbol.asyncDispose]: close,
});

function decodeLine(bytes: Buffer): Omit<Line, 'number'> {
  if (bytes.length > maxLineBytes) return { text: undefined, received: `more than ${maxLineBytes} bytes` };
  if (bytes.includes(0)) return { text: undefined, received: 'binary data' };
  try {
    // Takes the byte order mark off as well.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r$/, '') };
  } catch {
    return { text: undefined, received: 'other bytes' };
  }
}
