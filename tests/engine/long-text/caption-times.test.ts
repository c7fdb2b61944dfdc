/** Captions of ten minutes: each sentence is where its sound is, to the end. */
import { describe, expect, it } from '@jest/globals';
import { createEngineOver } from '../../../src/engine/engine.ts';
import type { SpeechRequest } from '../../../src/engine/speech-request.ts';
import { createFakeBackend } from '../fake-backend.ts';

const sampleRate = 16_000;
const info = { patchSamples: 1600, outputSampleRate: sampleRate, limits: { fixedVoice: true } };
const count = 250;

/** Where sound begins after at least 0.3 s of silence, in seconds. */
function onsets(samples: Float32Array): readonly number[] {
  const found: number[] = [];
  let silent = sampleRate;
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < 0.5) silent += 1;
    else {
      if (silent >= 0.3 * sampleRate) found.push(index / sampleRate);
      silent = 0;
    }
  }
  return found;
}

const numbered = (text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const requests: readonly (readonly [string, SpeechRequest])[] = [
  ['pauses', { text: numbered((n) => `Sentence ${n}. [pause:1.4s] `), inputFormat: 'script' }],
  ['speed 1.3', { text: numbered((n) => `Sentence ${n}. [pause:2s] `), inputFormat: 'script', speed: 1.3 }],
  ['speed 0.7', { text: numbered((n) => `Sentence ${n}. [pause:1s] `), inputFormat: 'script', speed: 0.7 }],
  [
    'rates',
    {
      text: `<speak>${numbered((n) => `<prosody rate="${50 + (n % 5) * 30}%">Sentence ${n}.</prosody><break time="1.4s"/>`)}</speak>`,
    },
  ],
  [
    'voices',
    {
      text: numbered((n) => `[voice:${n % 3 === 0 ? 'anna' : 'ben'}] Sentence ${n}. [pause:1.5s]`),
      inputFormat: 'script',
      voices: { anna: {}, ben: {} },
    },
  ],
  ['paragraphs', { text: numbered((n) => `Sentence ${n}.\n\n`) }],
];

describe('captions', () => {
  it.each(requests)('with %s begin where the sound begins', async (_, request) => {
    const backend = createFakeBackend({ stopAt: 9, firstLevel: 10, info });
    const engine = createEngineOver(backend, { maxBatch: 4 });
    const { samples, sentences = [] } = await engine.synthesize({ seed: 1, ...request }, { timestamps: 'words' });
    const heard = onsets(samples);
    expect(heard).toHaveLength(count);
    expect(sentences).toHaveLength(count);
    const errors = heard.map((onset, index) => Math.abs(onset - (sentences[index]?.start ?? 0)));
    console.log(
      _,
      samples.length / sampleRate,
      Math.max(...errors.slice(0, 10)),
      Math.max(...errors.slice(-10)),
      Math.max(...errors),
    );
    expect(Math.max(...errors)).toBeLessThan(0.05);
  });
});
