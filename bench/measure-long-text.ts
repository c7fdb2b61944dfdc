/**
 * Generates speech for a long text with the demo model and prints parts, audio length, time and memory along the way.
 *
 *   npx tsx bench/measure-long-text.ts [characters] [timesteps] [threads]
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWavFile } from '../src/audio/encode/format.ts';
import { createEngine } from '../src/engine/open-engine.ts';
import { splitSteps } from '../src/engine/text/split.ts';
import { withoutSteps } from '../src/event-loop.ts';

const characters = Number(process.argv[2] ?? 100_000);
const timesteps = Number(process.argv[3] ?? 4);
const threads = Number(process.argv[4] ?? 1);

const subjects = [
  'The old man',
  'My sister',
  'A small bird',
  'The captain',
  'Nobody here',
  'Dr. Miller',
  'The teacher',
];
const verbs = ['opened', 'found', 'carried', 'painted', 'forgot', 'watched', 'sold', 'cleaned', 'mended'];
const objects = ['the heavy door', 'a silver key', 'two green chairs', 'the last letter', 'an open window'];
const ends = [
  'in the morning.',
  'before the rain came.',
  'without a word!',
  'and went home, as always.',
  'near the river?',
];

/** Sentence n; every eighth ends a paragraph. */
const sentence = (n: number): string =>
  [subjects, verbs, objects, ends]
    .map((words, place) => words[(n + place * Math.floor(n / 7)) % words.length])
    .join(' ') + (n % 8 === 7 ? '\n\n' : ' ');

let text = '';
let sentences = 0;
for (; text.length < characters; sentences += 1) text += sentence(sentences);

/** Longest silence in seconds and largest step between adjacent samples of the file. */
async function inspect(path: string, sampleRate: number): Promise<{ longestSilence: number; largestStep: number }> {
  let previous = 0;
  let silent = 0;
  let longest = 0;
  let largestStep = 0;
  for await (const bytes of createReadStream(path, { start: 44, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    for (let offset = 0; offset + 1 < bytes.length; offset += 2) {
      const value = bytes.readInt16LE(offset) / 32_768;
      largestStep = Math.max(largestStep, Math.abs(value - previous));
      silent = Math.abs(value) < 0.02 ? silent + 1 : 0;
      longest = Math.max(longest, silent);
      previous = value;
    }
  }
  return { longestSilence: longest / sampleRate, largestStep };
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);

const folder = await mkdtemp(join(tmpdir(), 'svc-long-text-'));
try {
  await using engine = await createEngine({ maxBatch: 4, threads });
  const { maxTextCharacters = 280 } = engine.info.limits;
  const expected = [...withoutSteps(splitSteps(text, { maxCharacters: maxTextCharacters }))];
  console.log(
    `${text.length} characters, ${sentences} sentences, ${expected.length} parts; ${megabytes()} MB at the start`,
  );

  const stream = engine.synthesizeParts({ text, seed: 1, timesteps });
  const path = join(folder, 'long.wav');
  const sink = await createWavFile(path, stream.sampleRate);
  const started = performance.now();
  let spoken = '';
  let samples = 0;
  let parts = 0;
  let retried = 0;
  let limited = 0;
  for await (const part of stream) {
    await sink.write(part.samples);
    spoken += `${part.text} `;
    samples += part.samples.length;
    parts += 1;
    retried += part.attempts - 1;
    limited += part.end === 'limit' ? 1 : 0;
    if (parts % Math.ceil(expected.length / 12) !== 0) continue;
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `${parts} parts, ${(samples / stream.sampleRate).toFixed(0)} s of audio in ${seconds.toFixed(0)} s, ${megabytes()} MB`,
    );
  }
  await sink.finish();
  const same = spoken.trim() === text.replace(/\s+/g, ' ').trim();
  const { longestSilence, largestStep } = await inspect(path, stream.sampleRate);
  console.log(`${parts} parts of ${expected.length} spoken, ${same ? 'every word once and in order' : 'NOT the text'}`);
  console.log(`${retried} retries, ${limited} parts at their limit`);
  console.log(`longest silence ${longestSilence.toFixed(2)} s, largest step between samples ${largestStep.toFixed(3)}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
