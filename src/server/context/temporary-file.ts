/** A temporary file without a name: nothing is left on disk, however the process ends. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createByteSink, type Sink } from '../../audio/encode/sink.ts';
import type { Encoded } from '../../audio/transform.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';

export interface TemporaryFile extends Pick<Sink<Encoded>, 'write'> {
  size(): Promise<number>;
  /** @param range inclusive; all by default */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /** Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Opens a file of a request. @throws SvcError IO, as do writes and reads; writes also PAYLOAD_TOO_LARGE, RATE_LIMITED, QUEUE_FULL */
export type OpenTemporaryFile = () => Promise<TemporaryFile>;

export type TemporaryFiles = ReturnType<typeof createTemporaryFiles>;

/** Part of all bytes that one request, and one API key, may have. */
const share = 1 / 4;

interface Account {
  files: number;
  bytes: number;
}

/** Bytes by which a file grows. */
export const appendedBytes = (encoded: Encoded): number =>
  encoded.reduce((sum, { bytes, position }) => sum + (position === undefined ? bytes.length : 0), 0);

const emptyAccount = (): Account => ({ files: 0, bytes: 0 });

/** @param most bytes of all files that are open at once */
export function createTemporaryFiles(most: number, folder = tmpdir()) {
  const all = emptyAccount();
  const owners = new Map<string, Account>();
  const mostOfOne = Math.floor(most * share);

  function assertRoom(bytes: number, request: Account, owner: Account): void {
    if (request.bytes + bytes > mostOfOne) {
      const problem = `the audio is larger than the limit of ${mostOfOne} bytes for what is sent when it is complete`;
      const remedy = 'choose another format, send less text, or set stream to true';
      throw new SvcError('PAYLOAD_TOO_LARGE', problem, { remedy });
    }
    if (owner.bytes + bytes > mostOfOne) {
      const problem = `the temporary files of this API key have reached their limit of ${mostOfOne} bytes`;
      throw new SvcError('RATE_LIMITED', problem, { remedy: 'retry when its other requests are answered' });
    }
    if (all.bytes + bytes > most) {
      const problem = `the server's temporary files have reached their limit of ${most} bytes`;
      throw new SvcError('QUEUE_FULL', problem, { remedy: 'retry later, or set stream to true' });
    }
  }

  return {
    /** @param ownerName name of the API key, if there is one */
    ofRequest(ownerName: string | undefined): OpenTemporaryFile {
      const request = emptyAccount();
      return async () => {
        const file = await openTemporaryFile(folder);
        // Clients without a key have no share in common.
        const owner = (ownerName === undefined ? undefined : owners.get(ownerName)) ?? emptyAccount();
        if (ownerName !== undefined) owners.set(ownerName, owner);
        const accounts = [all, request, owner];
        for (const account of accounts) account.files += 1;
        let isOpen = true;
        let own = 0;
        return {
          ...file,
          async write(encoded) {
            const bytes = appendedBytes(encoded);
            assertRoom(bytes, request, owner);
            own += bytes;
            for (const account of accounts) account.bytes += bytes;
            await file.write(encoded);
          },
          async close() {
            if (!isOpen) return;
            isOpen = false;
            await file.close();
            for (const account of accounts) {
              account.files -= 1;
              account.bytes -= own;
            }
            if (ownerName !== undefined && owner.files === 0) owners.delete(ownerName);
          },
        };
      };
    },
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
