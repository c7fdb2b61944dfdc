/** Requests of ElevenLabs' clients beside speech: their account, settings, pages of voices, languages; and dialogues. */
import { describe, expect, it } from '@jest/globals';
import { presets } from '../../../presets.ts';
import { bytesOf, read, statusAndJson } from '../../start-server.ts';
import { expectError, sharedServer } from '../../test-server.ts';

const server = sharedServer();

const headers = { 'xi-api-key': 'any' };
const get = async (path: string) => {
  const response = await server.fetch(path, { headers });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
};

describe('a client of ElevenLabs', () => {
  it('finds a user without limits', async () => {
    const { body: subscription } = await get('/v1/user/subscription');
    const unlimited = { status: 'active', character_count: 0, voice_slots_used: 0 };
    expect(subscription).toMatchObject({ ...unlimited, can_use_instant_voice_cloning: true });
    expect(Number(subscription.character_limit)).toBeGreaterThan(1_000_000_000);
    expect((await get('/v1/user')).body).toMatchObject({ user_id: 'local', subscription });
  });

  it('gets settings of voices', async () => {
    const { body: settings } = await get('/v1/voices/settings/default');
    expect(settings).toMatchObject({ speed: 1, stability: 0.5 });
    for (const voice of ['alma', 'default']) {
      expect((await get(`/v1/voices/${voice}/settings`)).body).toEqual(settings);
    }
    expect((await get('/v1/voices/nobody/settings')).status).toBe(404);
  });

  it('gets the voice of the model itself', async () => {
    expect(await get('/v1/voices/default')).toMatchObject({ status: 200, body: { voice_id: 'default' } });
  });

  it('finds voices by page, category and name', async () => {
    const ids = async (query: string) => {
      const { body } = await get(`/v2/voices${query}`);
      const voices = body.voices as readonly { readonly voice_id: string }[];
      return { ...body, voices: voices.map(({ voice_id }) => voice_id) };
    };
    const all = ['default', ...presets];
    expect(await ids('')).toEqual({ voices: all, has_more: false, total_count: all.length, next_page_token: null });
    expect(await ids('?page_size=4')).toMatchObject({ voices: all.slice(0, 4), has_more: true, next_page_token: '4' });
    expect(await ids('?page_size=4&next_page_token=8')).toMatchObject({ voices: all.slice(8), has_more: false });
    expect(await ids('?category=cloned')).toMatchObject({ voices: [], total_count: 0 });
    expect(await ids('?voice_ids=iris&voice_ids=alma')).toMatchObject({ voices: ['alma', 'iris'] });
    expect(await ids('?voice_ids=iris')).toMatchObject({ voices: ['iris'] });
    expect((await get('/v2/voices?next_page_token=x')).status).toBe(422);
  });

  it('lists the languages of a model', async () => {
    const models = (await get('/v1/models')).body as unknown as readonly object[];
    expect(models).toEqual([
      expect.objectContaining({
        model_id: 'fake',
        languages: Object.entries({ zh: 'Chinese', en: 'English' }).map(([language_id, name]) => ({
          language_id,
          name,
        })),
      }),
    ]);
  });

  it('gets the detail of errors as an object, also at unknown addresses', async () => {
    for (const [path, code] of Object.entries({ nothing: 'not_found', 'voices/nobody': 'voice_not_found' })) {
      expect((await get(`/v1/${path}`)).body.detail).toEqual({ status: code, message: expect.any(String) });
    }
    expect(await statusAndJson(server.remove('/v1/user', { headers }))).toMatchObject([
      405,
      { detail: { status: 'method_not_allowed', message: expect.any(String) } },
    ]);
    const other = await server.fetch('/v1/nothing');
    expect(((await other.json()) as { detail: unknown }).detail).toEqual(expect.any(String));
  });
});

describe('text-to-dialogue', () => {
  const inputs = [
    { text: 'hello', voice_id: 'default' },
    { text: 'again', voice_id: 'coral' },
  ];
  const speak = (path: string, body: object) =>
    server.post(`/v1/text-to-dialogue${path}?output_format=pcm_16000`, body, { headers });

  it('speaks turns like the public API, complete or as a stream', async () => {
    const body = { inputs, seed: 7, model_id: 'eleven_v3' };
    const turns = inputs.map(({ text, voice_id: voice }) => ({ text, voice }));
    const pcm = { response_format: 'pcm', sample_rate: 16_000, voice: 'default' };
    const expected = await server.hear({ input: turns, seed: 7, ...pcm });
    expect(expected.length).toBeGreaterThan(0);
    for (const path of ['', '/stream']) {
      const response = await speak(path, body);
      const length = path === '' ? String(expected.length) : null;
      expect([response.status, response.headers.get('Content-Length')]).toEqual([200, length]);
      expect((await bytesOf(response)).equals(expected)).toBe(true);
    }
  });

  it('warns of what has no effect, and refuses what is wrong', async () => {
    const warned = await read(speak('', { inputs, settings: { stability: 0.3 }, future_text: 'more', spede: 1 }));
    expect(warned.headers.get('Warning')).toContain(
      'VoxCPM has no settings.stability or future_text; they are ignored',
    );
    expect(warned.headers.get('Warning')).toContain('unknown field \\"spede\\" is ignored');
    for (const [wrong, status] of [
      [[], 422],
      [[{ text: 'hello' }], 422],
      [[{ text: 'hello', voice_id: 'nobody' }], 404],
    ] as const) {
      await expectError(speak('', { inputs: wrong }), status, { message: expect.any(String) });
    }
  });
});
