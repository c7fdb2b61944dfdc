/** Opens the SQLite file of a voice store: durable, shared with other processes, brought to the newest schema. */
import { open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type Libsql from 'libsql';
import { messageOf, SvcError } from '../errors.ts';
import { makeFolder, refuseIrregular } from '../files.ts';
import { applicationId, migrations } from './sqlite-schema.ts';

export type Database = Libsql.Database;

/** How long a call waits for another process that writes, and how often it tries; writes take milliseconds. */
const defaultBusyMilliseconds = 10_000;
const retryMilliseconds = 20;

export interface OpenOptions {
  readonly busyMilliseconds?: number | undefined;
}

/**
 * @param path of the file, which is made when it is not there, its folder too
 * @throws SvcError IO when it can't be made, is no voice store, or one of a newer version; BACKEND_UNAVAILABLE
 *   when SQLite can't be loaded, or another process keeps the file locked
 */
export async function openDatabase(path: string, options: OpenOptions = {}): Promise<Database> {
  const Sqlite = await loadSqlite();
  await createFile(path);
  // SQLite's own wait for a lock would stop the whole process: all calls are synchronous. See `whenFree`.
  const database = translateErrors(path, () => new Sqlite(resolve(path), { timeout: 0 }));
  try {
    await whenFree(path, () => prepare(database, path), options);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * libsql lets go of a file when the last statement is collected, so SQLite's own clean-up at closing comes late or
 * never. Moved here, the file alone holds all, and nothing of a removed voice stays in the write-ahead log.
 */
export function closeDatabase(database: Database): void {
  try {
    // Answers with a row that says "busy" when another process uses the file; that one will do it.
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  } finally {
    database.close();
  }
}

/**
 * Runs `work`, and again while another process has locked the file; in between, this process does other things. `work`
 * must change nothing when it fails, as a transaction does.
 *
 * @throws SvcError IO; BACKEND_UNAVAILABLE when the file stays locked
 */
export async function whenFree<Result>(
  path: string,
  work: () => Result,
  { busyMilliseconds = defaultBusyMilliseconds }: OpenOptions = {},
): Promise<Result> {
  const end = performance.now() + busyMilliseconds;
  for (;;) {
    try {
      return translateErrors(path, work);
    } catch (error) {
      if (!(error instanceof SvcError) || !isBusy(error.cause)) throw error;
      if (performance.now() >= end) {
        const message = `the voice store (${basename(path)}) is locked by another process; retry when that has finished`;
        throw new SvcError('BACKEND_UNAVAILABLE', message, { cause: error.cause });
      }
    }
    await wait(retryMilliseconds * Math.random());
  }
}

const isBusy = (thrown: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED)/.test(String((thrown as { readonly code?: unknown } | undefined)?.code));

/** Runs `work`; what SQLite throws becomes one line that names the file. */
export function translateErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    const message = `expected a usable voice store for ${path}, received ${messageOf(thrown)}`;
    throw new SvcError('IO', message, { cause: thrown });
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
    await refuseIrregular(path, (kind) => new Error(kind));
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
