/** Requests as Kokoro-FastAPI's page, README and tests send them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bytesOf, read, type StartOptions, startServer, wavOf } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

const recordings = { anna: 0.1, ben: 0.2 };

/** With the voices `anna` and `ben`. */
const server = freshServer(async (architecture: 'voxcpm' | 'voxcpm2' = 'voxcpm2', options: StartOptions = {}) => {
  const started = await startServer({
    ...options,
    backend: { firstLevel: 0.1, stopAt: 4, info: { architecture, inputPatchSamples: 640 }, ...options.backend },
    voiceFiles: async (folder) => {
      for (const [name, level] of Object.entries(recordings)) {
        await writeFile(join(folder, `${name}.wav`), wavOf(0.4, level));
      }
    },
  });
  for (const voice_name of Object.keys(recordings)) {
    const voice = { voice_name, prompt_wav_path: `${voice_name}.wav`, prompt_text: `by ${voice_name}.` };
    expect((await started.post('/v1/voices', voice)).status).toBe(201);
  }
  return started;
});

/** The texts that the model got, with those of prompts, and the positions of audio before each. */
async function heard(response: Response) {
  const bytes = await bytesOf(response);
  const texts = server.backend.texts.map((text) => text.replace(/\s/g, ''));
  return { bytes, texts, audio: server.backend.audio, warning: response.headers.get('Warning') };
}

const dialogue = (body: object) => server.post('/dev/dialogue', body);

describe('POST /dev/dialogue', () => {
  const turns = [
    { voice: 'anna', text: 'One.' },
    { voice: 'ben', text: 'Two.' },
  ];

  it('speaks turns in their voices, with pauses between them', async () => {
    const { texts, bytes } = await heard(await dialogue({ turns, response_format: 'wav', stream: false }));
    expect(texts).toEqual(['byanna.One.', 'byben.Two.']);
    const paused = { turns, pause_between_turns: 2, response_format: 'wav', stream: false };
    const { bytes: longer } = await heard(await dialogue(paused));
    // Instead of the pause between speakers.
    const seconds = (longer.length - bytes.length) / 2 / 16_000;
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThanOrEqual(2);
  });

  it('takes the names of ElevenLabs, aliases and tags', async () => {
    const inputs = [{ voice_id: 'Narrator', text: 'One. [voice:villain] Two.' }];
    const voice_aliases = { narrator: 'anna', villain: { voice: 'ben' } };
    const { texts, warning } = await heard(await dialogue({ inputs, voice_aliases }));
    expect(texts).toEqual(['byanna.One.', 'byben.Two.']);
    expect(warning).toBeNull();
  });

  it('is an MP3 file by default', async () => {
    expect((await read(dialogue({ turns }))).headers.get('Content-Type')).toBe('audio/mpeg');
  });
});

describe('tags', () => {
  const input = 'One. [voice:ben] Two.';

  it('switch the voice only on request', async () => {
    const { texts } = await heard(await server.speak({ input, voice: 'anna' }));
    expect(texts).toHaveLength(1);
    const { texts: tagged } = await heard(await server.speak({ input, voice: 'anna', allow_voice_tags: true }));
    expect(tagged.slice(1)).toEqual(['byanna.One.', 'byben.Two.']);
  });

  it('may name aliases, which alone change nothing of the text', async () => {
    const voice_aliases = { Hero: 'anna', foe: 'ben' };
    const body = { voice: 'hero', voice_aliases };
    const { texts } = await heard(await server.speak({ ...body, input: 'foe: One.' }));
    expect(texts).toEqual(['byanna.foeOne.']);
    const tagged = { ...body, input: 'One. [voice:FOE] Two.', allow_voice_tags: true };
    const { texts: all } = await heard(await server.speak(tagged));
    expect(all.slice(1)).toEqual(['byanna.One.', 'byben.Two.']);
  });

  it('have no pace of their own', async () => {
    const same = { hero: { voice: 'anna', rate: 1 } };
    await heard(await server.speak({ input, voice: 'hero', voice_aliases: same }));
  });

  it('are those of SSML with ssml', async () => {
    const ssml = '<speak>One. <voice name="ben">Two.</voice></speak>';
    const { texts } = await heard(
      await server.speak({ input: ssml, voice: 'anna', ssml: true, allow_voice_tags: true }),
    );
    expect(texts).toEqual(['byanna.One.', 'byben.Two.']);
    const plain = server.speak({ input, ssml: true, input_format: 'plain' });
    await expectError(plain, 400, 'ssml and the input_format "plain" cannot be combined');
  });
});

describe('volume_multiplier', () => {
  const samplesOf = async (volume_multiplier?: number | string) => {
    const body = { input: 'hello', response_format: 'pcm', sample_rate: 16_000, seed: 1, volume_multiplier };
    const { bytes } = await heard(await server.speak(body));
    return new Int16Array(Uint8Array.from(bytes).buffer);
  };

  it('scales the speech, and clips it', async () => {
    await server.start('voxcpm', { backend: { loudness: () => 0.1 } });
    const usual = await samplesOf();
    const half = await samplesOf(0.5);
    expect(half).toHaveLength(usual.length);
    for (const [index, sample] of usual.entries()) expect(Math.abs((half[index] ?? 0) - sample / 2)).toBeLessThan(2);
    expect(Math.max(...usual)).toBeGreaterThan(10_000);
    expect(Math.max(...(await samplesOf('10')))).toBe(32_767);
    expect(new Set(await samplesOf(0))).toEqual(new Set([0]));
    const negative = server.speak({ input: 'hello', volume_multiplier: -1 });
    await expectError(negative, 400, 'volume_multiplier must be a number from 0 to 10, got -1');
  });
});

describe('a mix of voices', () => {
  const speak = (voice: string, fields: object = {}) => server.speak({ input: 'hello', voice, ...fields });

  it('is a reference of all of them with VoxCPM 2', async () => {
    const { audio, texts } = await heard(await speak('anna(2)+ben'));
    // Ten patches each: ten of the one, five of the other.
    const [one] = audio;
    expect(texts).toEqual(['hello']);
    await heard(await speak('anna', { voice_mode: 'reference' }));
    const [, alone] = server.backend.audio;
    expect(one).toBe((alone ?? 0) * 1.5);
    const calm = await heard(await speak('anna+ben', { instructions: 'calm' }));
    expect(calm.texts.at(-1)).toBe('(calm)hello');
    expect(calm.warning).toBeNull();
  });

  it('may be the voice of a tag or an alias', async () => {
    const voice_aliases = { both: 'anna(2)+ben(1)' };
    const body = { input: '[voice:both] hello', voice: 'anna', voice_aliases, allow_voice_tags: true };
    const { texts } = await heard(await server.speak(body));
    expect(texts).toEqual(['hello']);
    const direct = { input: '[voice:anna(2)+ben] hello', voice: 'anna', allow_voice_tags: true };
    expect((await heard(await server.speak(direct))).audio).toHaveLength(2);
  });

  it.each([
    ['anna(2)+nobody', 404, 'unknown voice "nobody"'],
    ['anna+default', 400, 'voice "default" has no recording to mix: it is the voice of the model itself'],
    ['anna(2)-ben(1)', 400, 'a voice cannot be subtracted'],
  ])('is refused: %s', async (voice, status, message) => {
    await server.start();
    await expectError(speak(voice), status, { message: expect.stringContaining(message) });
    expect(server.backend.calls.filter(({ kind }) => kind === 'open')).toHaveLength(0);
  });

  it('needs VoxCPM 2, and a transcript of none', async () => {
    await server.start('voxcpm');
    const message = 'a mix of voices needs a VoxCPM 2 model; "fake" is not one';
    await expectError(speak('anna+ben'), 400, { message, param: 'voice' });
    await server.start();
    await expectError(
      speak('anna+ben', { voice_mode: 'high_similarity' }),
      400,
      'a mix of voices has no transcript, which voice_mode "high_similarity" needs',
    );
    const prompt = { prompt_wav_path: 'ben.wav', prompt_text: 'said.' };
    const combined = await heard(await speak('anna+ben', { voice_mode: 'reference_plus_prompt', ...prompt }));
    expect(combined.texts.at(-1)).toBe('said.hello');
    expect(combined.warning).toBeNull();
  });
});

it('GET /v1/audio/speech/voices, as in speaches lists voices by model', async () => {
  const list = (query = '') => server.json<readonly Record<string, unknown>[]>(`/v1/audio/speech/voices${query}`);
  const body = await list();
  expect(body.map(({ voice_id }) => voice_id).slice(0, 3)).toEqual(['default', 'anna', 'ben']);
  expect(body[1]).toEqual({
    id: 'fake/anna',
    object: 'voice',
    model_id: 'fake',
    voice_id: 'anna',
    created: expect.any(Number),
    owned_by: 'svc',
    sample_rate: 16_000,
  });
  expect(await list('?model_id=fake')).toEqual(body);
});
