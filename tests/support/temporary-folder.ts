import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** The path of something in the folder. */
  join(...names: string[]): string;
}

/** Makes an empty folder that is removed at the end of the scope: `await using folder = await temporaryFolder();`. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'svc-test-'));
  return {
    path,
    join: (...names) => join(path, ...names),
    // Work that a test doesn't wait for may still write: then the first attempt finds a folder that fills again.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
