import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { postgresMigrations } from '../../src/voices/postgres-schema.ts';
import { openPostgresVoiceStore } from '../../src/voices/postgres-store.ts';
import type { VoiceStore } from '../../src/voices/voice-store.ts';
import { invoke } from '../cli/invoke.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sampleVoice } from '../voices/sample-voice.ts';
import { describeVoiceStore } from '../voices/voice-store-behavior.ts';
import { startPostgres } from './postgres-process.ts';
import { sharedProcesses } from './shared-processes.ts';

/** Needs postgresql. */
const postgres = sharedProcesses()(startPostgres);
let url: string;
let store: VoiceStore;

beforeEach(async () => {
  url = postgres.createDatabase();
  store = await openPostgresVoiceStore(url);
});

afterEach(() => store?.close());

async function query(text: string): Promise<readonly Record<string, unknown>[]> {
  return await withClient({}, async (client) => (await client.query(text)).rows as Record<string, unknown>[]);
}

async function withClient<Result>(
  options: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, ...options });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describeVoiceStore(() => store);

describe('concurrent processes', () => {
  it('create the tables once', async () => {
    const fresh = postgres.createDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgresVoiceStore(fresh)));
    await stores[0]?.put(sampleVoice('anna'), 'create');
    for (const each of stores) expect((await each.list()).map(({ id }) => id)).toEqual(['anna']);
    await Promise.all(stores.map((each) => each.close()));
  });

  it('assign a name to only one voice', async () => {
    const other = await openPostgresVoiceStore(url);
    const attempts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? store : other).put(sampleVoice('anna', index), 'create'),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'CONFLICT' });
    }
    await other.close();
  });

  it('never see a mixture of two versions of a voice', async () => {
    const other = await openPostgresVoiceStore(url);
    await store.put(sampleVoice('anna', 0), 'create');
    const putting = (async () => {
      for (let seed = 1; seed <= 30; seed += 1) await store.put(sampleVoice('anna', seed), 'replace');
    })();
    let isOver = false;
    void putting.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const voice = await other.get('anna');
      expect(voice?.text).toBe(`text ${voice?.encodings[0]?.patches[0]}`);
    }
    await putting;
    await other.close();
  });
});

async function becomeFirstVersion(): Promise<void> {
  await query(
    'DROP TABLE svc_voice_languages, svc_lexicons, svc_encodings, svc_recordings, svc_voices, svc_voice_schema',
  );
  await query(postgresMigrations[0] as string);
  await query('CREATE TABLE svc_voice_schema (version INTEGER NOT NULL)');
  await query('INSERT INTO svc_voice_schema VALUES (1)');
}

describe('a database', () => {
  it('of the first version opens with its voices', async () => {
    await becomeFirstVersion();
    await query("INSERT INTO svc_voices VALUES ('anna', 'r1', 'words', true, false, 16000, 4, 5, 6)");
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresVoiceStore(url)));
    const lexicon = [{ written: 'gif', spoken: 'jif' }];
    const added = await stores[0]?.put(sampleVoice('ben', 1, { lexicon, language: 'de' }), 'create');
    expect(added).toMatchObject({ lexicon });
    expect(await store.list()).toEqual([expect.objectContaining({ id: 'anna', revision: 'r1', text: 'words' }), added]);
    expect((await store.list())[0]).not.toHaveProperty('lexicon');
    await Promise.all(stores.map((each) => each.close()));
  });

  it('of a newer version that is compatible is used, also by processes that start later', async () => {
    await query('ALTER TABLE svc_voices ADD COLUMN tags TEXT');
    await query('UPDATE svc_voice_schema SET version = 99');
    const restarted = await openPostgresVoiceStore(url);
    const anna = await store.put(sampleVoice('anna', 1), 'create');
    const again = await restarted.put(sampleVoice('anna', 2), 'replace');
    expect(again).toMatchObject({ createdAt: anna.createdAt, text: 'text 2' });
    expect(await store.list()).toEqual([again]);
    expect(await query('SELECT * FROM svc_voice_schema')).toEqual([{ version: 99, compatible: 1 }]);
    await restarted.close();
  });

  it('of a newer version that is not compatible is refused', async () => {
    await query('UPDATE svc_voice_schema SET version = 99, compatible = 99');
    await expect(openPostgresVoiceStore(url)).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringMatching(/^voice store .+ has version 99, but .+; update svc$/),
    });
  });

  it('keeps committed voices across a crash, and is used again when it returns', async () => {
    await store.put(sampleVoice('anna', 1), 'create');
    await postgres.kill();
    await expect(store.list()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(/^the voice database is unavailable \([^\n]+\); try again later$/),
    });
    await postgres.start();
    expect(await store.list()).toMatchObject([{ id: 'anna', text: 'text 1' }]);
  });

  it('that does not exist is reported in one line, without the password', async () => {
    const wrong = url.replace('postgres@', 'postgres:secret@').replace(/\/\w+$/, '/nothing');
    const { code, stderr } = await invoke(['voices', 'list'], { environment: { SVC_DATABASE_URL: wrong } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^svc: error: cannot use voice store postgres:\/\/127[^\n]+"nothing" does not exist\n$/);
    const other = await invoke(['voices', 'list'], { environment: { SVC_DATABASE_URL: 'mysql://x/y' } });
    expect(other.code).toBe(2);
  });
});

describe('a database that', () => {
  const unavailable = (reason: RegExp): object => ({
    code: 'BACKEND_UNAVAILABLE',
    message: expect.stringMatching(reason),
  });

  /** Runs `work` while another client keeps the tables to itself. */
  const whileLocked = (work: () => Promise<void>): Promise<void> =>
    withClient({}, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE svc_voices');
      await work();
    });

  it('is slow refuses what takes too long, then recovers', async () => {
    const hasty = await openPostgresVoiceStore(`${url}?statement_timeout=300`);
    await hasty.put(sampleVoice('anna', 1), 'create');
    await whileLocked(async () => {
      await expect(hasty.list()).rejects.toMatchObject(unavailable(/statement timeout/));
      await expect(hasty.put(sampleVoice('ben', 1), 'create')).rejects.toMatchObject(unavailable(/statement timeout/));
    });
    expect((await hasty.list()).map(({ id }) => id)).toEqual(['anna']);
    await hasty.close();
  });

  it('is locked is not migrated, and nobody waits for long', async () => {
    await becomeFirstVersion();
    await whileLocked(() =>
      expect(openPostgresVoiceStore(url)).rejects.toMatchObject(unavailable(/: [^\n]+ lock timeout$/)),
    );
    expect(await query('SELECT * FROM svc_voice_schema')).toEqual([{ version: 1 }]);
    await (await openPostgresVoiceStore(url)).close();
  });

  it('has no connection left refuses more, then serves those that waited', async () => {
    await store.put(sampleVoice('anna', 1), 'create');
    let waiting: readonly Promise<readonly object[]>[] = [];
    await whileLocked(async () => {
      waiting = Array.from({ length: 4 }, () => store.list());
      await expect(store.list()).rejects.toMatchObject(unavailable(/timeout exceeded when trying to connect/));
    });
    for (const voices of await Promise.all(waiting)) expect(voices).toHaveLength(1);
    expect(await store.list()).toHaveLength(1);
  });

  it('fails over refuses changes while it is read-only, keeps what it confirmed, and is used again', async () => {
    await store.put(sampleVoice('anna', 1), 'create');
    const name = new URL(url).pathname.slice(1);
    await query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc'");
    await expect(store.put(sampleVoice('ben', 1), 'create')).rejects.toMatchObject(unavailable(/./));
    await expect(store.put(sampleVoice('ben', 1), 'create')).rejects.toMatchObject(unavailable(/read-only/));
    expect((await store.list()).map(({ id }) => id)).toEqual(['anna']);
    await withClient({ options: '-c default_transaction_read_only=off' }, (client) =>
      client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`),
    );
    // A connection from before is dropped with the first change that it refuses.
    await expect(store.put(sampleVoice('ben', 1), 'create')).rejects.toMatchObject(unavailable(/read-only/));
    await store.put(sampleVoice('ben', 1), 'create');
    expect((await store.list()).map(({ id }) => id)).toEqual(['anna', 'ben']);
  });
});

it('svc voices uses the database of SVC_DATABASE_URL', async () => {
  await using folder = await temporaryFolder();
  // Long enough for a recording of half a second.
  const settings = { environment: { SVC_DATABASE_URL: url }, backend: { info: { contextLength: 100_000 } } };
  const audio = folder.join('anna.wav');

  await writeFile(audio, encodeWav(new Float32Array(8_000).fill(0.1), 16_000));
  const add = ['voices', 'add', 'anna', '--audio', audio, '--text', 'What is said.', '--voice-dir', folder.path];
  expect(await invoke(add, settings)).toMatchObject({ code: 0 });
  expect((await store.list()).map(({ id }) => id)).toEqual(['anna']);
  expect((await invoke(['voices', 'remove', 'anna'], settings)).code).toBe(0);
  expect(await query('SELECT * FROM svc_recordings')).toEqual([]);
  expect(await query('SELECT * FROM svc_encodings')).toEqual([]);
});
