import { describe, expect, it } from '@jest/globals';
import { assertSupported, parseRequest, targetText } from '../../src/engine/request.ts';
import { errorOf } from '../support/errors.ts';
import { cases } from './cases.ts';
import { fakeInfo } from './fake-backend.ts';

const audio = { samples: new Float32Array(8), sampleRate: 16_000, channels: 1 };
const prompt = { role: 'prompt', patches: new Float32Array(12) } as const;
const reference = { role: 'reference', patches: new Float32Array(12) } as const;
const v2 = { ...fakeInfo, architecture: 'voxcpm2' } as const;

describe('parseRequest', () => {
  it('fills in the official defaults', () => {
    const retries = { retryBadcase: true, retryBadcaseMaxTimes: 3, retryBadcaseRatioThreshold: 6, maxWordErrors: 0.2 };
    const reading = { clean: true, normalize: 'auto', inputFormat: 'auto', readCode: false };
    expect(parseRequest({ text: 'Hello' })).toEqual({
      ...{ text: 'Hello', cfg: 2, timesteps: 10, minLength: 2, maxLength: 4096, speed: 1 },
      ...{ ...retries, retryShort: false, retryClipped: false, trimSilence: false },
      ...{ ...reading, continueBy: 'prompt', split: true, firstClause: true },
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

  const together = 'give the recording and its transcript together';
  it.each([
    [{}, 'text is required'],
    [{ text: 5 }, 'text must be a string, got 5'],
    [{ text: '  ' }, 'text must contain a visible character, got "  "'],
    [{ text: '\u001c\u0085' }, 'text must contain a visible character, got "\\u001c\u0085"'],
    [{ text: 'a', cfg: 10.1 }, 'cfg must be a number from 0 to 10, got 10.1'],
    [{ text: 'a', cfg: Number.NaN }, 'cfg must be a number from 0 to 10, got NaN'],
    [{ text: 'a', cfg: '2' }, 'cfg must be a number from 0 to 10, got "2"'],
    [{ text: 'a', timesteps: 0 }, 'timesteps must be an integer from 1 to 100, got 0'],
    [{ text: 'a', timesteps: 1.5 }, 'timesteps must be an integer from 1 to 100, got 1.5'],
    [{ text: 'a', minLength: 10, maxLength: 5 }, 'minLength (10) must not exceed maxLength (5)'],
    [{ text: 'a', minLength: 5000 }, 'minLength (5000) must not exceed maxLength (4096)'],
    [{ text: 'a', minLength: -1 }, 'minLength must be an integer from 0 to 65536, got -1'],
    [{ text: 'a', maxLength: 0 }, 'maxLength must be an integer from 1 to 65536, got 0'],
    [{ text: 'a', seed: 2 ** 32 }, 'seed must be an integer from 0 to 4294967295, got 4294967296'],
    [{ text: 'a', seed: null }, 'seed must be an integer from 0 to 4294967295, got null'],
    [{ text: 'a', retryBadcase: 'no' }, 'retryBadcase must be true or false, got "no"'],
    [{ text: 'a', retryBadcaseMaxTimes: 0 }, 'retryBadcaseMaxTimes must be an integer from 1 to 100, got 0'],
    [{ text: 'a', maxWordErrors: 20 }, 'maxWordErrors must be a number from 0 to 1, got 20'],
    [{ text: 'a', temperature: 1 }, 'unknown field "temperature" in the request'],
    [null, 'the request must be an object, got null'],
    [{ text: 'a', promptAudio: audio }, `prompt audio needs prompt text: ${together}`],
    [{ text: 'a', promptText: 'b' }, `prompt text needs prompt audio: ${together}`],
    [{ text: 'a', promptAudio: audio, promptText: 'b', control: 'slow' }, 'control and prompt text cannot be combined'],
  ])('%j: %s', (request, message) => {
    expect(() => parseRequest(request)).toThrow(errorOf('INVALID_REQUEST', message));
  });

  it.each([
    ['no samples', { ...audio, samples: new Float32Array(0) }],
    ['an array', { ...audio, samples: [0, 1] }],
    ['NaN', { ...audio, samples: new Float32Array([0, Number.NaN]) }],
    ['no rate', { ...audio, sampleRate: 0 }],
    ['another role', reference],
    ['a string', 'voice.wav'],
  ])('refuses prompt audio with %s', (_, promptAudio) => {
    const refusal = /^promptAudio must be non-empty finite samples .*, got /;
    expect(() => parseRequest({ text: 'a', promptAudio, promptText: 'b' })).toThrow(refusal);
  });

  it('keeps messages short', () => {
    expect(() => parseRequest({ text: 'a', cfg: 'x'.repeat(1000) })).toThrow(/^.{1,119}$/);
  });
});

describe('assertSupported', () => {
  it.each([
    [{ referenceAudio: audio }, 'reference audio needs a VoxCPM 2 model; "fake" is not one'],
    [{ control: 'slow' }, 'control needs a VoxCPM 2 model; "fake" is not one'],
  ])('%j: %s', (part, message) => {
    const request = parseRequest({ text: 'a', ...part });
    expect(() => assertSupported(request, fakeInfo)).toThrow(errorOf('INVALID_REQUEST', message));
    expect(() => assertSupported(request, v2)).not.toThrow();
  });

  it('accepts an empty control', () => {
    expect(() => assertSupported(parseRequest({ text: 'a', control: ' ' }), fakeInfo)).not.toThrow();
  });
});

describe('targetText', () => {
  it.each(cases('target text'))('$given: $expected', ({ given, expected }) => {
    expect(targetText(parseRequest(JSON.parse(given)))).toBe(expected);
  });
});
