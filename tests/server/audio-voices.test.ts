/** Voices by upload, as clients of OpenAI, vLLM-Omni and ElevenLabs add them. */
import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { errorOf, type StartOptions, startServer, type TestServer } from './start-server.ts';

let server: TestServer;

afterEach(() => server.close());

const start = async (options: StartOptions = {}, architecture: 'voxcpm' | 'voxcpm2' = 'voxcpm2'): Promise<void> => {
  server = await startServer({ ...options, backend: { stopAt: 4, info: { architecture } } });
};

const wav = new Uint8Array(encodeWav(new Float32Array(160).fill(0.1), 16_000));
const other = new Uint8Array(encodeWav(new Float32Array(320).fill(0.1), 16_000));

type Fields = Readonly<Record<string, string | readonly Uint8Array<ArrayBuffer>[]>>;

const post = (path: string, fields: Fields): Promise<Response> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') body.set(name, value);
    else for (const bytes of value) body.append(name, new Blob([bytes], { type: 'audio/wav' }), 'recording.wav');
  }
  return fetch(`${server.url}${path}`, { method: 'POST', body });
};

const json = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Readonly<Record<string, unknown>>;
const get = (path: string) => json(fetch(`${server.url}${path}`));

const speaks = async (voice: string): Promise<number> => {
  const response = await server.speak({ input: 'hello', voice, response_format: 'pcm' });
  await response.arrayBuffer();
  return response.status;
};

describe('POST /v1/audio/voices', () => {
  it('adds a voice with the transcript and consent of vLLM-Omni, which are listed and logged', async () => {
    await start();
    const added = await post('/v1/audio/voices', {
      audio_sample: [wav],
      consent: 'cons_1',
      name: 'anna',
      ref_text: 'what anna says',
      speaker_description: 'warm',
    });
    expect([added.status, await json(added)]).toEqual([
      200,
      expect.objectContaining({
        success: true,
        voice: {
          name: 'anna',
          consent: 'cons_1',
          created_at: expect.any(Number),
          mime_type: 'audio/wav',
          file_size: wav.length,
          ref_text: 'what anna says',
        },
      }),
    ]);
    expect(added.headers.get('Warning') ?? '').not.toContain('unknown');
    expect(await speaks('anna')).toBe(200);
    expect(await get('/v1/audio/voices')).toMatchObject({
      uploaded_voices: [{ name: 'anna', created_at: expect.any(Number), ref_text: 'what anna says' }],
    });
    expect(
      server.log.filter((line) => line.includes('"consent":"cons_1"') && line.includes('"voice":"anna"')),
    ).toHaveLength(1);
    const deleted = await fetch(`${server.url}/v1/audio/voices/anna`, { method: 'DELETE' });
    expect([deleted.status, await json(deleted)]).toEqual([
      200,
      { id: 'anna', object: 'audio.voice', deleted: true, success: true, message: "Voice 'anna' deleted successfully" },
    ]);
    expect((await fetch(`${server.url}/v1/audio/voices/anna`)).status).toBe(404);
  });

  it('serves a raw client of OpenAI, also for names that ids cannot be', async () => {
    await start();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const form = new FormData();
    form.set('name', "Anna's voice");
    form.set('consent', 'cons_1');
    form.set('audio_sample', await toFile(wav, 'sample.wav', { type: 'audio/wav' }));
    const added = await client.post<Record<string, unknown>>('/audio/voices', { body: form });
    const described = { id: 'Anna-s-voice', object: 'audio.voice', name: 'Anna-s-voice', type: 'audio_sample' };
    expect(added).toMatchObject({ ...described, created_at: expect.any(Number) });
    expect(added.warnings).toContainEqual(expect.stringContaining('the voice is called "Anna-s-voice"'));
    expect(await client.get('/audio/voices/Anna-s-voice')).toMatchObject(described);
    expect(await speaks('Anna-s-voice')).toBe(200);
    // Without a transcript, VoxCPM 2 takes the timbre.
    expect(await get('/v1/voices/Anna-s-voice')).toMatchObject({ roles: ['reference'] });
  });

  it.each([
    [{ audio_sample: [wav] }, 400, 'name is required'],
    [{ audio_sample: [wav], name: '???' }, 400, /^a voice name must be/],
    [{ audio_sample: [wav], name: 'default' }, 400, /^a voice cannot be named "default"/],
    [{ name: 'anna' }, 400, 'audio_sample is required: upload a recording'],
    [{ name: 'anna', type: 'prompt', audio_sample: [wav] }, 400, /^voices are cloned from recordings/],
    [{ name: 'anna', audio_sample: [wav, wav] }, 400, /unexpected file "audio_sample"/],
    [{ name: 'anna', audio_sample: [wav], audio: [wav] }, 400, 'send one recording, in audio_sample or audio'],
    [{ name: 'taken', audio_sample: [wav] }, 409, /^voice "taken" already exists/],
  ] as const)('refuses %j', async (fields, status, message) => {
    await start();
    await post('/v1/audio/voices', { name: 'taken', audio_sample: [wav] });
    const refused = await post('/v1/audio/voices', fields);
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    const error = await errorOf(refused);
    expect([refused.status, error.message]).toEqual([status, expected]);
    expect(error.code).toBe(status === 409 ? 'voice_exists' : 'bad_request');
  });

  it('replaces a voice on demand', async () => {
    await start();
    await post('/v1/audio/voices', { name: 'anna', audio_sample: [wav], ref_text: 'first' });
    const replaced = await post('/v1/audio/voices', {
      name: 'anna',
      audio_sample: [other],
      text: 'second',
      replace: 'true',
    });
    expect(replaced.status).toBe(200);
    expect(await get('/v1/voices/anna')).toMatchObject({ prompt_text: 'second', duration_seconds: 0.02 });
  });

  it('needs a transcript for VoxCPM 1, or a recognizer', async () => {
    await start({}, 'voxcpm');
    const refused = await post('/v1/audio/voices', { name: 'anna', audio_sample: [wav] });
    expect([refused.status, (await errorOf(refused)).message]).toEqual([
      400,
      'ref_text is required: give the transcript of the recording, or start svc with --check-with, which transcribes it',
    ]);
    await server.close();
    await start({ recognize: async () => 'heard' }, 'voxcpm');
    expect((await post('/v1/audio/voices', { name: 'anna', audio_sample: [wav] })).status).toBe(200);
    expect(await get('/v1/voices/anna')).toMatchObject({ prompt_text: 'heard' });
  });
});

describe('voices of ElevenLabs', () => {
  it('are added by instant voice cloning from the first file, and never replace another', async () => {
    await start();
    const fields = { name: 'Anna B', files: [wav, other], description: 'warm', labels: '{"accent":"none"}' };
    const added = await post('/v1/voices/add', fields);
    expect([added.status, await json(added)]).toEqual([200, { voice_id: 'Anna-B', requires_verification: false }]);
    expect(added.headers.get('Warning')).toContain('only the first of 2 files is used');
    expect(await json(post('/v1/voices/add', fields))).toMatchObject({ voice_id: 'Anna-B-2' });
    expect(await get('/v1/voices/Anna-B')).toMatchObject({ duration_seconds: 0.01 });
    expect(await speaks('Anna-B')).toBe(200);
  });

  it('get a number each when one name is added many times at once', async () => {
    await start();
    const adding = Array.from({ length: 8 }, () => post('/v1/voices/add', { name: 'anna', files: [wav] }));
    const added = await Promise.all(adding);
    expect(added.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const ids = (await Promise.all(added.map(json))).map((body) => (body as { readonly voice_id: string }).voice_id);
    expect(ids.sort()).toEqual(['anna', ...[2, 3, 4, 5, 6, 7, 8].map((number) => `anna-${number}`)]);
  });

  it('have no transcript that a store would cut', async () => {
    await start();
    const refused = await post('/v1/voices/add', { name: 'anna', files: [wav], text: 'a\0b' });
    expect([refused.status, (await errorOf(refused)).message]).toEqual([
      422,
      expect.stringContaining('text must be text without NUL characters'),
    ]);
  });

  it('are edited: their recording, not their name', async () => {
    await start();
    await post('/v1/voices/add', { name: 'anna', files: [wav] });
    const edit = (fields: Fields) => post('/v1/voices/anna/edit', fields);
    expect(await json(edit({ name: 'anna', files: [other], remove_background_noise: 'false' }))).toEqual({
      status: 'ok',
    });
    expect(await get('/v1/voices/anna')).toMatchObject({ duration_seconds: 0.02 });
    expect(await json(edit({ name: 'anna', description: 'warm' }))).toEqual({ status: 'ok' });
    const renamed = await edit({ name: 'ben' });
    expect([renamed.status, (await errorOf(renamed)).message]).toEqual([
      400,
      'a voice keeps its name: name must be "anna", or left out',
    ]);
    expect((await post('/v1/voices/alma/edit', { name: 'alma', files: [wav] })).status).toBe(403);
    expect((await post('/v1/voices/nobody/edit', { name: 'nobody', files: [wav] })).status).toBe(404);
    const deleted = await fetch(`${server.url}/v1/voices/anna`, { method: 'DELETE' });
    expect(await json(deleted)).toEqual({ id: 'anna', deleted: true, status: 'ok' });
  });
});

it('POST /v1/voices takes name for id', async () => {
  await start();
  const added = await post('/v1/voices', { name: 'anna', text: 'a', audio: [wav] });
  expect([added.status, await json(added)]).toEqual([201, expect.objectContaining({ id: 'anna' })]);
});
