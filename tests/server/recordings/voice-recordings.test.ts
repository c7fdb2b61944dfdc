/** Voices without transcripts, and the recordings of voices. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { errorOf, post, type StartOptions, startServer, type TestServer } from '../start-server.ts';

let server: TestServer;
const start = async (options: StartOptions = {}): Promise<void> => {
  server = await startServer(options);
};
afterEach(() => server.close());

const samples = Float32Array.from(
  { length: 1_600 },
  (_, index) => Math.round(2 ** 14 * Math.sin(index / 10)) / 2 ** 15,
);
const wav = new Uint8Array(encodeWav(samples, 16_000));

function send(fields: Readonly<Record<string, string>>): Promise<Response> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  data.set('audio', new Blob([wav]));
  return fetch(`${server.url}/v1/voices`, { method: 'POST', body: data });
}

const voxcpm2: StartOptions = { backend: { info: { architecture: 'voxcpm2', inputPatchSamples: 640 } } };

describe('POST /v1/voices without a transcript', () => {
  it.each([{}, { text: '' }, { text: '  ' }])('stores the timbre with VoxCPM 2: %j', async (fields) => {
    await start(voxcpm2);
    const added = await send({ id: 'anna', ...fields });
    expect([added.status, await added.json()]).toMatchObject([
      201,
      { id: 'anna', prompt_text: null, roles: ['reference'] },
    ]);
    const spoken = await server.speak({ input: 'hello', voice: 'anna', response_format: 'pcm' });
    await spoken.arrayBuffer();
    expect(spoken.status).toBe(200);
    expect([...(server.backend.prefixes[0]?.audioMask ?? [])].filter((isAudio) => isAudio === 1)).toHaveLength(3);
    expect(server.backend.texts).toEqual(['hello']);
  });

  it('stores the timbre of a file on the server', async () => {
    await start({
      ...voxcpm2,
      voiceFiles: async (folder) => (await import('node:fs/promises')).writeFile(join(folder, 'a.wav'), wav),
    });
    const added = await post(`${server.url}/v1/voices`, { voice_name: 'anna', prompt_wav_path: 'a.wav' });
    expect([added.status, await added.json()]).toMatchObject([201, { roles: ['reference'] }]);
  });

  it('is refused by VoxCPM 1, before the recording is decoded', async () => {
    await start();
    const none = await send({ id: 'anna' });
    expect([none.status, await errorOf(none)]).toMatchObject([
      400,
      { message: expect.stringMatching(/^text is required: .*--check-with/), param: 'text' },
    ]);
    const empty = await send({ id: 'anna', text: ' ' });
    expect((await errorOf(empty)).message).toMatch(/^text must not be empty: .*--check-with/);
    expect(await server.store.list()).toEqual([]);
  });

  it('is transcribed with a recognizer', async () => {
    await start({ recognize: async () => 'what was heard' });
    expect(await (await send({ id: 'anna' })).json()).toMatchObject({
      prompt_text: 'what was heard',
      roles: ['prompt'],
    });
  });
});

describe('GET /v1/voices/{id}/audio', () => {
  it('is the stored recording, with its length and name', async () => {
    await start();
    expect((await send({ id: '声音.v2', text: 'text' })).status).toBe(201);
    const response = await fetch(`${server.url}/v1/voices/${encodeURIComponent('声音.v2')}/audio`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(wav.length),
      'content-disposition': `attachment; filename="??.v2.wav"; filename*=UTF-8''${encodeURIComponent('声音.v2.wav')}`,
      'cache-control': 'private, no-cache',
    });
    expect(decodeWav(bytes)).toEqual({ samples, sampleRate: 16_000, channels: 1 });
  });

  it('is that of a voice that comes with the server, and of an alias', async () => {
    await start({
      settings: {
        voiceAliases: new Map([
          ['alloy', 'alma'],
          ['plain', 'default'],
        ]),
      },
    });
    const file = decodeWav(await readFile(join(import.meta.dirname, '../../../models/voices/alma.wav')));
    for (const id of ['alma', 'alloy']) {
      const response = await fetch(`${server.url}/v1/voices/${id}/audio`);
      expect(decodeWav(new Uint8Array(await response.arrayBuffer()))).toEqual(file);
    }
    const none = await fetch(`${server.url}/v1/voices/plain/audio`);
    expect([none.status, await errorOf(none)]).toMatchObject([404, { message: 'voice "plain" has no recording' }]);
    const unknown = await fetch(`${server.url}/v1/voices/nobody/audio`);
    expect([unknown.status, (await errorOf(unknown)).param]).toEqual([404, 'id']);
  });

  it('is not there if it was not kept', async () => {
    await start();
    const recording = { samples, sampleRate: 16_000, channels: 1 };
    const voice = { id: 'anna', text: 'text', roles: ['prompt' as const], recording, encodings: [] };
    await server.store.put({ ...voice, keepRecording: 'discard' }, 'create');
    const refused = await fetch(`${server.url}/v1/voices/anna/audio`);
    expect([refused.status, await errorOf(refused)]).toMatchObject([404, { message: 'voice "anna" has no recording' }]);
    const shown = await (await fetch(`${server.url}/v1/voices/anna`)).json();
    expect(shown).toMatchObject({ has_recording: false });
  });

  it('requires a key, also where the lists are public', async () => {
    await start({ settings: { apiKey: 'secret', lists: 'public' } });
    expect((await fetch(`${server.url}/v1/voices`)).status).toBe(200);
    expect((await fetch(`${server.url}/v1/voices/alma/audio`)).status).toBe(401);
    const headers = { Authorization: 'Bearer secret' };
    expect((await fetch(`${server.url}/v1/voices/alma/audio`, { headers })).status).toBe(200);
  });
});

describe('long transcripts', () => {
  const long = 'a'.repeat(8193);

  it('are refused before they are read', async () => {
    await start();
    const refused = await send({ id: 'anna', text: long });
    expect([refused.status, await errorOf(refused)]).toMatchObject([
      400,
      {
        message: expect.stringMatching(/^text must be a string of at most 8192 characters, got "a+"…$/),
        param: 'text',
      },
    ]);
    for (const field of ['ref_text', 'prompt_text', 'instructions']) {
      const body = { input: 'hello', ref_audio: Buffer.from(wav).toString('base64'), [field]: long };
      const answer = await server.speak(body);
      expect([field, answer.status, await errorOf(answer)]).toMatchObject([field, 400, { param: field }]);
    }
  });
});
