/** Recordings of consent, as OpenAI's `audio.voice_consents` has them. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { openConsentStore } from '../../src/server/recordings/consent-store.ts';
import { bearer, type FormFields, post, statusAndJson, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();
const wav = wavOf();
const add = (fields: FormFields, init?: RequestInit): Promise<Response> =>
  server.send('/v1/audio/voice_consents', fields, init);
const given = { name: 'Kim', language: 'en-us', recording: wav };

type Consent = Readonly<Record<'id' | 'name' | 'language' | 'object', string>> & { readonly created_at: number };
const added = async (name = 'Kim'): Promise<Consent> => (await statusAndJson<Consent>(add({ ...given, name })))[1];
const at = (id: string): string => `${server.url}/v1/audio/voice_consents/${id}`;
const listed = (query = '') =>
  server.json<{ data: readonly Consent[]; has_more: boolean }>(`/v1/audio/voice_consents${query}`);

describe('voice consents', () => {
  it('are kept with their recording, which only the user of the server can read', async () => {
    const consent = await added();
    expect(consent).toEqual({
      id: expect.stringMatching(/^cons_[0-9a-f]{32}$/),
      object: 'audio.voice_consent',
      created_at: expect.any(Number),
      name: 'Kim',
      language: 'en-US',
    });
    const folder = join(server.folder, 'consents');
    expect((await readdir(folder)).sort()).toEqual([`${consent.id}.json`, `${consent.id}.recording`]);
    const file = await stat(join(folder, `${consent.id}.recording`));
    expect([file.size, file.mode & 0o077, (await stat(folder)).mode & 0o077]).toEqual([wav.length, 0, 0]);
    expect(await (await fetch(at(consent.id))).json()).toEqual(consent);
  });

  it('are renamed and deleted with all their files', async () => {
    const consent = await added();
    const renamed = await post(at(consent.id), { name: 'Kim B' });
    expect(await renamed.json()).toEqual({ ...consent, name: 'Kim B' });
    expect((await listed()).data).toEqual([{ ...consent, name: 'Kim B' }]);
    const answer = await fetch(at(consent.id), { method: 'DELETE' });
    expect(await answer.json()).toEqual({ id: consent.id, object: 'audio.voice_consent', deleted: true });
    expect(await readdir(join(server.folder, 'consents'))).toEqual([]);
    await expectError(fetch(at(consent.id), { method: 'DELETE' }), 404, { code: 'consent_not_found' });
  });

  it('are listed by page, also before there is one', async () => {
    expect(await listed()).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
    const ids = [await added('a'), await added('b'), await added('c')].map(({ id }) => id);
    const first = await listed('?limit=2');
    expect([first.data.length, first.has_more]).toEqual([2, true]);
    const second = await listed(`?limit=2&after=${first.data[1]?.id}`);
    expect([second.data.length, second.has_more]).toEqual([1, false]);
    expect([...first.data, ...second.data].map(({ id }) => id).sort()).toEqual([...ids].sort());
    await expectError(server.fetch('/v1/audio/voice_consents?after=cons_1'), 400, { param: 'after' });
    await expectError(server.fetch('/v1/audio/voice_consents?limit=0'), 400, { param: 'limit' });
  });

  it.each([
    [{ language: 'en', recording: wav }, 400, 'name'],
    [{ name: ' '.repeat(257), language: 'en', recording: wav }, 400, 'name'],
    [{ name: 'Kim', language: 'no language', recording: wav }, 400, 'language'],
    [{ name: 'Kim', language: 'en' }, 400, 'recording'],
    [{ name: 'Kim', language: 'en', recording: new Uint8Array([1, 2, 3]) }, 415, 'recording'],
  ] as readonly (readonly [FormFields, number, string])[])(
    'are refused, and nothing is kept: %j',
    async (fields, status, param) => {
      await expectError(add(fields), status, { param });
      expect((await listed()).data).toEqual([]);
    },
  );

  it.each(['..%2Fsecret', '%2Fetc%2Fpasswd', 'cons_1', 'CONS_0123456789abcdef0123456789abcdef'])(
    'are found by their own IDs only, not by %s',
    async (id) => {
      await server.start();
      await writeFile(join(server.folder, 'secret.json'), '{}');
      for (const method of ['GET', 'DELETE']) expect((await fetch(at(id), { method })).status).toBe(404);
    },
  );

  it('need the key of the server', async () => {
    await server.start({ settings: { apiKey: 'sk-1' } });
    expect((await add(given)).status).toBe(401);
    expect((await add(given, bearer('sk-1'))).status).toBe(200);
  });
});

describe('files of consents', () => {
  const names = (folder: string) => readdir(folder).then((found) => found.sort());
  const id = (digit: number): string => `cons_${String(digit).repeat(32)}`;
  const about = (digit: number, createdAt = digit): string =>
    JSON.stringify({ id: id(digit), name: 'Kim', language: 'en', createdAt, mediaType: 'audio/wav' });

  it('that a killed process has left are removed at the next start', async () => {
    await server.start({
      voiceFiles: async (folder) => {
        await mkdir(join(folder, 'consents'));
        const files = {
          [`${id(1)}.json`]: about(1),
          [`${id(1)}.recording`]: 'complete',
          [`${id(2)}.recording`]: 'without a consent',
          [`${id(3)}.recording.0123456789ab.tmp`]: 'cut off',
          [`${id(1)}.json.0123456789ab.tmp`]: 'a name that was not changed',
          [`${id(4)}.json`]: about(4),
          'notes.txt': 'of the operator',
        };
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'consents', name), text);
      },
    });
    expect(await names(join(server.folder, 'consents'))).toEqual([`${id(1)}.json`, `${id(1)}.recording`, 'notes.txt']);
    expect(server.log.join('')).toContain('recordings of consent that were not complete were removed');
  });

  it('are read for a page, and once to learn their order, also for many lists at once', async () => {
    await server.start();
    const folder = join(server.folder, 'store');
    await mkdir(folder);
    for (const digit of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await writeFile(join(folder, `${id(digit)}.json`), about(digit));
    const reads = jest.spyOn(JSON, 'parse');
    const sorts = jest.spyOn(Array.prototype, 'sort');
    try {
      const store = openConsentStore(folder);
      const lists = await Promise.all(Array.from({ length: 20 }, () => store.list({ limit: 2 })));
      for (const page of lists) expect(page?.consents.map((consent) => consent.id)).toEqual([id(9), id(8)]);
      expect(reads).toHaveBeenCalledTimes(9 + 20 * 2);
      expect(sorts).toHaveBeenCalledTimes(1);
      reads.mockClear();
      expect(await store.list({ limit: 2, after: id(2) })).toMatchObject({ consents: [{ id: id(1) }], hasMore: false });
      expect(reads).toHaveBeenCalledTimes(1);
      await rm(join(folder, `${id(9)}.json`));
      await writeFile(join(folder, `${id(7)}.json`), about(7).replace('Kim', 'Kim B'));
      expect((await store.list({ limit: 2 }))?.consents).toMatchObject([{ id: id(8) }, { name: 'Kim B' }]);
      // A list that begins while another is read shows what was there before it.
      const early = store.list({ limit: 1 });
      await writeFile(join(folder, `${id(9)}.json`), about(9));
      expect((await store.list({ limit: 1 }))?.consents).toMatchObject([{ id: id(9) }]);
      await early;
    } finally {
      sorts.mockRestore();
      reads.mockRestore();
    }
  });

  it('are deleted with the recording first', async () => {
    await server.start();
    const folder = join(server.folder, 'store');
    const store = openConsentStore(folder);
    const { id: added } = await store.add({ name: 'Kim', language: 'en', mediaType: 'audio/wav', bytes: wav });
    // A folder in its place is not removed, as if the process were killed before.
    await rm(join(folder, `${added}.recording`));
    await mkdir(join(folder, `${added}.recording`));
    await expect(store.remove(added)).rejects.toThrow();
    expect((await store.get(added)).id).toBe(added);
  });
});
