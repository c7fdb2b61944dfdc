/** A temporary file without a name: nothing is left on disk, however the process ends. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createByteSink, type Sink } from '../../audio/encode/sink.ts';
import type { Encoded } from '../../audio/transform.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';

export interface TemporaryFile extends Pick<Sink<Encoded>, 'write'> {
  /** Bytes so far. */
  size(): Promise<number>;
  /** @param range inclusive; all by default */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /** Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Opens a file. @throws SvcError IO, as do writes and reads; writes also QUEUE_FULL */
export type OpenTemporaryFile = () => Promise<TemporaryFile>;

/** @param most bytes of all files that are open at once */
export function createTemporaryFiles(most: number, folder = tmpdir()): OpenTemporaryFile {
  let used = 0;
  return async () => {
    const file = await openTemporaryFile(folder);
    let own = 0;
    const release = (): void => {
      used -= own;
      own = 0;
    };
    return {
      ...file,
      async write(encoded) {
        const bytes = encoded.reduce((sum, piece) => sum + (piece.position === undefined ? piece.bytes.length : 0), 0);
        if (used + bytes > most) {
          const problem = `the server's temporary files have reached their limit of ${most} bytes`;
          throw new SvcError('QUEUE_FULL', `${problem}; retry later, or set stream to true`);
        }
        used += bytes;
        own += bytes;
        await file.write(encoded);
      },
      async close() {
        await file.close();
        release();
      },
    };
  };
}

async function openTemporaryFile(folder: string): Promise<TemporaryFile> {
  const onDisk = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((cause: unknown) => {
      const message = `cannot write a temporary file to ${folder}: ${reasonOf(cause)}`;
      throw new SvcError('IO', message, { cause });
    });
  // Only this user can open a folder of `mkdtemp`.
  const own = await onDisk(mkdtemp(join(folder, 'svc-audio-')));
  const handle = await onDisk(open(join(own, 'audio'), 'wx+')).finally(() => rm(own, { recursive: true, force: true }));
  const { write } = createByteSink(
    (appended) => onDisk(handle.appendFile(appended)),
    async (replacing, position) => void (await onDisk(handle.write(replacing, 0, replacing.length, position))),
  );
  return {
    write,
    size: async () => (await onDisk(handle.stat())).size,
    read: (range = { start: 0, end: Number.POSITIVE_INFINITY }) =>
      handle.createReadStream({ ...range, autoClose: false }),
    close: () => handle.close().catch(() => undefined),
  };
}
