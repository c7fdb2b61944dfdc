/** Captions of minutes: each sentence is where its sound is, to the end. */
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../../src/engine/engine.ts';
import type { SpeechRequest } from '../../../src/engine/speech-request.ts';
import { collect } from '../../support/collect.ts';
import { rounds } from '../../support/rounds.ts';
import { createFakeBackend } from '../fake-backend.ts';
import { onsets } from './onsets.ts';

const sampleRate = 8_000;
const info = { patchSamples: 800, outputSampleRate: sampleRate };
/** Sentences: half a minute for the first two, ten minutes in `npm run test:system`; shorter ones for what differs. */
const [many, few] = rounds([15, 6], [250, 30]);

const numbered = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const script = (count: number, text: (index: number) => string): SpeechRequest => ({
  text: numbered(count, text),
  inputFormat: 'script',
});

const voiceOf = (n: number): string => `[voice:${n % 3 === 0 ? 'anna' : 'ben'}]`;
const rest = '<break time="1s"/>';

const requests: readonly (readonly [string, number, SpeechRequest])[] = [
  ['pauses', many, script(many, (n) => `Sentence ${n}. [pause:1.4s] `)],
  ['speed 1.3', many, { ...script(many, (n) => `Sentence ${n}. [pause:2s] `), speed: 1.3 }],
  ['speed 0.7', few, { ...script(few, (n) => `Sentence ${n}. [pause:1s] `), speed: 0.7 }],
  [
    'voices',
    few,
    { ...script(few, (n) => `${voiceOf(n)} Sentence ${n}. [pause:1.5s]`), voices: { anna: {}, ben: {} } },
  ],
  [
    'rates',
    few,
    {
      text: `<speak>${numbered(few, (n) => `<prosody rate="${50 + (n % 5) * 30}%">Sentence ${n}.</prosody>${rest}`)}</speak>`,
    },
  ],
];

describe('captions', () => {
  it.each(requests)('with %s begin where the sound begins', async (_, count, request) => {
    const backend = createFakeBackend({ stopAt: 9, firstLevel: 10, info });
    const engine = createEngineFromBackend(backend, { maxBatch: 4 });
    const { samples, sentences = [] } = await engine.synthesize({ seed: 1, ...request }, { timestamps: 'words' });
    const streamed = await collect(engine.stream({ seed: 1, ...request }, { timestamps: 'words' }));
    expect(streamed.flatMap((chunk) => chunk.sentences ?? [])).toEqual(sentences);
    const heard = onsets(samples, sampleRate, 0.3);
    expect(heard).toHaveLength(count);
    expect(sentences).toHaveLength(count);
    const errors = heard.map((onset, index) => Math.abs(onset - (sentences[index]?.start ?? 0)));
    expect(Math.max(...errors)).toBeLessThan(0.05);
  });
});
