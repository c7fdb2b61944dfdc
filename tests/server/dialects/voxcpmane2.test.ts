/** Requests as the client and the web page of VoxCPMANE 2 (`voxcpmane2` on PyPI) send them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { presets } from '../../presets.ts';
import { bytesOf, errorOf, statusAndJson, wavOf } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';

// Its recordings take few of its positions.
const info = { inputPatchSamples: 640 };
const earlier = { backend: { info: { ...info, architecture: 'voxcpm' } } } as const;
const server = freshServer({
  backend: { info: { ...info, architecture: 'voxcpm2' } },
  voiceFiles: async (folder) => {
    for (const name of ['reference.wav', 'prompt.wav']) await writeFile(join(folder, name), wavOf(0.1));
  },
});

/** Input of a model for a speech: its text with that of the prompt, and how many of its positions are audio. */
const spoken = async (fields: object) => {
  const response = await server.speak({ input: 'hello', ...fields });
  await bytesOf(response);
  return {
    text: server.backend.texts.at(-1),
    audio: server.backend.audio.at(-1),
    encoded: server.backend.calls.filter(({ kind }) => kind === 'encode').length,
    warning: response.headers.get('Warning'),
  };
};

describe('a request of VoxCPMANE 2', () => {
  it('takes the timbre of a recording, continues another, or both', async () => {
    const none = await spoken({ response_format: 'wav' });
    expect([none.audio, none.encoded]).toEqual([0, 0]);
    const reference = await spoken({ reference_wav_path: 'reference.wav' });
    expect([reference.encoded, reference.warning]).toEqual([1, null]);
    expect(reference.text).toBe(none.text);
    const prompt = { prompt_wav_path: 'prompt.wav', prompt_text: 'said' };
    const prompted = await spoken(prompt);
    expect(prompted.text).toContain('said');
    const both = await spoken({ reference_wav_path: 'reference.wav', ...prompt });
    expect(both.text).toContain('said');
    expect(both.audio).toBe((reference.audio ?? 0) + (prompted.audio ?? 0));
  });

  it('follows control_instruction as instructions', async () => {
    expect((await spoken({ control_instruction: 'calm' })).text).toBe((await spoken({ instructions: 'calm' })).text);
    expect((await spoken({ control_instruction: 'calm' })).text).toContain('calm');
    const refused = await server.speak({ input: 'hello', instructions: 'calm', control_instruction: 'loud' });
    expect((await errorOf(refused)).message).toBe('instructions and control_instruction cannot be combined');
  });

  it('uses a voice in the mode that it states', async () => {
    const add = { voice_name: 'kim', prompt_wav_path: 'prompt.wav', prompt_text: 'said' };
    expect((await server.post('/v1/voices', add)).status).toBe(201);
    for (const voice of ['kim', 'alma']) {
      const usual = await spoken({ voice, voice_mode: 'high-similarity' });
      expect(usual.text).not.toBe((await spoken({})).text);
      const reference = await spoken({ voice, voice_mode: 'reference', control_instruction: 'calm' });
      expect(reference.warning).toBeNull();
      expect(reference.text).toBe((await spoken({ control_instruction: 'calm' })).text);
      expect(reference.audio).toBeGreaterThan(0);
      const prompt = { prompt_wav_path: 'prompt.wav', prompt_text: 'said' };
      const both = await spoken({ voice, voice_mode: 'reference_plus_prompt', ...prompt });
      expect(both.text).toContain('said');
      expect(both.audio).toBeGreaterThan(reference.audio ?? 0);
    }
    // Each is encoded once.
    const before = server.backend.calls.filter(({ kind }) => kind === 'encode').length;
    expect((await spoken({ voice: 'kim', voice_mode: 'reference' })).encoded).toBe(before);
  });

  it.each([
    [{ voice: 'alma', reference_wav_path: 'reference.wav' }, /^voice and reference_wav_path cannot be combined/],
    [{ voice: 'alma', voice_mode: 'other' }, /^voice_mode must be one of reference, /],
    [{ voice: 'alma', voice_mode: 'reference_plus_prompt' }, /needs prompt_wav_path and prompt_text$/],
    [{ reference_wav_path: 'reference.wav', prompt_wav_path: 'prompt.wav' }, /^prompt_text is required/],
    [{ reference_wav_path: '../reference.wav' }, /^reference_wav_path is not a file in the server's folder/],
    [{ voice: 'added', voice_mode: 'high_similarity' }, /^voice "added" has no transcript/],
  ])('is refused with %j', async (fields, message) => {
    await server.post('/v1/voices', { voice_name: 'added', reference_wav_path: 'reference.wav' });
    const refused = await server.speak({ input: 'hello', ...fields });
    expect([refused.status < 500, (await errorOf(refused)).message]).toEqual([true, expect.stringMatching(message)]);
  });

  it('warns of what has no effect', async () => {
    const ignored = await spoken({ voice: 'alma', prompt_wav_path: 'prompt.wav', prompt_text: 'said' });
    expect(ignored.warning).toContain('voice takes precedence; prompt_wav_path is ignored');
    expect((await spoken({ voice: 'coral', voice_mode: 'reference' })).warning).toContain('voice_mode has no effect');
  });

  it('needs VoxCPM 2 for a timbre', async () => {
    await server.start(earlier);
    const refused = server.speak({ input: 'hello', reference_wav_path: 'reference.wav' });
    await expectError(refused, 400, /needs a VoxCPM 2 model/);
    const lenient = await spoken({ voice: 'alma', voice_mode: 'reference' });
    expect(lenient.warning).toContain('needs a VoxCPM 2 model; \\"fake\\" is not one; it is ignored');
    await server.start({ ...earlier, settings: { strictness: 'strict' } });
    expect((await server.speak({ input: 'hello', voice: 'alma', voice_mode: 'reference' })).status).toBe(400);
  });
});

it('voices of VoxCPMANE 2 are added as a reference, with a transcript also as a prompt, and replaced on demand', async () => {
  const add = (fields: object) =>
    server.post('/v1/voices', { voice_name: 'kim', reference_wav_path: 'reference.wav', ...fields });
  expect(await statusAndJson(add({ prompt_text: '', replace: false }))).toMatchObject([
    201,
    { roles: ['reference'], mode: 'reference' },
  ]);
  expect((await add({})).status).toBe(409);
  expect(await statusAndJson(add({ prompt_text: 'said', replace: true }))).toMatchObject([
    201,
    { roles: ['prompt', 'reference'], mode: 'reference_plus_continuation' },
  ]);
  expect(await server.json('/voices')).toMatchObject({
    voices: ['kim', ...presets],
    count: presets.length + 1,
    system_voices: presets,
    custom_voices: ['kim'],
  });
  const both = errorOf(await add({ voice_name: 'ben', prompt_wav_path: 'prompt.wav' }));
  expect((await both).message).toBe('prompt_wav_path and reference_wav_path cannot be combined');
});
