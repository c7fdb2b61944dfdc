/** Connects to the PostgreSQL database of a voice store, brought to the newest schema by whoever comes first. */
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { SvcError } from '../errors.ts';
import { loadOptional } from '../optional-package.ts';
import { isAway, reasonOf } from './postgres-failure.ts';
import { postgresMigrations } from './postgres-schema.ts';

export interface Postgres {
  /** The database, without what must not be shown. */
  readonly location: string;
  /**
   * Runs `work` in one transaction.
   *
   * @throws SvcError BACKEND_UNAVAILABLE when the server does not answer, which the next call may find otherwise; IO when what
   *   PostgreSQL says has another reason
   */
  transact<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Of one process; the database server has a hundred or so for all. */
const mostConnections = 4;
const connectMilliseconds = 5_000;
const statementMilliseconds = 30_000;
/** The server ends a statement itself, unless it or the network is frozen. */
const answerMilliseconds = statementMilliseconds + 5_000;

/** Costs nothing: no answer to it is none at all. The types do not know its limit. */
const begin = { text: 'BEGIN', query_timeout: connectMilliseconds } as QueryConfig;

/** Any number that no other program uses for its lock: `svcv` in ASCII. */
const migrationLock = 0x73766376;

/**
 * @param url as `postgres://user:password@host:5432/database`
 * @throws SvcError INVALID_REQUEST for another text; IO when there is no such database, or one of a newer version;
 *   BACKEND_UNAVAILABLE when its server does not answer, or the library can't be loaded
 */
export async function openPostgres(url: string): Promise<Postgres> {
  const location = locate(url);
  const { Pool } = (await loadOptional('a voice store in PostgreSQL', () => import('pg'))).default;
  const pool = new Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: connectMilliseconds,
    statement_timeout: statementMilliseconds,
    query_timeout: answerMilliseconds,
    keepAlive: true,
    // A server that is frozen does not keep a process from ending.
    allowExitOnIdle: true,
    application_name: 'svc',
  });
  // A connection that breaks while nobody uses it is replaced when somebody does.
  pool.on('error', () => undefined);
  // One that breaks while somebody does tells its query, and here as well; without a listener the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const transact: Postgres['transact'] = (work) => runTransaction(pool, location, work);
  try {
    await transact((client) => migrate(client, location));
  } catch (error) {
    await pool.end();
    if (!(error instanceof SvcError) || error.code !== 'BACKEND_UNAVAILABLE') throw error;
    const received = reasonOf(error.cause);
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected a PostgreSQL server that answers at ${location}, received ${received}`,
      { cause: error.cause },
    );
  }
  return { location, transact, close: () => pool.end() };
}

function locate(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^postgres(ql)?:$/.test(url.protocol)) return `${url.protocol}//${url.host}${url.pathname}`;
  const received = url === undefined ? 'another text' : `one of ${url.protocol}`;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected an address such as postgres://user@host/database for SVC_DATABASE_URL, received ${received}`,
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
      const received = reasonOf(thrown);
      // This one is told to clients of a server too: where the database is, is not.
      const message = `expected the database of the voices to answer, received ${received}; try again later`;
      throw new SvcError('BACKEND_UNAVAILABLE', message, { cause: thrown });
    }
    await client?.query('ROLLBACK').catch((error: Error) => {
      broken = error;
    });
    if (thrown instanceof SvcError) throw thrown;
    const received = reasonOf(thrown);
    throw new SvcError('IO', `expected a usable voice store for ${location}, received ${received}`, { cause: thrown });
  } finally {
    // A connection that broke, or can't even be rolled back, is not used again.
    client?.release(broken);
  }
}

/** Processes that start at the same moment wait for each other here. */
async function migrate(client: PoolClient, location: string): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  await client.query('CREATE TABLE IF NOT EXISTS svc_voice_schema (version INTEGER NOT NULL)');
  const { rows } = await client.query<{ version: number }>('SELECT version FROM svc_voice_schema');
  const version = rows[0]?.version ?? 0;
  const newest = postgresMigrations.length;
  if (version > newest) {
    throw new SvcError(
      'IO',
      `expected a voice store for ${location}, received one of version ${version}, this svc knows ${newest}; update svc`,
    );
  }
  if (version === newest) return;
  for (const step of postgresMigrations.slice(version)) await client.query(step);
  await client.query('DELETE FROM svc_voice_schema');
  await client.query('INSERT INTO svc_voice_schema VALUES ($1)', [newest]);
}
