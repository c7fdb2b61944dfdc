import { describe, expect, it } from '@jest/globals';
import { outputRate } from '../../../src/server/context/output-rate.ts';
import { freshServer } from '../test-server.ts';

it.each([
  ['pcm', 16_000, 'public', 24_000],
  ['pcm', 16_000, 'model', 16_000],
  ['pcm', 48_000, 'public', 24_000],
  ['wav', 16_000, 'public', 16_000],
  ['flac', 44_100, 'model', 44_100],
  ['mp3', 16_000, 'model', 48_000],
  ['aac', 24_000, 'public', 48_000],
  ['mp3', 44_100, 'public', 44_100],
  ['aac', 48_000, 'public', 48_000],
  ['opus', 16_000, 'public', 48_000],
] as const)('outputRate %s from %d Hz for %s clients: %d', (format, modelRate, dialect, rate) => {
  expect(outputRate(format, modelRate, dialect)).toBe(rate);
});

describe('the sample rate of raw samples', () => {
  const server = freshServer({ backend: { info: { patchSamples: 1_280 } } });
  /** From the header, and from the number of samples of 0.4 seconds. */
  async function rateOf(path: string, body: object): Promise<readonly [stated: number, counted: number]> {
    const response = await server.post(path, { input: 'hello', response_format: 'pcm', ...body });
    const samples = (await response.arrayBuffer()).byteLength / 2;
    return [Number(response.headers.get('x-sample-rate')), samples / 0.4];
  }

  it.each([
    ['24 kHz for a client of the public API', '/v1/audio/speech', { voice: 'alloy' }, 24_000],
    ["the model's for a client of VoxCPMANE", '/v1/audio/speech', { cfg_value: 2 }, 16_000],
    ["the model's from the raw stream", '/v1/audio/speech/stream', { voice: 'alloy' }, 16_000],
    ['what the request says', '/v1/audio/speech', { voice: 'alloy', sample_rate: 8_000 }, 8_000],
  ])('is %s', async (_name, path, body, rate) => {
    expect(await rateOf(path, body)).toEqual([rate, rate]);
  });

  it("is the model's for a client of VoxCPM-ONNX", async () => {
    const response = await server.fetch('/tts?input=hello&response_format=pcm');
    expect(response.headers.get('x-sample-rate')).toBe('16000');
    expect((await response.arrayBuffer()).byteLength).toBe(5 * 1_280 * 2);
  });

  it("is the model's for all clients if the server is configured so", async () => {
    await server.start({ settings: { pcmRate: 'model' } });
    expect(await rateOf('/v1/audio/speech', { voice: 'alloy' })).toEqual([16_000, 16_000]);
  });
});
