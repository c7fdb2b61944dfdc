/** The outcome of each utterance, in an append-only file of JSON lines. The last line of an id counts. */
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { Attempt } from '../../engine/engine.ts';
import { attempt, type ErrorCode } from '../../errors.ts';
import { onDisk } from '../output/on-disk.ts';
import { type LineIndex, openLineIndex } from './line-index.ts';
import { readLines } from './lines.ts';
import type { OutputTarget } from './output-target.ts';
import { type BatchUtterance, shortHash } from './utterances.ts';

/** Bytes; entries have a few hundred. */
const longestEntry = 1024 * 1024;

interface ManifestEntry {
  readonly id: string | null;
  /** 1-based line number in the input. */
  readonly line: number;
  /** SHA-256 of everything that the audio depends on: record, voice, model. Hexadecimal. */
  readonly recordHash: string | null;
  /** SHA-256 of the text, hexadecimal. */
  readonly textHash: string | null;
  readonly at: Date;
}

export interface DoneEntry extends ManifestEntry {
  readonly status: 'done';
  readonly id: string;
  readonly recordHash: string;
  /** Relative to the output folder. */
  readonly file: string;
  /** Likewise. */
  readonly captions?: string;
  readonly bytes: number;
  readonly seed: number;
  readonly sampleRate: number;
  readonly audioSeconds: number;
  /** From start to end of this utterance; utterances overlap. */
  readonly wallSeconds: number;
  readonly rtf: number;
  readonly patches: number;
  readonly parts: number;
  /** `limit` if the speech may be cut off. */
  readonly end: 'stop' | 'limit';
  /** Findings of each attempt at each part, with `--check-with` or after several attempts. */
  readonly attempts?: readonly Attempt[];
  /** Transcript of a line with prompt audio. */
  readonly promptText?: string | undefined;
  /** Where the audio may differ from the request, one line each. */
  readonly warnings: readonly string[];
}

export interface FailedEntry extends ManifestEntry {
  readonly status: 'failed';
  readonly code: ErrorCode;
  readonly error: string;
}

export type Manifest = Awaited<ReturnType<typeof openManifest>>;

/** Opens or creates the manifest; closing removes a new one without entries. @throws SvcError IO */
export async function openManifest({ manifest: path, sizeOf }: OutputTarget) {
  const existed = (await stat(path).catch(() => undefined)) !== undefined;
  const handle = await onDisk(path, () => open(path, 'a+'));
  const done = await openLineIndex();
  try {
    await readDone(handle, done);
    await onDisk(path, () => endLastLine(handle));
    return {
      path,
      /** Whether an earlier run generated the utterance from the same record, and its files are complete. */
      async isDone({ id, file, captionsFile }: BatchUtterance, recordHash: string): Promise<boolean> {
        const state = done.get(shortHash(id));
        if (state === undefined) return false;
        const bytes = await sizeOf(file);
        if (bytes === undefined || !state.equals(stateOf(recordHash, file, bytes))) return false;
        // Captions get their name after the audio, when they are complete.
        return captionsFile === undefined || (await sizeOf(captionsFile)) !== undefined;
      },
      append: (entry: DoneEntry | FailedEntry): Promise<void> =>
        onDisk(path, async () => {
          // One write, so that entries that are appended at the same time don't mix.
          await handle.appendFile(`${JSON.stringify(entry)}\n`);
          await handle.datasync();
        }),
      async [Symbol.asyncDispose]() {
        const { size } = await handle.stat();
        await handle.close();
        await done[Symbol.asyncDispose]();
        if (!existed && size === 0) await rm(path, { force: true });
      },
    };
  } catch (error) {
    await handle.close();
    await done[Symbol.asyncDispose]();
    throw error;
  }
}

const stateOf = (recordHash: string, file: string, bytes: number): Buffer =>
  shortHash(JSON.stringify([recordHash, file, bytes]));

/** Keys are hashes of ids. */
async function readDone(handle: FileHandle, done: LineIndex): Promise<void> {
  for await (const line of readLines(handle, (await handle.stat()).size, longestEntry)) {
    // A power failure may have cut a line.
    const entry = attempt(() => JSON.parse(line.toString()) as Partial<DoneEntry> | null);
    const { id, status, recordHash, file, bytes } = entry ?? {};
    if (id === undefined || id === null) continue;
    if (status === 'done' && recordHash && file && bytes) done.set(shortHash(id), stateOf(recordHash, file, bytes));
    else done.delete(shortHash(id));
  }
}

async function endLastLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() !== '\n') await handle.appendFile('\n');
}
