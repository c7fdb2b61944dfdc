/** Voices by upload, as clients of OpenAI, vLLM-Omni and ElevenLabs add them. */
import { describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { type FormFields, statusAndJson, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer({ backend: { info: { architecture: 'voxcpm2' } } });

const [wav, other] = [wavOf(), wavOf(0.02)];
const speak = (voice: string): Promise<Buffer> => server.hear({ input: 'hello', voice, response_format: 'pcm' });

describe('POST /v1/audio/voices', () => {
  it('adds a voice with the transcript and consent of vLLM-Omni, which are listed and logged', async () => {
    const added = await server.send('/v1/audio/voices', {
      audio_sample: [wav],
      consent: 'cons_1',
      name: 'anna',
      ref_text: 'what anna says',
      speaker_description: 'warm',
    });
    expect([added.status, await added.json()]).toEqual([
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
    await speak('anna');
    expect(await server.json('/v1/audio/voices')).toMatchObject({
      uploaded_voices: [{ name: 'anna', created_at: expect.any(Number), ref_text: 'what anna says' }],
    });
    expect(server.logged('"consent":"cons_1"', '"voice":"anna"')).toHaveLength(1);
    expect(await statusAndJson(server.remove('/v1/audio/voices/anna'))).toEqual([
      200,
      { id: 'anna', object: 'audio.voice', deleted: true, success: true, message: "Voice 'anna' deleted successfully" },
    ]);
    expect((await server.fetch('/v1/audio/voices/anna')).status).toBe(404);
  });

  it('serves a raw client of OpenAI, also for names that ids cannot be', async () => {
    await server.start();
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
    await speak('Anna-s-voice');
    // Without a transcript, VoxCPM 2 takes the timbre.
    expect(await server.json('/v1/voices/Anna-s-voice')).toMatchObject({ roles: ['reference'] });
  });

  it.each([
    [{ audio_sample: [wav] }, 400, /^name is required$/],
    [{ audio_sample: [wav], name: '???' }, 400, /^a voice name must be/],
    [{ audio_sample: [wav], name: 'default' }, 400, /^a voice cannot be named "default"/],
    [{ name: 'anna' }, 400, /^audio_sample is required: upload a recording$/],
    [{ name: 'anna', type: 'prompt', audio_sample: [wav] }, 400, /^voices are cloned from recordings/],
    [{ name: 'anna', audio_sample: [wav, wav] }, 400, /unexpected file "audio_sample"/],
    [{ name: 'anna', audio_sample: [wav], audio: [wav] }, 400, /^send one recording, in audio_sample or audio$/],
    [{ name: 'taken', audio_sample: [wav] }, 409, /^voice "taken" already exists/],
  ] as const)('refuses %j', async (fields, status, message) => {
    await server.send('/v1/audio/voices', { name: 'taken', audio_sample: [wav] });
    const code = status === 409 ? 'voice_exists' : 'bad_request';
    await expectError(server.send('/v1/audio/voices', fields), status, { message, code });
  });

  it('replaces a voice on demand', async () => {
    await server.send('/v1/audio/voices', { name: 'anna', audio_sample: [wav], ref_text: 'first' });
    const fields = { name: 'anna', audio_sample: [other], text: 'second', replace: 'true' };
    expect((await server.send('/v1/audio/voices', fields)).status).toBe(200);
    expect(await server.json('/v1/voices/anna')).toMatchObject({ prompt_text: 'second', duration_seconds: 0.02 });
  });

  it('needs a transcript for VoxCPM 1, or a recognizer', async () => {
    const backend = { info: { architecture: 'voxcpm' } } as const;
    await server.start({ backend });
    await expectError(
      server.send('/v1/audio/voices', { name: 'anna', audio_sample: [wav] }),
      400,
      'ref_text is required: give the transcript of the recording, or start svc with --check-with, which transcribes it',
    );
    await server.start({ backend, recognize: async () => 'heard' });
    expect((await server.send('/v1/audio/voices', { name: 'anna', audio_sample: [wav] })).status).toBe(200);
    expect(await server.json('/v1/voices/anna')).toMatchObject({ prompt_text: 'heard' });
  });
});

describe('voices of ElevenLabs', () => {
  it('are added by instant voice cloning from the first file, and never replace another', async () => {
    const fields = { name: 'Anna B', files: [wav, other], description: 'warm', labels: '{"accent":"none"}' };
    const added = await server.send('/v1/voices/add', fields);
    expect([added.status, await added.json()]).toEqual([200, { voice_id: 'Anna-B', requires_verification: false }]);
    expect(added.headers.get('Warning')).toContain('only the first of 2 files is used');
    expect(await (await server.send('/v1/voices/add', fields)).json()).toMatchObject({ voice_id: 'Anna-B-2' });
    expect(await server.json('/v1/voices/Anna-B')).toMatchObject({ duration_seconds: 0.01 });
    await speak('Anna-B');
  });

  it('get a number each when one name is added many times at once', async () => {
    const add = () => statusAndJson(server.send('/v1/voices/add', { name: 'anna', files: [wav] }));
    const added = await Promise.all(Array.from({ length: 8 }, add));
    const ids = ['anna', ...[2, 3, 4, 5, 6, 7, 8].map((number) => `anna-${number}`)];
    const expected = ids.map((voice_id) => [200, { voice_id, requires_verification: false }]);
    expect(added).toEqual(expect.arrayContaining(expected));
  });

  it('have no transcript that a store would cut', async () => {
    const refused = await server.send('/v1/voices/add', { name: 'anna', files: [wav], text: 'a\0b' });
    await expectError(refused, 422, { message: expect.stringContaining('text must be text without NUL characters') });
  });

  it('are edited: their recording, not their name', async () => {
    await server.send('/v1/voices/add', { name: 'anna', files: [wav] });
    const edit = (fields: FormFields) => server.send('/v1/voices/anna/edit', fields);
    const edited = edit({ name: 'anna', files: [other], remove_background_noise: 'false' });
    expect(await (await edited).json()).toEqual({ status: 'ok' });
    expect(await server.json('/v1/voices/anna')).toMatchObject({ duration_seconds: 0.02 });
    expect(await (await edit({ name: 'anna', description: 'warm' })).json()).toEqual({ status: 'ok' });
    await expectError(edit({ name: 'ben' }), 400, 'a voice keeps its name: name must be "anna", or left out');
    expect((await server.send('/v1/voices/alma/edit', { name: 'alma', files: [wav] })).status).toBe(403);
    expect((await server.send('/v1/voices/nobody/edit', { name: 'nobody', files: [wav] })).status).toBe(404);
    expect(await (await server.remove('/v1/voices/anna')).json()).toEqual({ id: 'anna', deleted: true, status: 'ok' });
  });
});

it('POST /v1/voices takes name for id', async () => {
  const added = server.send('/v1/voices', { name: 'anna', text: 'a', audio: [wav] });
  expect(await statusAndJson(added)).toMatchObject([201, { id: 'anna' }]);
});
