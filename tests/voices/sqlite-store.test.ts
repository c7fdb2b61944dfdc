import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Libsql from 'libsql';
import { openDatabase } from '../../src/voices/sqlite-database.ts';
import { applicationId, migrations } from '../../src/voices/sqlite-schema.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import type { VoiceStore } from '../../src/voices/voice-store.ts';
import { expectError } from '../support/errors.ts';
import { rounds } from '../support/rounds.ts';
import { freshFolder } from '../support/test-folder.ts';
import { turns } from '../support/turns.ts';
import { lockStore } from './lock-store.ts';
import { sampleVoice, storeIn } from './sample-voice.ts';
import { describeVoiceStore } from './voice-store-behavior.ts';

let path: string;
let store: VoiceStore;

afterEach(() => store.close());
const folder = freshFolder();
beforeEach(async () => {
  path = storeIn(folder.path);
  store = await openSqliteVoiceStore(path);
});

const conflict = expect.objectContaining({ code: 'CONFLICT' });

describeVoiceStore(() => store);

describe('the file', () => {
  it('keeps no data of a removed voice', async () => {
    const secret = 'what nobody is to find';
    const record = await store.put(sampleVoice('anna', 1, { text: secret }), 'create');
    expect((await readFile(`${path}-wal`)).includes(secret)).toBe(true);
    expect(await store.remove('anna')).toBe(true);
    expect(await store.get('anna')).toBeUndefined();
    expect(await store.recording('anna', record.revision)).toBeUndefined();
    await store.close();
    const files = await readdir(folder.path);
    // The library releases files on garbage collection, so one may disappear meanwhile.
    const contents = files.map((name) => readFile(folder.join(name)).catch(() => Buffer.alloc(0)));
    const bytes = Buffer.concat(await Promise.all(contents));
    expect(bytes.length).toBeGreaterThan(4096);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(Buffer.from(new Float32Array(20).fill(1).buffer))).toBe(false);
  });
});

describe('a damaged file', () => {
  it('with any changed byte is read or refused, and ends no process', async () => {
    const text = 'Was Änna sagt, Wort für Wort. '.repeat(20);
    for (const id of ['anna', 'ben', 'märta'])
      await store.put(sampleVoice(id, 1, { text, lexicon: [{ written: 'gif', spoken: 'jif' }] }), 'create');
    await store.close();
    const count = rounds(300, 20_000);
    const loader = ['--import', './tests/runner/register.js', 'tests/voices/read-damaged.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, [...loader, path, String(count)]);
    const { read, refused } = JSON.parse(stdout) as Record<'read' | 'refused', number>;
    expect(read + refused).toBe(count);
    expect(refused).toBeGreaterThan(count / 100);
  });

  it('is refused with the way out', async () => {
    await store.put(sampleVoice('anna', 1, { text: 'some words of Anna' }), 'create');
    await store.close();
    const bytes = await readFile(path);
    bytes[bytes.indexOf('words of Anna')] = 0xff;
    await writeFile(path, bytes);
    store = await openSqliteVoiceStore(path);
    await expectError(
      store.list(),
      'IO',
      `cannot use voice store ${path}: the file is damaged: text of a voice is not UTF-8 text; restore a backup, repair a copy with sqlite3 and its command .recover, or move the file away to start anew`,
    );
  });
});

describe('values of another type', () => {
  const objects = [null, {}, [], new Date(), new Map(), Buffer.from('a')];
  const values: readonly unknown[] = [true, 1, 1n, ...objects, Symbol('a'), () => 1];

  it.each(values.map((value) => [typeof value, value]))('are refused: %s', async (_, value) => {
    const wrong = value as never;
    const refused = { code: 'INVALID_REQUEST', message: expect.stringMatching(/ must be [^\n]+, got /) };
    const voice = sampleVoice('anna');
    const [encoding] = voice.encodings;
    for (const call of [
      () => store.get(wrong),
      () => store.remove(wrong),
      () => store.recording(wrong, 'a'),
      () => store.recording('a', wrong),
      () => store.addEncodings('a', wrong, []),
      () => store.addEncodings('a', 'b', [{ ...encoding, model: wrong }] as never),
      () => store.addEncodings('a', 'b', [{ ...encoding, patches: wrong }] as never),
      () => store.put({ ...voice, id: wrong }, 'create'),
      () => store.put({ ...voice, text: wrong }, 'create'),
      () => store.put({ ...voice, recording: { ...voice.recording, samples: wrong } }, 'create'),
      () => store.put(voice, wrong),
    ])
      await expect(call()).rejects.toMatchObject(refused);
    expect(await store.list()).toEqual([]);
  });
});

describe('a lock of another process', () => {
  const unavailable = {
    code: 'BACKEND_UNAVAILABLE',
    message: 'the voice store (voices.sqlite) is locked by another process; retry when it has finished',
  };

  it.each([
    ['a call', 'reserved'],
    ['the opening', 'exclusive'],
  ] as const)('delays only %s', async (_, how) => {
    // A file opened by this process can't be locked exclusively.
    const file = how === 'reserved' ? path : folder.join('empty.sqlite');
    const lock = await lockStore(file, how);
    const opening = how === 'reserved' ? Promise.resolve(store) : openSqliteVoiceStore(file);
    const putting = opening.then((opened) => opened.put(sampleVoice('anna'), 'create'));
    // A wait inside SQLite would last longer than this turns, and fail; each retry comes after a random time.
    const retries = jest.spyOn(Math, 'random');
    while (retries.mock.calls.length < 3) await turns(1);
    retries.mockRestore();
    await lock.release();
    expect((await putting).id).toBe('anna');
    await (await opening).close();
  });

  it('eventually fails a call, and leaves a working store', async () => {
    const impatient = await openSqliteVoiceStore(path, { busyMilliseconds: 100 });
    const lock = await lockStore(path);
    await expect(impatient.put(sampleVoice('anna'), 'create')).rejects.toMatchObject(unavailable);
    await expect(impatient.remove('anna')).rejects.toMatchObject(unavailable);
    expect(await impatient.list()).toEqual([]);
    await lock.release();
    expect((await impatient.put(sampleVoice('anna'), 'create')).id).toBe('anna');
    await impatient.close();
  });

  it('eventually fails the opening', async () => {
    const file = folder.join('voices', 'voices.sqlite');
    await mkdir(folder.join('voices'));
    const lock = await lockStore(file, 'exclusive');
    await expect(openSqliteVoiceStore(file, { busyMilliseconds: 100 })).rejects.toMatchObject(unavailable);
    await lock.release();
    await (await openSqliteVoiceStore(file)).close();
  });

  it('does not delay the closing of a store', async () => {
    const lock = await lockStore(path);
    const waiting = store.put(sampleVoice('anna'), 'create');
    await store.close();
    await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('is closed') });
    await lock.release();
  });
});

describe('opening', () => {
  it('refuses a named pipe and does not wait for its writer', async () => {
    const pipe = folder.join('pipe.sqlite');
    execFileSync('mkfifo', [pipe]);
    await expectError(openSqliteVoiceStore(pipe), 'IO', `cannot open voice store ${pipe}: it is a named pipe`);
  });

  it('says in words why the folder cannot be created', async () => {
    const inTheWay = folder.join('file');
    await writeFile(inTheWay, '');
    const file = join(inTheWay, 'voices.sqlite');
    await expectError(
      openSqliteVoiceStore(file),
      'IO',
      `cannot open voice store ${file}: cannot create folder ${inTheWay}: a file is in the way`,
    );
  });

  it('creates folder and file for the user only, durable and shared', async () => {
    const nested = folder.join('deep', 'er', 'v.sqlite');
    await (await openSqliteVoiceStore(nested)).close();
    if (process.platform !== 'win32') {
      expect((await stat(nested)).mode & 0o777).toBe(0o600);
      expect((await stat(folder.join('deep'))).mode & 0o777).toBe(0o700);
    }
    const database = await openDatabase(nested);
    expect(database.pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(database.pragma('synchronous')).toEqual([{ synchronous: 2 }]);
    expect(database.pragma('application_id')).toEqual([{ application_id: applicationId }]);
    expect(database.pragma('user_version')).toEqual([{ user_version: migrations.length }]);
    database.close();
  });

  it('two stores on one file see the changes of each other', async () => {
    const other = await openSqliteVoiceStore(path);
    await store.put(sampleVoice('anna'), 'create');
    await expect(other.put(sampleVoice('anna'), 'create')).rejects.toEqual(conflict);
    expect(await other.remove('anna')).toBe(true);
    expect(await store.list()).toEqual([]);
    await other.close();
  });

  it('keeps data after close; can be closed twice, but not used afterwards', async () => {
    const record = await store.put(sampleVoice('anna'), 'create');
    await store.close();
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'IO', message: expect.stringContaining('is closed') });
    store = await openSqliteVoiceStore(path);
    expect(await store.list()).toEqual([record]);
  });

  it('does not change the database of another program', async () => {
    const foreign = folder.join('foreign.sqlite');
    const database = new Libsql(foreign);
    database.exec('CREATE TABLE ref_features (id TEXT)');
    database.close();
    const bytes = await readFile(foreign);
    const refused = openSqliteVoiceStore(foreign);
    await expectError(refused, 'IO', `${foreign} is not a voice store but the database of another program`);
    expect(await readFile(foreign)).toEqual(bytes);
  });

  it('of the first version opens with its voices, and is migrated once by several processes', async () => {
    const old = folder.join('old.sqlite');
    const database = new Libsql(old);
    database.exec(migrations[0] as string);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec('PRAGMA user_version = 1');
    database.prepare("INSERT INTO voices VALUES ('anna', 'r1', 'words', 1, 0, 16000, 4, 5, 6)").run();
    database.prepare('INSERT INTO recordings VALUES (?, ?)').run('anna', Buffer.alloc(16, 1));
    database.close();
    const stores = await Promise.all([1, 2, 3].map(() => openSqliteVoiceStore(old)));
    const [first] = stores as [VoiceStore];
    expect(await first.list()).toEqual([
      {
        ...{ id: 'anna', revision: 'r1', text: 'words', roles: ['prompt'] },
        recording: { sampleRate: 16_000, sampleCount: 4, kept: true },
        ...{ createdAt: new Date(5), updatedAt: new Date(6), encodings: [] },
      },
    ]);
    expect((await first.recording('anna', 'r1'))?.samples).toHaveLength(4);
    const lexicon = [{ written: 'gif', spoken: 'jif' }];
    const ben = sampleVoice('ben', 1, { lexicon, language: 'de' });
    expect(await first.put(ben, 'create')).toMatchObject({ lexicon, language: 'de' });
    await Promise.all(stores.map((each) => each.close()));
  });

  it('refuses a store of a newer version', async () => {
    await store.close();
    const database = new Libsql(path);
    database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    database.close();
    await expectError(
      openSqliteVoiceStore(path),
      'IO',
      `voice store ${path} has version ${migrations.length + 1}, but this svc supports up to version ${migrations.length}; update svc`,
    );
  });

  it.each([
    ['a file that is no database', (at: string) => writeFile(at, 'not a database, '.repeat(100))],
    ['a folder', (at: string) => mkdir(at)],
  ])('refuses %s, in one line', async (_, make) => {
    const other = folder.join('other.sqlite');
    await make(other);
    await expectError(openSqliteVoiceStore(other), 'IO', /^cannot (use|open) voice store [^\n]+: [^\n]+$/);
  });

  it('refuses a path under a file', async () => {
    await writeFile(folder.join('file'), '');
    await expect(openSqliteVoiceStore(folder.join('file', 'v.sqlite'))).rejects.toMatchObject({ code: 'IO' });
  });

  it('accepts an empty file', async () => {
    const empty = folder.join('empty.sqlite');
    await writeFile(empty, '');
    await chmod(empty, 0o600);
    const made = await openSqliteVoiceStore(empty);
    expect(await made.list()).toEqual([]);
    await made.close();
  });
});
