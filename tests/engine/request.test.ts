import { describe, expect, it } from '@jest/globals';
import { assertSupported, parseEngineOptions, parseRequest, targetText } from '../../src/engine/request.ts';
import { fakeInfo } from './fake-backend.ts';

const audio = { samples: new Float32Array(8), sampleRate: 16_000, channels: 1 };
const prompt = { role: 'prompt', patches: new Float32Array(12) } as const;
const reference = { role: 'reference', patches: new Float32Array(12) } as const;
const v2 = { ...fakeInfo, architecture: 'voxcpm2' } as const;

describe('parseRequest', () => {
  it('fills in the official defaults', () => {
    expect(parseRequest({ text: 'Hello' })).toEqual({
      text: 'Hello',
      cfg: 2,
      timesteps: 10,
      minLength: 2,
      maxLength: 4096,
      retryBadcase: true,
      split: true,
      clean: true,
      normalize: false,
    });
  });

  it.each([
    { text: 'a', promptAudio: audio, promptText: 'b' },
    { text: 'a', promptAudio: audio, promptText: '' },
    { text: 'a', promptAudio: prompt, promptText: 'b', referenceAudio: reference },
    { text: 'a', referenceAudio: audio, control: 'slow' },
    { text: 'a', promptAudio: audio, promptText: 'b', control: ' ' },
    { text: 'a', cfg: 0, timesteps: 1, minLength: 0, maxLength: 1, seed: 0 },
    { text: 'a', cfg: 10, timesteps: 100, seed: 0xffffffff, retryBadcase: false },
  ])('accepts %j', (request) => {
    expect(parseRequest(request)).toMatchObject(request);
  });

  it.each([
    [{}, 'expected a text for text, received nothing'],
    [{ text: 5 }, 'expected a text for text, received 5'],
    [{ text: '  ' }, 'expected text with at least one visible character for text, received "  "'],
    [{ text: '\u001c\u0085' }, 'expected text with at least one visible character for text, received "\\u001c\u0085"'],
    [{ text: 'a', cfg: 10.1 }, 'expected a number from 0 to 10 for cfg, received 10.1'],
    [{ text: 'a', cfg: Number.NaN }, 'expected a number from 0 to 10 for cfg, received NaN'],
    [{ text: 'a', cfg: '2' }, 'expected a number from 0 to 10 for cfg, received "2"'],
    [{ text: 'a', timesteps: 0 }, 'expected an integer from 1 to 100 for timesteps, received 0'],
    [{ text: 'a', timesteps: 1.5 }, 'expected an integer from 1 to 100 for timesteps, received 1.5'],
    [{ text: 'a', minLength: -1 }, 'expected an integer from 0 to 65536 for minLength, received -1'],
    [{ text: 'a', maxLength: 0 }, 'expected an integer from 1 to 65536 for maxLength, received 0'],
    [{ text: 'a', seed: 2 ** 32 }, 'expected an integer from 0 to 4294967295 for seed, received 4294967296'],
    [{ text: 'a', seed: null }, 'expected an integer from 0 to 4294967295 for seed, received null'],
    [{ text: 'a', retryBadcase: 'no' }, 'expected true or false for retryBadcase, received "no"'],
    [{ text: 'a', temperature: 1 }, 'expected known fields only for the request, received temperature'],
    [null, 'expected an object for the request, received null'],
    [
      { text: 'a', promptAudio: audio },
      'expected prompt audio and prompt text together for a prompt, received prompt audio without prompt text',
    ],
    [
      { text: 'a', promptText: 'b' },
      'expected prompt audio and prompt text together for a prompt, received prompt text without prompt audio',
    ],
    [
      { text: 'a', promptAudio: audio, promptText: 'b', control: 'slow' },
      'expected no prompt text for a request with control, received both',
    ],
  ])('%j: %s', (request, message) => {
    expect(() => parseRequest(request)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  });

  it.each([
    ['no samples', { ...audio, samples: new Float32Array(0) }],
    ['an array', { ...audio, samples: [0, 1] }],
    ['NaN', { ...audio, samples: new Float32Array([0, Number.NaN]) }],
    ['no rate', { ...audio, sampleRate: 0 }],
    ['another role', reference],
    ['a string', 'voice.wav'],
  ])('refuses prompt audio with %s', (_, promptAudio) => {
    expect(() => parseRequest({ text: 'a', promptAudio, promptText: 'b' })).toThrow(
      /^expected samples .* for promptAudio, received /,
    );
  });

  it('keeps messages short', () => {
    const message = (() => {
      try {
        parseRequest({ text: 'a', cfg: 'x'.repeat(1000) });
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message?.length).toBeLessThan(120);
  });
});

describe('assertSupported', () => {
  it.each([
    [{ referenceAudio: audio }, 'expected a VoxCPM 2 model for reference audio, received fake of architecture voxcpm'],
    [{ control: 'slow' }, 'expected a VoxCPM 2 model for control, received fake of architecture voxcpm'],
  ])('%j: %s', (part, message) => {
    const request = parseRequest({ text: 'a', ...part });
    expect(() => assertSupported(request, fakeInfo)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message }),
    );
    expect(() => assertSupported(request, v2)).not.toThrow();
  });

  it('lets an empty control pass', () => {
    expect(() => assertSupported(parseRequest({ text: 'a', control: ' ' }), fakeInfo)).not.toThrow();
  });
});

describe('targetText', () => {
  it.each([
    [{ text: ' a\n\tb ' }, ' a b '],
    [{ text: 'a', control: ' slow\nvoice ' }, '(slow voice)a'],
    [{ text: 'a', control: '  ' }, 'a'],
    // As the official application does: one pair around all of it.
    [{ text: 'a', control: '(calm)' }, '(calm)a'],
    [{ text: 'a', control: '（温柔）, (slow) voice' }, '(温柔, slow voice)a'],
    [{ text: 'a', control: ' () ' }, 'a'],
  ])('%j: %j', (request, expected) => {
    expect(targetText(parseRequest(request))).toBe(expected);
  });
});

describe('parseEngineOptions', () => {
  it('fills in the defaults', () => {
    expect(parseEngineOptions({})).toEqual({ backend: 'auto', maxBatch: 8 });
  });

  it.each([
    [{ backend: 'tpu' }, 'expected one of cpu, cuda, vulkan, metal, coreml, webgpu, auto for backend, received "tpu"'],
    [{ threads: 0 }, 'expected an integer from 1 to 1024 for threads, received 0'],
    [{ modelPath: '' }, 'expected the path of one .gguf file or of an ONNX folder for modelPath, received ""'],
    [{ maxBatch: 0 }, 'expected an integer from 1 to 256 for maxBatch, received 0'],
    [{ device: 'cpu' }, 'expected known fields only for the engine, received device'],
  ])('%j: %s', (options, message) => {
    expect(() => parseEngineOptions(options)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  });
});
