/** Connects to the PostgreSQL database of a voice store and migrates its schema. */
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { SvcError } from '../errors.ts';
import { loadOptional } from '../package/optional-package.ts';
import { databaseReason, isAway } from './postgres-failure.ts';
import { oldestCompatible, postgresMigrations } from './postgres-schema.ts';

export interface Postgres {
  /** The address of the database without credentials. */
  readonly location: string;
  /**
   * Runs `work` in one transaction.
   *
   * @throws SvcError BACKEND_UNAVAILABLE if the server is unavailable, perhaps temporarily; IO for other errors of
   *   PostgreSQL
   */
  transact<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Maximum connections of this process; a database server has about a hundred in total. */
const maxConnections = 4;
const connectMilliseconds = 5_000;
const statementMilliseconds = 30_000;
/** The server ends a statement itself, unless it or the network hangs. */
const answerMilliseconds = statementMilliseconds + 5_000;

/** Cheap, so a missing reply means that the server hangs. The types lack `query_timeout`. */
const begin = { text: 'BEGIN', query_timeout: connectMilliseconds } as QueryConfig;

/** Id of an advisory lock: `svcv` in ASCII. */
const migrationLock = 0x73766376;

/**
 * @param url such as `postgres://user:password@host:5432/database`
 * @throws SvcError INVALID_REQUEST for another address; IO if the database does not exist or has a newer schema;
 *   BACKEND_UNAVAILABLE if the server is unavailable or the library does not load
 */
export async function openPostgres(url: string): Promise<Postgres> {
  const location = locate(url);
  const { Pool } = (await loadOptional('a voice store in PostgreSQL', () => import('pg'))).default;
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMilliseconds,
    statement_timeout: statementMilliseconds,
    query_timeout: answerMilliseconds,
    keepAlive: true,
    // A hanging server must not keep the process from exiting.
    allowExitOnIdle: true,
    application_name: 'svc',
  });
  // The pool replaces idle connections that break.
  pool.on('error', () => undefined);
  // A connection that breaks in use rejects its query and emits this event, which without a listener ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const transact: Postgres['transact'] = (work) => runTransaction(pool, location, work);
  try {
    await transact((client) => migrate(client, location));
  } catch (error) {
    await pool.end();
    if (!(error instanceof SvcError) || error.code !== 'BACKEND_UNAVAILABLE') throw error;
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `cannot reach PostgreSQL at ${location}: ${databaseReason(error.cause)}`,
      {
        cause: error.cause,
      },
    );
  }
  return { location, transact, close: () => pool.end() };
}

function locate(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return `${url.protocol}//${url.host}${url.pathname}`;
  const problem = url === undefined ? '' : `, not ${url.protocol}`;
  throw new SvcError(
    'INVALID_REQUEST',
    `SVC_DATABASE_URL must be an address such as postgres://user@host/database${problem}`,
  );
}

async function runTransaction<Result>(
  pool: Pool,
  location: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  let client: PoolClient | undefined;
  let broken: Error | undefined;
  try {
    client = await pool.connect();
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (thrown) {
    if (isAway(thrown)) {
      broken = thrown as Error;
      // Clients of a server see this message, so it does not name the address.
      const problem = `the voice database is unavailable (${databaseReason(thrown)})`;
      throw new SvcError('BACKEND_UNAVAILABLE', problem, { cause: thrown, remedy: 'try again later' });
    }
    await client?.query('ROLLBACK').catch((error: Error) => {
      broken = error;
    });
    if (thrown instanceof SvcError) throw thrown;
    throw new SvcError('IO', `cannot use voice store ${location}: ${databaseReason(thrown)}`, { cause: thrown });
  } finally {
    // A connection that broke or cannot be rolled back is not reused.
    client?.release(broken);
  }
}

interface SchemaRow {
  readonly version: number;
  /** The oldest schema whose programs can use this one; absent in tables of earlier programs. */
  readonly compatible?: number | null;
}

/**
 * Migrates the schema; processes that start at the same time wait for each other. Programs whose schema is older
 * continue with the new one, also when they restart, as long as it is compatible.
 */
async function migrate(client: PoolClient, location: string): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  await client.query('CREATE TABLE IF NOT EXISTS svc_voice_schema (version INTEGER NOT NULL)');
  const { rows } = await client.query<SchemaRow>('SELECT * FROM svc_voice_schema');
  const version = rows[0]?.version ?? 0;
  const newest = postgresMigrations.length;
  if ((rows[0]?.compatible ?? version) > newest) {
    throw new SvcError(
      'IO',
      `voice store ${location} has version ${version}, but this svc supports up to version ${newest}`,
      { remedy: 'update svc' },
    );
  }
  if (version >= newest) return;
  // A change that waits for a table makes all later statements wait behind it.
  await client.query(`SET LOCAL lock_timeout = ${connectMilliseconds}`);
  await client.query('ALTER TABLE svc_voice_schema ADD COLUMN IF NOT EXISTS compatible INTEGER');
  for (const step of postgresMigrations.slice(version)) await client.query(step);
  await client.query('DELETE FROM svc_voice_schema');
  await client.query('INSERT INTO svc_voice_schema (version, compatible) VALUES ($1, $2)', [newest, oldestCompatible]);
}
