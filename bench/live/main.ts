/**
 * Measures speech from text that is still being written: `npm run bench:live`, with a synthetic VoxCPM-0.5B in Q8_0 unless
 * `--model-path FILE` names another model.
 *
 * `--threads N` (2), `--rate N` (20) tokens a second, `--rounds N` (5), `--seconds N` (60) of speech.
 *
 * - First audio: from the last token of the first clause to the first samples, compared with the same clause as a whole text.
 * - Underruns: a player that starts with the first chunk runs out of audio.
 * - Cancel: from the signal to the end of the stream.
 *
 * Random weights never stop by themselves, so the length of parts is limited to the pace of real speech.
 */
import { parseArgs } from 'node:util';
import { timeChunks } from '../../src/bench/first-audio.ts';
import { median } from '../../src/bench/statistics.ts';
import { syntheticModel } from '../../src/bench/synthetic/model.ts';
import { systemCacheFolder } from '../../src/hub/cache.ts';
import { createEngine, type Engine, type LiveText } from '../../src/index.ts';

const { values } = parseArgs({
  options: {
    'model-path': { type: 'string' },
    threads: { type: 'string', default: '2' },
    rate: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    /** Patches of speech for each token of the model. */
    pace: { type: 'string', default: '1' },
  },
});

const clause = 'When the morning came at last,';
const prose = [
  ' the harbor was already full of small boats, and nobody on the quay was in a hurry.',
  ' A woman sold bread from a cart, two boys mended a net, and an old man watched the sea.',
  ' The wind had turned in the night.',
  ' It came from the north now, cold and steady, and it brought the smell of salt and tar into the narrow streets.',
  ' Nobody spoke of the storm.',
  ' They had seen worse, they said, and they would see worse again before the winter was over.',
];

/** Tokens like those of a language model: words with the space in front, and punctuation. */
const tokensOf = (text: string): readonly string[] => text.match(/ ?[\p{L}\p{N}’]+|[^\p{L}\p{N}]/gu) ?? [];

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Written {
  readonly text: LiveText;
  /** When each token was written. */
  readonly times: number[];
}

function write(tokens: readonly string[], tokensPerSecond: number): Written {
  const times: number[] = [];
  async function* writer(): AsyncGenerator<string, void, undefined> {
    const began = performance.now();
    for (const [index, token] of tokens.entries()) {
      await wait(began + (index * 1000) / tokensPerSecond - performance.now());
      times.push(performance.now());
      yield token;
    }
  }
  return { text: writer(), times };
}

const fields = { seed: 1, retryBadcase: false, retryBadcaseRatioThreshold: Number(values.pace) };

/** Chunks of which the first is timed, and the steps between them. */
const timedChunks = 8;

async function measureFirstAudio(engine: Engine, rounds: number, rate: number): Promise<number> {
  const tokens = tokensOf(clause + prose.join(''));
  const last = tokensOf(clause).length - 1;
  const steps: number[] = [];
  const [whole, live]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const { first, step } = await timeChunks(() => engine.stream({ ...fields, text: clause }), timedChunks);
    const { text, times } = write(tokens, rate);
    const began = performance.now();
    const written = await timeChunks(() => engine.stream({ ...fields, text }), timedChunks);
    // The first round warms up.
    if (round === 0) continue;
    steps.push(step);
    whole.push(first);
    live.push(began + written.first - (times[last] ?? Number.NaN));
  }
  const step = median(steps);
  const excess = median(live) - median(whole);
  console.log(
    `first audio: ${median(live).toFixed(0)} ms after the clause, ${median(whole).toFixed(0)} ms for the clause as a whole text: ` +
      `${(excess / step).toFixed(2)} steps of ${step.toFixed(0)} ms more (at most ${(Math.max(...live) - median(whole)).toFixed(0)} ms)`,
  );
  return step;
}

async function measureUnderruns(engine: Engine, seconds: number, rate: number): Promise<void> {
  const { outputSampleRate: sampleRate } = engine.info;
  const text = clause + prose.join('').repeat(Math.ceil(seconds / 20));
  const { text: written } = write(tokensOf(text), rate);
  let [began, spoken, underruns, silence, parts] = [0, 0, 0, 0, 0];
  for await (const { samples, part } of engine.stream({ ...fields, text: written })) {
    const now = performance.now() / 1000;
    if (began === 0) began = now;
    const late = now - began - spoken - silence;
    if (spoken > 0 && late > 0) {
      underruns += 1;
      silence += late;
    }
    spoken += samples.length / sampleRate;
    parts = part + 1;
    if (spoken >= seconds) break;
  }
  const computing = performance.now() / 1000 - began;
  console.log(
    `underruns: ${underruns} (${silence.toFixed(2)} s) in ${spoken.toFixed(1)} s of speech in ${parts} parts, ` +
      `real-time factor ${(computing / spoken).toFixed(2)}`,
  );
}

async function measureCancel(engine: Engine, rounds: number, rate: number, step: number): Promise<void> {
  const waits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const controller = new AbortController();
    const { text } = write(tokensOf(clause + prose.join('')), rate);
    let at = 0;
    try {
      for await (const { index } of engine.stream({ ...fields, text }, { signal: controller.signal })) {
        if (index !== 10 + round) continue;
        setTimeout(() => {
          at = performance.now();
          controller.abort();
        }, step * Math.random());
      }
    } catch {
      waits.push(performance.now() - at);
    }
  }
  console.log(
    `cancel: ${median(waits).toFixed(0)} ms, at most ${Math.max(...waits).toFixed(0)} ms, of a step of ${step.toFixed(0)} ms`,
  );
}

const modelPath =
  values['model-path'] ??
  (await syntheticModel({
    model: '0.5b',
    type: 'q8_0',
    engine: 'native',
    cacheFolder: systemCacheFolder(),
    quantize: undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  }));
const engine = await createEngine({ modelPath, backend: 'cpu', threads: Number(values.threads) });
try {
  const [rounds, rate] = [Number(values.rounds), Number(values.rate)];
  const step = await measureFirstAudio(engine, rounds, rate);
  await measureUnderruns(engine, Number(values.seconds), rate);
  await measureCancel(engine, rounds, rate, step);
} finally {
  await engine.close();
}
