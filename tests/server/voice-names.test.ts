/** Aliases and the default voice of a server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { presets } from '../presets.ts';
import { errorOf, post, type StartOptions, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
afterEach(() => server.close());

/** Voices of different lengths, by which the backend distinguishes them. */
const patchesOf = { anna: 40, ben: 80 } as const;

async function addVoices(): Promise<void> {
  for (const [id, patches] of Object.entries(patchesOf)) {
    const data = new FormData();
    data.set('id', id);
    data.set('text', 'what they say');
    data.set('audio', new Blob([new Uint8Array(encodeWav(new Float32Array(patches * 4).fill(0.1), 16_000))]));
    expect((await fetch(`${server.url}/v1/voices`, { method: 'POST', body: data })).status).toBe(201);
  }
}

/** Stores voices in a first server, as the names are checked when the second one starts. */
async function start(settings: NonNullable<StartOptions['settings']>, rest: StartOptions = {}): Promise<void> {
  let closeFirst: (() => Promise<void>) | undefined;
  server = await startServer({
    ...rest,
    settings,
    voiceFiles: async (folder) => {
      server = await startServer();
      await addVoices();
      const { copyFile } = await import('node:fs/promises');
      await server.store.close();
      await copyFile(`${server.folder}/voices.sqlite`, `${folder}/voices.sqlite`);
      closeFirst = server.close;
    },
  });
  await closeFirst?.().catch(() => undefined);
}

/** Patches of prompt audio that a request was spoken with, and its seed. */
async function receive(response: Response): Promise<{ readonly patches: number; readonly warning: string | null }> {
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  const mask = server.backend.prefixes.at(-1)?.audioMask ?? [];
  return { patches: [...mask].filter((isAudio) => isAudio === 1).length, warning: response.headers.get('warning') };
}

const json = async (path: string) => (await (await fetch(`${server.url}${path}`)).json()) as Record<string, unknown>;

describe('--voice-alias', () => {
  const aliases = new Map([
    ['alloy', 'anna'],
    ['af_heart', 'ben'],
    ['plain', 'default'],
  ]);

  it('works on every endpoint, and in scripts', async () => {
    await start({ voiceAliases: aliases });
    const pcm = { input: 'hello', response_format: 'pcm' };
    expect(await receive(await server.speak({ ...pcm, voice: 'alloy' }))).toMatchObject({ patches: 40 });
    expect(await receive(await server.speak({ ...pcm, voice: { id: 'af_heart' } }))).toMatchObject({ patches: 80 });
    expect(await receive(await server.speak({ ...pcm, voice: 'plain' }))).toMatchObject({ patches: 0 });
    expect(await receive(await fetch(`${server.url}/tts?input=hello&voice=alloy`))).toMatchObject({ patches: 40 });
    const stream = `${server.url}/v1/audio/speech/stream`;
    expect(await receive(await post(stream, { input: 'hello', voice: 'af_heart' }))).toMatchObject({ patches: 80 });
    const captioned = { input: 'hello', voice: 'af_heart', stream: false };
    expect(await receive(await post(`${server.url}/dev/captioned_speech`, captioned))).toMatchObject({ patches: 80 });
    const script = { ...pcm, input: '[voice:af_heart] hello', input_format: 'script' };
    expect(await receive(await server.speak(script))).toMatchObject({ patches: 80 });
    const unknown = await server.speak({ ...pcm, voice: 'aloy' });
    expect((await errorOf(unknown)).message).toBe(
      'unknown voice "aloy" (available: default, af_heart, alloy, anna, ben, plain, alma, bruno, …; see GET /v1/voices); did you mean "alloy"?',
    );
  });

  it('is listed, shown and not removed', async () => {
    await start({ voiceAliases: aliases });
    const { data } = await json('/v1/voices');
    expect((data as Record<string, unknown>[]).map(({ id, alias_of }) => [id, alias_of])).toEqual([
      ['anna', null],
      ['ben', null],
      ...presets.map((id) => [id, null]),
      ['alloy', 'anna'],
      ['af_heart', 'ben'],
      ['plain', 'default'],
    ]);
    expect(await json('/voices')).toMatchObject({ count: 5 + presets.length });
    const { duration_seconds, has_recording } = await json('/v1/voices/anna');
    expect(await json('/v1/voices/alloy')).toMatchObject({
      id: 'alloy',
      alias_of: 'anna',
      duration_seconds,
      has_recording,
    });
    expect(await json('/v1/voices/plain')).toMatchObject({ prompt_text: null, roles: [], has_recording: false });
    const remove = async (id: string) => errorOf(await fetch(`${server.url}/v1/voices/${id}`, { method: 'DELETE' }));
    expect(await remove('alloy')).toMatchObject({ message: 'cannot remove "alloy": it is an alias of "anna"' });
    expect((await remove('anna')).message).toBe('cannot remove voice "anna": "alloy" is an alias of it');
  });

  it('is a name that is taken', async () => {
    await start({ voiceAliases: aliases });
    const data = new FormData();
    data.set('id', 'alloy');
    data.set('text', 'text');
    data.set('audio', new Blob([new Uint8Array(encodeWav(new Float32Array(160).fill(0.1), 16_000))]));
    const refused = await fetch(`${server.url}/v1/voices`, { method: 'POST', body: data });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([409, 'voice_exists']);
  });

  it.each([
    [
      new Map([['alloy', 'nobody']]),
      /^--voice-alias alloy=nobody: unknown voice "nobody" \(available: default, alma, bruno, celia, dylan, emil, flora, george, …; see 'svc voices list'\)/,
    ],
    [
      new Map([
        ['alloy', 'nova'],
        ['b', 'alloy2'],
      ]),
      /^--voice-alias b=alloy2: unknown voice/,
    ],
    [new Map([['alma', 'default']]), /^--voice-alias alma=default: "alma" is the name of a voice$/],
  ])('is checked at the start', async (voiceAliases, message) => {
    await expect(startServer({ settings: { voiceAliases } })).rejects.toThrow(message);
    server = await startServer();
  });
});

describe('--default-voice', () => {
  it('speaks for requests without a voice of their own', async () => {
    await start({ defaultVoice: 'anna', voiceAliases: new Map([['nova', 'ben']]) });
    const patches = async (voice?: string): Promise<number> =>
      (await receive(await server.speak({ input: 'hello', response_format: 'pcm', voice }))).patches;
    for (const voice of [undefined, '', 'default', 'alloy', 'shimmer', 'anna']) expect(await patches(voice)).toBe(40);
    for (const voice of ['nova', 'ben']) expect(await patches(voice)).toBe(80);
    expect((await receive(await fetch(`${server.url}/tts?input=hello`))).patches).toBe(40);
    const removed = await fetch(`${server.url}/v1/voices/anna`, { method: 'DELETE' });
    expect((await errorOf(removed)).message).toBe('cannot remove voice "anna": it is the default voice of this server');
  });

  it('is checked at the start', async () => {
    await expect(startServer({ settings: { defaultVoice: 'nobody' } })).rejects.toMatchObject({
      code: 'VOICE_NOT_FOUND',
      message: expect.stringMatching(/^--default-voice nobody: unknown voice "nobody"/),
    });
    server = await startServer();
  });
});
