/** Aliases and the default voice of a server. */
import { copyFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { presets } from '../presets.ts';
import { bytesOf, errorOf, type StartOptions, startServer, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();
/** Voices of different lengths, by which the backend distinguishes them. */
const patchesOf = { anna: 40, ben: 80 } as const;

async function addVoices(): Promise<void> {
  for (const [id, patches] of Object.entries(patchesOf)) {
    const voice = { id, text: 'what they say', audio: wavOf(patches / 4_000) };
    expect((await server.send('/v1/voices', voice)).status).toBe(201);
  }
}

/** Stores voices in a first server, as the names are checked when the second one starts. */
async function start(settings: NonNullable<StartOptions['settings']>, rest: StartOptions = {}): Promise<void> {
  let closeFirst: (() => Promise<void>) | undefined;
  await server.start({
    ...rest,
    settings,
    voiceFiles: async (folder) => {
      await server.start();
      await addVoices();
      await server.store.close();
      await copyFile(`${server.folder}/voices.sqlite`, `${folder}/voices.sqlite`);
      closeFirst = server.close;
    },
  });
  await closeFirst?.().catch(() => undefined);
}

/** Patches of prompt audio that a request was spoken with. */
async function receive(response: Promise<Response>): Promise<number | undefined> {
  await bytesOf(response);
  return server.backend.audio.at(-1);
}

describe('--voice-alias', () => {
  const aliases = new Map(Object.entries({ alloy: 'anna', af_heart: 'ben', plain: 'default' }));

  it('works on every endpoint, and in scripts', async () => {
    await start({ voiceAliases: aliases });
    const pcm = { input: 'hello', response_format: 'pcm' };
    expect(await receive(server.speak({ ...pcm, voice: 'alloy' }))).toBe(40);
    expect(await receive(server.speak({ ...pcm, voice: { id: 'af_heart' } }))).toBe(80);
    expect(await receive(server.speak({ ...pcm, voice: 'plain' }))).toBe(0);
    expect(await receive(server.fetch('/tts?input=hello&voice=alloy'))).toBe(40);
    const plain = { input: 'hello', voice: 'af_heart' };
    expect(await receive(server.post('/v1/audio/speech/stream', plain))).toBe(80);
    const captioned = { ...plain, stream: false };
    expect(await receive(server.post('/dev/captioned_speech', captioned))).toBe(80);
    const script = { ...pcm, input: '[voice:af_heart] hello', input_format: 'script' };
    expect(await receive(server.speak(script))).toBe(80);
    const available = 'default, af_heart, alloy, anna, ben, plain, alma, bruno, …; see GET /v1/voices';
    const message = `unknown voice "aloy" (available: ${available}); did you mean "alloy"?`;
    await expectError(server.speak({ ...pcm, voice: 'aloy' }), 404, message);
  });

  it('is listed, shown and not removed', async () => {
    await start({ voiceAliases: aliases });
    const { data } = await server.json('/v1/voices');
    expect((data as Record<string, unknown>[]).map(({ id, alias_of }) => [id, alias_of])).toEqual([
      ['anna', null],
      ['ben', null],
      ...presets.map((id) => [id, null]),
      ['alloy', 'anna'],
      ['af_heart', 'ben'],
      ['plain', 'default'],
    ]);
    expect(await server.json('/voices')).toMatchObject({ count: 5 + presets.length });
    const { duration_seconds, has_recording } = await server.json('/v1/voices/anna');
    const alloy = { id: 'alloy', alias_of: 'anna', duration_seconds, has_recording };
    expect(await server.json('/v1/voices/alloy')).toMatchObject(alloy);
    expect(await server.json('/v1/voices/plain')).toMatchObject({ prompt_text: null, roles: [], has_recording: false });
    const remove = (id: string) => errorOf(server.remove(`/v1/voices/${id}`));
    expect(await remove('alloy')).toMatchObject({ message: 'cannot remove "alloy": it is an alias of "anna"' });
    expect((await remove('anna')).message).toBe('cannot remove voice "anna": "alloy" is an alias of it');
  });

  it('is a name that is taken', async () => {
    await start({ voiceAliases: aliases });
    const voice = { id: 'alloy', text: 'text', audio: wavOf() };
    await expectError(server.send('/v1/voices', voice), 409, { code: 'voice_exists' });
  });

  it.each([
    [
      { alloy: 'nobody' },
      /^--voice-alias alloy=nobody: unknown voice "nobody" \(available: default, alma, bruno, celia, dylan, emil, flora, george, …; see 'svc voices list'\)/,
    ],
    [{ alloy: 'nova', b: 'alloy2' }, /^--voice-alias b=alloy2: unknown voice/],
    [{ alma: 'default' }, /^--voice-alias alma=default: "alma" is the name of a voice$/],
  ])('is checked at the start: %j', async (given, message) => {
    const voiceAliases = new Map(Object.entries(given));
    await expect(startServer({ settings: { voiceAliases } })).rejects.toThrow(message);
  });
});

describe('--default-voice', () => {
  it('speaks for requests without a voice of their own', async () => {
    await start({ defaultVoice: 'anna', voiceAliases: new Map([['nova', 'ben']]) });
    const patches = (voice?: string): Promise<number | undefined> =>
      receive(server.speak({ input: 'hello', response_format: 'pcm', voice }));
    for (const voice of [undefined, '', 'default', 'alloy', 'shimmer', 'anna']) expect(await patches(voice)).toBe(40);
    for (const voice of ['nova', 'ben']) expect(await patches(voice)).toBe(80);
    expect(await receive(server.fetch('/tts?input=hello'))).toBe(40);
    const message = 'cannot remove voice "anna": it is the default voice of this server';
    await expectError(server.remove('/v1/voices/anna'), 403, message);
  });

  it('is checked at the start', async () => {
    await expect(startServer({ settings: { defaultVoice: 'nobody' } })).rejects.toMatchObject({
      code: 'VOICE_NOT_FOUND',
      message: expect.stringMatching(/^--default-voice nobody: unknown voice "nobody"/),
    });
  });
});
