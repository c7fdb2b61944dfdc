/**
 * What became of each utterance, as lines of JSON that are only ever added to. The last line about an id counts.
 */

import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorCode } from '../../errors.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files.ts';
import { readLines } from './lines.ts';
import { shortHash } from './utterances.ts';

export const manifestName = 'manifest.jsonl';
/** Bytes; ours have a few hundred. */
const longestEntry = 1024 * 1024;

interface Entry {
  readonly id: string | null;
  /** 1-based number of the line. */
  readonly line: number;
  /** What the audio depends on: the record, the voice, the model. SHA-256, hexadecimal. */
  readonly recordHash: string | null;
  /** SHA-256 of the text, hexadecimal. */
  readonly textHash: string | null;
  readonly at: Date;
}

export interface DoneEntry extends Entry {
  readonly status: 'done';
  readonly id: string;
  readonly recordHash: string;
  /** In the folder of the manifest. */
  readonly file: string;
  readonly bytes: number;
  readonly seed: number;
  readonly sampleRate: number;
  readonly audioSeconds: number;
  /** From its start to its end; utterances share that time. */
  readonly wallSeconds: number;
  readonly rtf: number;
  readonly patches: number;
  readonly parts: number;
  /** `limit` when the speech may be cut off. */
  readonly end: 'stop' | 'limit';
  /** What the listener may not expect, one line each. */
  readonly warnings: readonly string[];
}

export interface FailedEntry extends Entry {
  readonly status: 'failed';
  readonly code: ErrorCode;
  readonly error: string;
}

export interface Manifest extends AsyncDisposable {
  readonly path: string;
  /** Whether the utterance is made already from the same record, and its file is there whole. */
  isDone(id: string, recordHash: string, file: string): Promise<boolean>;
  /** Resolved when the entry is on the disk. */
  append(entry: DoneEntry | FailedEntry): Promise<void>;
}

/**
 * Made when it is not there, and removed again when nothing was added.
 *
 * @throws SvcError IO
 */
export async function openManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName);
  const existed = (await stat(path).catch(() => undefined)) !== undefined;
  const handle = await onDisk(path, () => open(path, 'a+'));
  try {
    const done = await readDone(handle);
    await onDisk(path, () => endLastLine(handle));
    return {
      path,
      async isDone(id, recordHash, file) {
        const state = done.get(shortHash(id));
        if (state === undefined) return false;
        const found = await stat(join(folder, file)).catch(() => undefined);
        return found?.isFile() === true && state === stateOf(recordHash, file, found.size);
      },
      append: (entry) =>
        onDisk(path, async () => {
          // One write, so that entries of utterances that end together don't mix.
          await handle.appendFile(`${JSON.stringify(entry)}\n`);
          await handle.datasync();
        }),
      async [Symbol.asyncDispose]() {
        const { size } = await handle.stat();
        await handle.close();
        if (!existed && size === 0) await rm(path, { force: true });
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const stateOf = (recordHash: string, file: string, bytes: number): string =>
  shortHash(JSON.stringify([recordHash, file, bytes]));

/** By hashes of the ids, some 100 bytes an utterance. */
async function readDone(handle: FileHandle): Promise<Map<string, string>> {
  const done = new Map<string, string>();
  for await (const line of readLines(handle, (await handle.stat()).size, longestEntry)) {
    const { id, status, recordHash, file, bytes } = parseEntry(line.toString());
    if (id === undefined || id === null) continue;
    if (status === 'done' && recordHash && file && bytes) done.set(shortHash(id), stateOf(recordHash, file, bytes));
    else done.delete(shortHash(id));
  }
  return done;
}

/** Nothing of a line that is no entry, as one that was being written when the power went. */
function parseEntry(line: string): Partial<DoneEntry> {
  try {
    return (JSON.parse(line) ?? {}) as Partial<DoneEntry>;
  } catch {
    return {};
  }
}

async function endLastLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() !== '\n') await handle.appendFile('\n');
}

async function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new SvcError('IO', `expected to write ${path}, received ${reasonOf(error)}`, { cause: error });
  }
}
