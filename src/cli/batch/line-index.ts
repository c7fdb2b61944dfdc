/** An index of the lines of a batch, in a temporary file: there may be more of them than memory holds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSqlite } from '../../voices/sqlite-database.ts';

export type LineIndex = Awaited<ReturnType<typeof openLineIndex>>;

/**
 * Values by keys of a fixed length, such as hashes. About 40 bytes of disk for each, and 8 MB of memory for all.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when SQLite doesn't load
 */
export async function openLineIndex() {
  const Sqlite = await loadSqlite();
  const folder = await mkdtemp(join(tmpdir(), 'svc-batch-'));
  const database = new Sqlite(join(folder, 'lines'));
  // No one else reads the file, and nothing has to survive a crash.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE', 'cache_size = -8192']) {
    database.pragma(setting);
  }
  database.exec('CREATE TABLE lines (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID; BEGIN');
  const get = database.prepare('SELECT value FROM lines WHERE key = ?');
  const set = database.prepare('INSERT OR REPLACE INTO lines VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM lines WHERE key = ?');
  // Systems that allow it remove the file of a killed run too.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  return {
    // A single buffer would be taken for named parameters.
    get: (key: Buffer) => (get.get([key]) as { readonly value: Buffer } | undefined)?.value,
    set: (key: Buffer, value: Buffer): void => void set.run([key, value]),
    delete: (key: Buffer): void => void remove.run([key]),
    async [Symbol.asyncDispose]() {
      database.close();
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}
