/** Voices without transcripts, and the recordings of voices. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { bearer, bytesOf, statusAndJson } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

const server = freshServer();
const two = freshServer({ backend: { info: { architecture: 'voxcpm2', inputPatchSamples: 640 } } });
const samples = Float32Array.from(
  { length: 1_600 },
  (_, index) => Math.round(2 ** 14 * Math.sin(index / 10)) / 2 ** 15,
);
const wav = encodeWav(samples, 16_000);
const send = (fields: Readonly<Record<string, string>>, to = server): Promise<Response> =>
  to.send('/v1/voices', { ...fields, audio: wav });

describe('POST /v1/voices without a transcript', () => {
  it.each([{}, { text: '' }, { text: '  ' }])('stores the timbre with VoxCPM 2: %j', async (fields) => {
    expect(await statusAndJson(send({ id: 'anna', ...fields }, two))).toMatchObject([
      201,
      { id: 'anna', prompt_text: null, roles: ['reference'] },
    ]);
    await two.hear({ input: 'hello', voice: 'anna', response_format: 'pcm' });
    expect([two.backend.audio, two.backend.texts]).toEqual([[3], ['hello']]);
  });

  it('stores the timbre of a file on the server', async () => {
    await two.start({ voiceFiles: (folder) => writeFile(join(folder, 'a.wav'), wav) });
    const added = two.post('/v1/voices', { voice_name: 'anna', prompt_wav_path: 'a.wav' });
    expect(await statusAndJson(added)).toMatchObject([201, { roles: ['reference'] }]);
  });

  it('is refused by VoxCPM 1, before the recording is decoded', async () => {
    const needed = { message: /^text is required: .*--check-with/, param: 'text' };
    await expectError(send({ id: 'anna' }), 400, needed);
    await expectError(send({ id: 'anna', text: ' ' }), 400, /^text must not be empty: .*--check-with/);
    expect(await server.store.list()).toEqual([]);
  });
});

describe('GET /v1/voices/{id}/audio', () => {
  it('is the stored recording, with its length and name', async () => {
    expect((await send({ id: '声音.v2', text: 'text' })).status).toBe(201);
    const response = await server.fetch(`/v1/voices/${encodeURIComponent('声音.v2')}/audio`);
    const bytes = await bytesOf(response);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(wav.length),
      'content-disposition': `attachment; filename="??.v2.wav"; filename*=UTF-8''${encodeURIComponent('声音.v2.wav')}`,
      'cache-control': 'private, no-cache',
    });
    expect(decodeWav(bytes)).toEqual({ samples, sampleRate: 16_000, channels: 1 });
  });

  it('is that of a voice that comes with the server, and of an alias', async () => {
    const aliases = { alloy: 'alma', plain: 'default' };
    await server.start({ settings: { voiceAliases: new Map(Object.entries(aliases)) } });
    const file = decodeWav(await readFile(join(import.meta.dirname, '../../../models/voices/alma.wav')));
    for (const id of ['alma', 'alloy']) {
      expect(decodeWav(await bytesOf(server.fetch(`/v1/voices/${id}/audio`)))).toEqual(file);
    }
    await expectError(server.fetch('/v1/voices/plain/audio'), 404, 'voice "plain" has no recording');
    await expectError(server.fetch('/v1/voices/nobody/audio'), 404, { param: 'id' });
  });

  it('is not there if it was not kept', async () => {
    await server.start();
    const recording = { samples, sampleRate: 16_000, channels: 1 };
    const voice = { id: 'anna', text: 'text', roles: ['prompt' as const], recording, encodings: [] };
    await server.store.put({ ...voice, keepRecording: 'discard' }, 'create');
    await expectError(server.fetch('/v1/voices/anna/audio'), 404, 'voice "anna" has no recording');
    expect(await server.json('/v1/voices/anna')).toMatchObject({ has_recording: false });
  });

  it('requires a key, also where the lists are public', async () => {
    await server.start({ settings: { apiKey: 'secret', lists: 'public' } });
    expect((await server.fetch('/v1/voices')).status).toBe(200);
    expect((await server.fetch('/v1/voices/alma/audio')).status).toBe(401);
    expect((await server.fetch('/v1/voices/alma/audio', bearer('secret'))).status).toBe(200);
  });
});

describe('long transcripts', () => {
  const long = 'a'.repeat(8193);

  it('are refused before they are read', async () => {
    const message = /^text must be a string of at most 8192 characters, got "a+"…$/;
    await expectError(send({ id: 'anna', text: long }), 400, { message, param: 'text' });
    for (const field of ['ref_text', 'prompt_text', 'instructions']) {
      const body = { input: 'hello', ref_audio: Buffer.from(wav).toString('base64'), [field]: long };
      await expectError(server.speak(body), 400, { param: field });
    }
  });
});
