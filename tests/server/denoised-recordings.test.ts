/** `denoise` wherever a recording enters, and `continue_by`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { noiseIn, noisyRecording } from '../audio/noises.ts';
import { textOf } from '../engine/fake-backend.ts';
import { bytesOf, type StartOptions, statusAndJson } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();
const wav = await noisyRecording();

async function start(options: StartOptions = {}): Promise<void> {
  await server.start({
    backend: { info: { architecture: 'voxcpm2', inputPatchSamples: 1_600 } },
    voiceFiles: (folder) => writeFile(join(folder, 'a.wav'), wav),
    ...options,
  });
  jest.spyOn(server.backend, 'encode');
}
beforeEach(() => start());

const encoded = (): readonly string[] =>
  jest.mocked(server.backend.encode).mock.calls.map(([samples]) => noiseIn(samples));

describe('denoise', () => {
  it.each([
    ['ref_audio', () => ({ ref_audio: Buffer.from(wav).toString('base64') })],
    ['prompt_wav_path', () => ({ prompt_wav_path: 'a.wav' })],
  ])('applies to %s', async (_name, recording) => {
    for (const denoise of [true, false, null]) {
      await server.hear({ input: 'hello', response_format: 'pcm', denoise, ...recording() });
    }
    // A recording that was encoded before is not encoded again.
    expect(encoded()).toEqual(['denoised', 'noisy']);
  });

  it('applies to the upload of a form', async () => {
    for (const denoise of ['true', '0']) {
      const fields = { input: 'hello', prompt_text: 'words', response_format: 'pcm', denoise };
      await bytesOf(server.send('/tts', { ...fields, prompt_audio: wav }));
    }
    expect(encoded()).toEqual(['denoised', 'noisy']);
  });

  it('applies to voices, where it ends the warning', async () => {
    const add = async (fields: Readonly<Record<string, string>>) => {
      const added = server.send('/v1/voices', { text: 'words', ...fields, audio: wav });
      const [, voice] = await statusAndJson<{ warnings: readonly string[]; quality: { snr_db: number } }>(added);
      return voice;
    };
    const noisy = await add({ id: 'one' });
    expect(noisy.warnings).toEqual([
      expect.stringMatching(/is noisy: .*; record in a quieter place, or remove the noise with denoise$/),
    ]);
    const clean = await add({ id: 'two', denoise: 'true' });
    expect(clean.warnings).toEqual([]);
    expect(clean.quality.snr_db).toBeGreaterThan(noisy.quality.snr_db + 10);
    const named = { voice_name: 'three', prompt_wav_path: 'a.wav', prompt_text: 'words', denoise: true };
    expect((await server.post('/v1/voices', named)).status).toBe(201);
    // The first one is the fingerprint of the encoder; the last recording was encoded before.
    expect(encoded().slice(1)).toEqual(['noisy', 'denoised']);
  });

  it('is ignored with a warning for a stored voice', async () => {
    const body = { input: 'hello', denoise: true, response_format: 'wav', stream_format: 'json' };
    expect(await (await server.speak(body)).json()).toMatchObject({
      warnings: ['denoise needs a recording in the request; it is ignored'],
    });
  });
});

describe('continue_by', () => {
  const input = 'One is a part of the words. '.repeat(30).trim();

  it('chooses how a long text keeps its voice', async () => {
    for (const continue_by of ['reference', 'prompt']) {
      await server.hear({ input, instructions: 'calm', response_format: 'pcm', continue_by });
    }
    const parts = server.backend.prefixes.length / 2;
    const [references, prompts] = [server.backend.prefixes.slice(1, parts), server.backend.prefixes.slice(parts + 1)];
    expect(references.length).toBeGreaterThan(0);
    expect(references.every((prefix) => prefix.tokens[0] === 103 && textOf(prefix).startsWith('(calm)One'))).toBe(true);
    expect(prompts.every((prefix) => prefix.tokens[0] !== 103 && textOf(prefix).startsWith('One'))).toBe(true);
  });

  it('needs VoxCPM 2 to be reference', async () => {
    await start({ backend: {} });
    const message = 'continuing by reference needs a VoxCPM 2 model; "fake" is not one';
    await expectError(server.speak({ input, continue_by: 'reference' }), 400, { message, param: 'continue_by' });
  });
});
