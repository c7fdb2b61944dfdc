/** Requests as the client of nano-vLLM's server sends them. */
import { expect, it } from '@jest/globals';
import { bytesOf, read, statusAndJson, wavOf } from '../start-server.ts';
import { freshServer } from '../test-server.ts';

const server = freshServer({ backend: { info: { architecture: 'voxcpm2' } } });

const recording = wavOf().toString('base64');
const generate = (body: object): Promise<Response> => server.post('/generate', body);

/** The text of the model's prefix, with that of a prompt, and how many of its positions are audio. */
const spoken = async (body: object) => {
  const response = await read(generate({ target_text: 'hello', seed: 1, ...body }));
  expect(response.status).toBe(200);
  const { texts, audio } = server.backend;
  return { text: texts.at(-1), audio: audio.at(-1), warning: response.headers.get('Warning') };
};

it('a client of nano-vLLM generates MP3, or samples at the rate of the model, as the public API does', async () => {
  const mp3 = await generate({ target_text: 'hello', seed: 1 });
  const { headers } = mp3;
  expect([headers.get('Content-Type'), headers.get('X-Audio-Encoding')]).toEqual(['audio/mpeg', 'mp3']);
  expect((await mp3.arrayBuffer()).byteLength).toBeGreaterThan(0);
  const pcm = await generate({ target_text: 'hello', seed: 1, response_format: 'pcm', max_generate_length: 3 });
  expect(pcm.headers.get('Content-Type')).toBe('audio/L16;rate=16000;channels=1');
  expect(pcm.headers.get('X-Audio-Sample-Rate')).toBe('16000');
  const body = { input: 'hello', seed: 1, response_format: 'pcm', sample_rate: 16_000, max_length: 3 };
  const same = await server.hear({ ...body, voice: 'default' });
  expect((await bytesOf(pcm)).equals(same)).toBe(true);
});

it('a client of nano-vLLM encodes a recording once, and uses it as a prompt or a reference', async () => {
  const recorded = server.post('/encode_latents', { wav_base64: recording, wav_format: 'wav' });
  const [, { prompt_latents_base64: latents, ...about }] = await statusAndJson<Record<string, unknown>>(recorded);
  expect(about).toEqual({ feat_dim: 3, latents_dtype: 'float32', sample_rate: 16_000, channels: 1 });
  const none = await spoken({});
  expect(none.audio).toBe(0);
  const prompt = await spoken({ prompt_latents_base64: latents, prompt_text: 'said' });
  expect(prompt).toMatchObject({ text: expect.stringContaining('said'), audio: 40 });
  const reference = await spoken({ ref_audio_latents_base64: latents });
  expect(reference).toMatchObject({ text: none.text, audio: 40 });
  const encoded = server.backend.calls.filter(({ kind }) => kind === 'encode').length;
  expect(encoded).toBe(1);
  const both = { prompt_wav_base64: recording, prompt_wav_format: 'wav', prompt_text: 'said' };
  expect((await spoken({ ...both, ref_audio_latents_base64: latents })).audio).toBe(80);
});

it('a client of nano-vLLM is warned of what has no effect', async () => {
  expect((await spoken({ temperature: 1 })).warning).toBeNull();
  const { warning } = await spoken({ temperature: 0.5, spede: 1 });
  expect(warning).toContain('VoxCPM has no temperature; it is ignored');
  expect(warning).toContain('unknown field \\"spede\\" is ignored');
});
