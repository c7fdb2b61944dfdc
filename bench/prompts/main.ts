/**
 * Measures the first audio of cloned voices: `npm run bench:prompts -- --model-path FILE`.
 *
 * Alternates requests without a voice, with a prompt, and, with VoxCPM 2, with a reference; each with another text. The
 * recording has 10 s (`--seconds N`), and is encoded before. `raw` gives the recording itself with each request, as clients
 * of the server do. `--rounds N` (6), `--threads N`.
 */
import { parseArgs } from 'node:util';
import { timeFirstAudio } from '../../src/bench/first-audio.ts';
import { promptAudio } from '../../src/bench/prompt.ts';
import { median } from '../../src/bench/statistics.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import type { SynthesisRequest } from '../../src/engine/request.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    threads: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '6' },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
const { 'model-path': modelPath, threads } = values;

await using engine = await createEngine({
  backend: 'cpu',
  maxBatch: 1,
  ...(modelPath !== undefined && { modelPath }),
  ...(threads !== undefined && { threads: Number(threads) }),
});
const { info } = engine;
const audio = promptAudio(seconds, info.inputSampleRate, 1);
/** As many words as are spoken in ten seconds. */
const promptText =
  'This is what is said in the recording, which is so long that it has more words than those of most voices have.';
const ways: Readonly<Record<string, Omit<SynthesisRequest, 'text'>>> = {
  'no voice': {},
  prompt: { promptAudio: await engine.encode(audio, 'prompt'), promptText },
  'prompt, raw': { promptAudio: audio, promptText },
  ...(info.architecture === 'voxcpm2' && {
    reference: { referenceAudio: await engine.encode(audio, 'reference') },
    'reference, raw': { referenceAudio: audio },
  }),
};

const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
let request = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const [name, way] of Object.entries(ways)) {
    request += 1;
    const text = `The quick brown fox jumps over the lazy dog near river ${request}.`;
    times.get(name)?.push(await timeFirstAudio(engine, { ...way, text, seed: 1, split: false, maxLength: 8 }));
  }
}
const later = (name: string): number => median(times.get(name)?.slice(1) ?? []);
console.log(
  `${info.name} ${info.weightType}: first audio with a recording of ${seconds} s, median of ${rounds - 1} requests`,
);
for (const [name, [first = Number.NaN]] of times) {
  const ratio = (later(name) / later('no voice')).toFixed(2);
  console.log(`${name}: ${later(name).toFixed(0)} ms, ${ratio} × no voice (first request: ${first.toFixed(0)} ms)`);
}
console.log(engine.voiceMemory?.());
