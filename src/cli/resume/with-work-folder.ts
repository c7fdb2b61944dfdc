/** Runs what can be resumed: where no other run does, with what an earlier one has left. */
import { resolve } from 'node:path';
import { SvcError, toSvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import type { Io } from '../io.ts';
import { withExclusive } from '../output/exclusive.ts';
import { printNote } from '../output/messages.ts';
import { openWorkFolder, type WorkFolder } from './work-folder.ts';

export interface Resumable {
  readonly workFolder: string;
  /** Kind of the input, for messages. */
  readonly what: 'book' | 'text';
  /** Path of the output, for messages. */
  readonly output: string;
  /** Hash of everything that the audio depends on. */
  readonly hash: string;
  readonly quiet: boolean | undefined;
}

/** `task` discards the folder when the output is complete; after a failure, what is finished stays there. */
export async function withWorkFolder(
  { what, workFolder, output, hash, quiet }: Resumable,
  io: Io,
  task: (work: WorkFolder, io: Io) => Promise<void>,
): Promise<void> {
  const note = (message: string): void => void (quiet || printNote(message, io));
  await withExclusive(resolve(workFolder), quote(output), { signal: io.signal, note }, async (signal) => {
    const work = await openWorkFolder(workFolder, hash, what);
    try {
      await task(work, { ...io, signal });
    } catch (error) {
      const { code, message } = toSvcError(error);
      if (!(await work.discardIfEmpty())) throw error;
      throw new SvcError(code, `${message}; run the same command again to resume`, { cause: error });
    }
  });
}
