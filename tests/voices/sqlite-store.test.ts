import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Libsql from 'libsql';
import { openDatabase } from '../../src/voices/sqlite-database.ts';
import { applicationId, migrations } from '../../src/voices/sqlite-schema.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import type { VoiceEncoding, VoiceStore } from '../../src/voices/voice-store.ts';
import { sampleVoice, storeIn } from './sample-voice.ts';

let folder: string;
let path: string;
let store: VoiceStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-voices-'));
  path = storeIn(folder);
  store = await openSqliteVoiceStore(path);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const conflict = expect.objectContaining({ code: 'CONFLICT' });

describe('put', () => {
  it('keeps all that it is given', async () => {
    const voice = sampleVoice('anna', 3);
    const before = Date.now();
    const record = await store.put(voice, 'create');
    const { encodings, ...rest } = record;
    expect(rest).toEqual({
      id: 'anna',
      revision: expect.any(String),
      text: 'text 3',
      roles: ['prompt'],
      recording: { sampleRate: 16_000, sampleCount: 400, kept: true },
      createdAt: record.updatedAt,
      updatedAt: expect.any(Date),
    });
    expect(record.updatedAt.getTime()).toBeGreaterThanOrEqual(before);
    const { patches: _, ...info } = voice.encodings[0] as VoiceEncoding;
    expect(encodings).toEqual([info]);
    expect(await store.get('anna')).toEqual({ ...record, encodings: voice.encodings });
    expect(await store.recording('anna', record.revision)).toEqual(voice.recording);
    expect(await store.list()).toEqual([record]);
  });

  it('keeps every bit of a number', async () => {
    const patches = Float32Array.from({ length: 30 }, (_, i) => Math.fround(Math.sin(i) * 10 ** (i - 15)));
    // In the middle of its buffer, as a slice of a larger result is.
    const inside = new Float32Array([9, ...patches, 9]).subarray(1, 31);
    const [encoding] = sampleVoice('anna').encodings as [VoiceEncoding];
    await store.put(sampleVoice('anna', 1, { encodings: [{ ...encoding, patches: inside }] }), 'create');
    expect((await store.get('anna'))?.encodings[0]?.patches).toEqual(patches);
  });

  it('refuses a name that is taken, and changes nothing', async () => {
    const first = await store.put(sampleVoice('anna', 1), 'create');
    await expect(store.put(sampleVoice('anna', 2), 'create')).rejects.toEqual(conflict);
    expect(await store.list()).toEqual([first]);
  });

  it('replaces all of a voice but the time it was added', async () => {
    const first = await store.put(sampleVoice('anna', 1), 'create');
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { text: _, ...silent } = sampleVoice('anna', 2, { roles: ['reference'], keepRecording: 'discard' });
    const second = await store.put({ ...silent, encodings: [] }, 'replace');
    expect(second).toMatchObject({ roles: ['reference'], recording: { kept: false }, createdAt: first.createdAt });
    expect(second.updatedAt.getTime()).toBeGreaterThan(first.updatedAt.getTime());
    expect(second).not.toHaveProperty('text');
    expect(await store.get('anna')).toEqual({ ...second, encodings: [] });
    expect(await store.recording('anna', second.revision)).toBeUndefined();
    expect(await store.recording('anna', first.revision)).toBeUndefined();
  });

  it('leaves the voice before it when the new one can not be stored', async () => {
    const first = await store.put(sampleVoice('anna', 1), 'create');
    const [encoding] = sampleVoice('anna').encodings as [VoiceEncoding];
    const broken = sampleVoice('anna', 2, { encodings: [{ ...encoding, patches: new Float32Array(7) }] });
    await expect(store.put(broken, 'replace')).rejects.toMatchObject({ code: 'IO' });
    expect(await store.list()).toEqual([first]);
    expect(await store.recording('anna', first.revision)).toBeDefined();
  });

  it('takes a name as text, whatever is in it', async () => {
    const id = "x'; DROP TABLE voices; --";
    await store.put(sampleVoice(id), 'create');
    expect(await store.get(id)).toMatchObject({ id });
    expect((await store.list()).map((record) => record.id)).toEqual([id]);
  });
});

describe('get, list and remove', () => {
  it('know no voice that was not put', async () => {
    expect(await store.get('anna')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await store.remove('anna')).toBe(false);
    expect(await store.recording('anna', 'x')).toBeUndefined();
  });

  it('list by name, each with its own encodings', async () => {
    for (const [index, id] of ['c', 'a', 'B', 'd'].entries()) await store.put(sampleVoice(id, index), 'create');
    await store.remove('d');
    const list = await store.list();
    expect(list.map(({ id }) => id)).toEqual(['B', 'a', 'c']);
    expect(list.every(({ encodings }) => encodings.length === 1 && encodings.every((one) => !('patches' in one)))).toBe(
      true,
    );
  });

  it('remove all that is kept of a voice from the file', async () => {
    const secret = 'what nobody is to find';
    const record = await store.put(sampleVoice('anna', 1, { text: secret }), 'create');
    expect((await readFile(`${path}-wal`)).includes(secret)).toBe(true);
    expect(await store.remove('anna')).toBe(true);
    expect(await store.get('anna')).toBeUndefined();
    expect(await store.recording('anna', record.revision)).toBeUndefined();
    await store.close();
    const files = await readdir(folder);
    const bytes = Buffer.concat(await Promise.all(files.map((name) => readFile(join(folder, name)))));
    expect(bytes.length).toBeGreaterThan(4096);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(Buffer.from(new Float32Array(20).fill(1).buffer))).toBe(false);
  });
});

describe('addEncodings', () => {
  const [encoding] = sampleVoice('anna', 7).encodings as [VoiceEncoding];

  it('adds one of another encoder and replaces one of the same', async () => {
    const { revision } = await store.put(sampleVoice('anna', 1), 'create');
    expect(await store.addEncodings('anna', revision, [encoding, { ...encoding, fingerprint: 'two' }])).toBe(true);
    const voice = await store.get('anna');
    expect(voice?.revision).toBe(revision);
    expect(voice?.encodings.map(({ fingerprint, patches }) => [fingerprint, patches[0]])).toEqual([
      ['one', 7],
      ['two', 7],
    ]);
  });

  it('does nothing to a voice that was replaced or removed meanwhile', async () => {
    const { revision } = await store.put(sampleVoice('anna', 1), 'create');
    await store.put(sampleVoice('anna', 2), 'replace');
    expect(await store.addEncodings('anna', revision, [encoding])).toBe(false);
    expect((await store.get('anna'))?.encodings[0]?.patches[0]).toBe(2);
    await store.remove('anna');
    expect(await store.addEncodings('anna', revision, [encoding])).toBe(false);
  });
});

describe('opening', () => {
  it('makes folder and file for the user alone, durable and shared', async () => {
    const nested = join(folder, 'deep', 'er', 'v.sqlite');
    await (await openSqliteVoiceStore(nested)).close();
    if (process.platform !== 'win32') {
      expect((await stat(nested)).mode & 0o777).toBe(0o600);
      expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700);
    }
    const database = await openDatabase(nested);
    expect(database.pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(database.pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(database.prepare('SELECT application_id AS id FROM pragma_application_id').get()).toMatchObject({
      id: applicationId,
    });
    expect(database.prepare('SELECT user_version AS n FROM pragma_user_version').get()).toMatchObject({
      n: migrations.length,
    });
    database.close();
  });

  it('shows each of two stores on one file what the other wrote', async () => {
    const other = await openSqliteVoiceStore(path);
    await store.put(sampleVoice('anna'), 'create');
    await expect(other.put(sampleVoice('anna'), 'create')).rejects.toEqual(conflict);
    expect(await other.remove('anna')).toBe(true);
    expect(await store.list()).toEqual([]);
    await other.close();
  });

  it('finds what was written after it was closed; closing twice is fine, using it then is not', async () => {
    const record = await store.put(sampleVoice('anna'), 'create');
    await store.close();
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'IO', message: expect.stringContaining('a closed one') });
    store = await openSqliteVoiceStore(path);
    expect(await store.list()).toEqual([record]);
  });

  it('leaves the database of another program as it is', async () => {
    const foreign = join(folder, 'foreign.sqlite');
    const database = new Libsql(foreign);
    database.exec('CREATE TABLE ref_features (id TEXT)');
    database.close();
    const bytes = await readFile(foreign);
    await expect(openSqliteVoiceStore(foreign)).rejects.toMatchObject({
      code: 'IO',
      message: `expected a voice store for ${foreign}, received the database of another program`,
    });
    expect(await readFile(foreign)).toEqual(bytes);
  });

  it('refuses a store of a newer version', async () => {
    await store.close();
    const database = new Libsql(path);
    database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    database.close();
    await expect(openSqliteVoiceStore(path)).rejects.toMatchObject({
      code: 'IO',
      message: `expected a voice store for ${path}, received one of version ${migrations.length + 1}, this svc knows ${migrations.length}; update svc`,
    });
  });

  it.each([
    ['a file that is no database', (at: string) => writeFile(at, 'not a database, '.repeat(100))],
    ['a folder', (at: string) => mkdir(at)],
  ])('refuses %s, in one line', async (_, make) => {
    const other = join(folder, 'other.sqlite');
    await make(other);
    await expect(openSqliteVoiceStore(other)).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringMatching(/^expected [^\n]+, received [^\n]+$/),
    });
  });

  it('refuses a place below a file', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openSqliteVoiceStore(join(folder, 'file', 'v.sqlite'))).rejects.toMatchObject({ code: 'IO' });
  });

  it('takes a file that is empty', async () => {
    const empty = join(folder, 'empty.sqlite');
    await writeFile(empty, '');
    await chmod(empty, 0o600);
    const made = await openSqliteVoiceStore(empty);
    expect(await made.list()).toEqual([]);
    await made.close();
  });
});
