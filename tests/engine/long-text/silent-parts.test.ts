/** Captions around parts that the model leaves silent. */
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../../src/engine/engine.ts';
import type { TimedSentence } from '../../../src/engine/timing/timed-text.ts';
import { concatenate } from '../../../src/float-arrays.ts';
import { createFakeBackend } from '../fake-backend.ts';
import { onsets } from './onsets.ts';

const sampleRate = 16_000;
const texts = Array.from({ length: 5 }, (_, index) => `Sentence number ${index}.`);

describe.each(['parts', 'stream'] as const)('captions of %s', (way) => {
  it.each([
    ['short silent', 3, 0],
    ['long silent', 14, 0],
    ['nearly silent', 14, 0.001],
  ])('go forward around %s parts, each where its sound is', async (_, stopAt, loudness) => {
    const info = { patchSamples: 1600, outputSampleRate: sampleRate, limits: { maxTextCharacters: 20 } };
    const level = (session: number): number => (session === 1 || session === 4 ? loudness : 1);
    const backend = createFakeBackend({ stopAt, firstLevel: 10, info, loudness: level });
    await using engine = createEngineFromBackend(backend, { maxBatch: 4 });
    const request = { text: texts.join(' '), seed: 1, retryBadcase: false, normalize: false };
    const running = { timestamps: 'words' } as const;
    const sentences: TimedSentence[] = [];
    const heard: Float32Array[] = [];
    const pieces = way === 'parts' ? engine.synthesizeParts(request, running) : engine.stream(request, running);
    for await (const piece of pieces) {
      heard.push(piece.samples);
      sentences.push(...(piece.sentences ?? []));
    }
    expect(sentences.map(({ text }) => text)).toEqual([texts[0], texts[2], texts[3]]);
    const begins = onsets(concatenate(heard), sampleRate, 0.2);
    expect(begins).toHaveLength(sentences.length);
    for (const [index, { start }] of sentences.entries()) {
      expect(start).toBeGreaterThanOrEqual(sentences[index - 1]?.end ?? 0);
      expect(Math.abs(start - (begins[index] as number))).toBeLessThan(0.05);
    }
  });
});
