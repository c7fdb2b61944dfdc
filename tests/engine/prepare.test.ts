import { describe, expect, it } from '@jest/globals';
import { createPreparation } from '../../src/engine/prepare.ts';
import { parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import { createFakeBackend } from './fake-backend.ts';

describe('the place of the spoken text', () => {
  const reference = { role: 'reference', patches: new Float32Array(12) } as const;
  const prompt = { role: 'prompt', patches: new Float32Array(6) } as const;

  it.each<[string, SynthesisRequest, first: number, count: number]>([
    ['alone', { text: 'ab c' }, 0, 5],
    ['with a control text', { text: 'ab', control: 'c' }, 4, 2],
    ['behind a reference', { text: 'ab', referenceAudio: reference }, 4, 3],
    ['behind a prompt text', { text: 'ab', promptAudio: prompt, promptText: 'c d ' }, 4, 3],
  ])('%s', async (_, given, first, count) => {
    const backend = createFakeBackend({ info: { architecture: 'voxcpm2' } });
    const preparation = createPreparation(backend);
    const request = { ...parseRequest(given), seed: 1 };
    const utterance = await preparation.prepare(request, new AbortController().signal);
    const place = preparation.locate(request, utterance, given.text);
    expect(place.positions).toEqual({ first, count });
    expect(place.text).toBe(given.text);
    expect(place.tokenStarts).toHaveLength(count);
    expect(place.tokenStarts.at(-1)).toBe(place.text.length - 1);
    // the last position before the audio is its start
    expect(utterance.tokens[first + count]).toBe(101);
  });
});
