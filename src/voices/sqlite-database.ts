/** Opens the SQLite file of a voice store, shared by several processes, and migrates its schema. */
import { open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type Libsql from 'libsql';
import { messageOf, SvcError } from '../errors.ts';
import { makeFolder, reasonOf, refuseIrregular } from '../files/file-system.ts';
import { sanitizeLine } from '../messages.ts';
import { applicationId, migrations } from './sqlite-schema.ts';

export type Database = Libsql.Database;

/** Maximum wait for another process that writes, and the retry interval; writes take milliseconds. */
const defaultBusyMilliseconds = 10_000;
const retryMilliseconds = 20;

export interface OpenOptions {
  readonly busyMilliseconds?: number | undefined;
}

/**
 * @param path of the file; created if missing, including its folder
 * @throws SvcError IO if it cannot be created, is not a voice store or has a newer version; BACKEND_UNAVAILABLE if
 *   SQLite does not load or another process keeps the file locked
 */
export async function openDatabase(path: string, options: OpenOptions = {}): Promise<Database> {
  const Sqlite = await loadSqlite();
  await createFile(path);
  // SQLite's own wait would block the process, as calls are synchronous; see `whenFree`.
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
 * libsql releases a file only when the last statement is garbage-collected, so SQLite's cleanup on close comes late or
 * never. The checkpoint moves all data to the file and leaves nothing of a removed voice in the write-ahead log.
 */
export function closeDatabase(database: Database): void {
  try {
    // If another process uses the file, this returns a "busy" row, and that process will do it.
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
  } finally {
    database.close();
  }
}

/**
 * Runs `work`, and retries it without blocking while another process has locked the file. `work` must change nothing if
 * it fails, like a transaction.
 *
 * @throws SvcError IO; BACKEND_UNAVAILABLE if the file stays locked
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
        const problem = `the voice store (${basename(path)}) is locked by another process`;
        const remedy = 'retry when it has finished';
        throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause: error.cause, remedy });
      }
    }
    await wait(retryMilliseconds * Math.random());
  }
}

const isBusy = (thrown: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED)/.test(String((thrown as { readonly code?: unknown } | undefined)?.code));

const repair =
  'restore a backup, repair a copy with sqlite3 and its command .recover, or move the file away to start anew';

/** Error about a file that no store of svc would be. */
export const damaged = (problem: string, cause?: unknown): Error =>
  Object.assign(new Error(`the file is damaged: ${problem}`, { cause }), { remedy: repair });

/** Runs `work` and converts errors of SQLite to one line with the path. */
export function translateErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    const { code = '', remedy } = thrown as { readonly code?: unknown; readonly remedy?: string };
    // JSON that is none, and numbers of bytes that don't fit.
    const isBroken = thrown instanceof SyntaxError || thrown instanceof RangeError;
    const isDamaged =
      isBroken || /^SQLITE_(?:CORRUPT|NOTADB|ERROR)/.test(String(code)) || /malformed/.test(messageOf(thrown));
    const reason = isBroken ? 'the file is damaged' : sanitizeLine(messageOf(thrown));
    throw new SvcError('IO', `cannot use voice store ${path}: ${reason}`, {
      cause: thrown,
      remedy: isDamaged ? repair : remedy,
    });
  }
}

export async function loadSqlite(): Promise<typeof Libsql> {
  try {
    return (await import('libsql')).default;
  } catch (thrown) {
    const reason = messageOf(thrown).split('\n')[0];
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `the package libsql, needed for voice stores and batches, does not load on ${process.platform}-${process.arch}: ${reason}`,
      { cause: thrown, remedy: 'reinstall svc' },
    );
  }
}

/** Creates the file readable only by this user, as recordings are private; SQLite would use default permissions. */
async function createFile(path: string): Promise<void> {
  try {
    await refuseIrregular(path, (kind) => new Error(`it is ${kind}`));
    await makeFolder(dirname(resolve(path)), 0o700);
    await (await open(path, 'a', 0o600)).close();
  } catch (thrown) {
    throw new SvcError('IO', `cannot open voice store ${path}: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function prepare(database: Database, path: string): void {
  // Before anything is written, so that a file of another program stays unchanged.
  checkOwner(database, path);
  database.pragma('journal_mode = WAL');
  // A commit is on disk, including the write-ahead log, before it returns.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // Overwrites removed voices.
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
  if (owner !== applicationId && (owner !== 0 || tables > 0)) {
    throw new SvcError('IO', `${path} is not a voice store but the database of another program`);
  }
  if (version > migrations.length) {
    throw new SvcError(
      'IO',
      `voice store ${path} has version ${version}, but this svc supports up to version ${migrations.length}`,
      { remedy: 'update svc' },
    );
  }
}

/** Reads with SELECT, as `pragma()` of libsql returns rows or an object inconsistently. */
function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return (database.prepare(`SELECT ${name} AS value FROM pragma_${name}`).get() as { value: number }).value;
}
