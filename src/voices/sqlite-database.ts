/** Opens the SQLite file of a voice store: durable, shared with other processes, brought to the newest schema. */
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type Libsql from 'libsql';
import { messageOf, SvcError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { applicationId, migrations } from './sqlite-schema.ts';

export type Database = Libsql.Database;

/** How long a call waits for another process that writes; writes take milliseconds. */
const busyMilliseconds = 10_000;

/**
 * @param path of the file, which is made when it is not there, its folder too
 * @throws SvcError IO when it can't be made, is no voice store, or one of a newer version; BACKEND_UNAVAILABLE
 *   when SQLite can't be loaded
 */
export async function openDatabase(path: string): Promise<Database> {
  const Sqlite = await loadSqlite();
  await createFile(path);
  return translateErrors(path, () => {
    const database = new Sqlite(resolve(path), { timeout: busyMilliseconds });
    try {
      prepare(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/**
 * libsql lets go of a file when the last statement is collected, so SQLite's own clean-up at closing comes late or
 * never. Moved here, the file alone holds all, and nothing of a removed voice stays in the write-ahead log.
 */
export function closeDatabase(database: Database): void {
  // Answers with a row that says "busy" when another process uses the file; that one will do it.
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Runs `work`; what SQLite throws becomes one line that names the file. */
export function translateErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    const { code } = thrown as { readonly code?: unknown };
    const busy = typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
    const received = busy ? 'one that another process keeps locked' : messageOf(thrown);
    throw new SvcError('IO', `expected a usable voice store for ${path}, received ${received}`, { cause: thrown });
  }
}

async function loadSqlite(): Promise<typeof Libsql> {
  try {
    return (await import('libsql')).default;
  } catch (thrown) {
    const reason = messageOf(thrown).split('\n')[0];
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected the package libsql for the voice store on ${process.platform}-${process.arch}, received: ${reason}; reinstall svc`,
      { cause: thrown },
    );
  }
}

/** Recordings of people are nobody else's: SQLite would take the permissions that the process gives by default. */
async function createFile(path: string): Promise<void> {
  try {
    await makeFolder(dirname(resolve(path)), 0o700);
    await (await open(path, 'a', 0o600)).close();
  } catch (thrown) {
    const received = `${path}: ${messageOf(thrown)}`;
    throw new SvcError('IO', `expected a writable file for the voice store, received ${received}`, { cause: thrown });
  }
}

function prepare(database: Database, path: string): void {
  // Read before anything is written: a file of another program stays as it is.
  checkOwner(database, path);
  database.pragma('journal_mode = WAL');
  // A commit is on the disk before it returns, the write-ahead log included.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // A removed voice is overwritten, not only unlinked.
  database.pragma('secure_delete = ON');
  const migrate = database.transaction(() => {
    checkOwner(database, path);
    const version = readPragma(database, 'user_version');
    for (const step of migrations.slice(version)) database.exec(step);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${migrations.length}`);
  });
  if (readPragma(database, 'user_version') < migrations.length) migrate.immediate();
}

function checkOwner(database: Database, path: string): void {
  const version = readPragma(database, 'user_version');
  const owner = readPragma(database, 'application_id');
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_master').get() as { tables: number };
  const invalid = (received: string): SvcError =>
    new SvcError('IO', `expected a voice store for ${path}, received ${received}`);
  if (owner !== applicationId && (owner !== 0 || tables > 0)) throw invalid('the database of another program');
  if (version > migrations.length) {
    throw invalid(`one of version ${version}, this svc knows ${migrations.length}; update svc`);
  }
}

/** libsql answers some of these with rows and some with an object, whatever is asked for. */
function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return (database.prepare(`SELECT ${name} AS value FROM pragma_${name}`).get() as { value: number }).value;
}
