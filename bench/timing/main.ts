/**
 * Measures the word times of captions against a forced aligner: `npm run bench:timing`. Speaks the sentences of
 * `sentences.txt` with the demo voice and prints, for both methods, how far the starts of words are from those that
 * pocketsphinx finds in the same audio, as JSON in milliseconds.
 *
 * Needs a Python with pocketsphinx: `python3 -m venv venv && venv/bin/pip install pocketsphinx==5.1.1`, then
 * `--python venv/bin/python`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { median, quantile, sum } from '../../src/bench/statistics.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { estimateWords } from '../../src/engine/timing/estimate-words.ts';
import type { TimedWord } from '../../src/engine/timing/timed-text.ts';

const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const sentences = (await readFile(new URL('./sentences.txt', import.meta.url), 'utf8')).trim().split('\n');
const work = await mkdtemp(join(tmpdir(), 'svc-bench-timing-'));

/** The words of each sentence, by each method. */
const timed: Record<'attention' | 'estimated', (readonly TimedWord[])[]> = { attention: [], estimated: [] };
const methods: string[] = [];
try {
  {
    await using engine = await createEngine();
    for (const [index, text] of sentences.entries()) {
      const {
        samples,
        sampleRate,
        sentences: spoken = [],
      } = await engine.synthesize({ text, seed: 1 }, { timestamps: 'words' });
      timed.attention.push(spoken.flatMap(({ words }) => words));
      timed.estimated.push(estimateWords(text, samples, sampleRate));
      methods.push(...spoken.map(({ method }) => method));
      const pcm = Int16Array.from(samples, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 32767));
      await writeFile(join(work, `${index}.raw`), pcm);
    }
  }
  await writeFile(
    join(work, 'words.json'),
    JSON.stringify(timed.estimated.map((words) => words.map((word) => word.text))),
  );
  const aligner = spawnSync(values.python, [new URL('./align.py', import.meta.url).pathname, work], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (aligner.status !== 0) throw new Error(`the aligner failed with status ${aligner.status}`);
  const found = JSON.parse(aligner.stdout) as readonly (readonly number[] | null)[];
  const report = (sentencesOf: readonly (readonly TimedWord[])[]) => {
    const errors = found.flatMap((starts, index) =>
      (starts ?? []).map((start, word) => ((sentencesOf[index]?.[word]?.start ?? Number.NaN) - start) * 1000),
    );
    const sizes = errors.map(Math.abs);
    return {
      words: errors.length,
      median: Math.round(median(sizes)),
      mean: Math.round(sum(sizes) / sizes.length),
      p90: Math.round(quantile(sizes, 0.9)),
      bias: Math.round(median(errors)),
    };
  };
  const result = {
    sentences: sentences.length,
    aligned: found.filter((starts) => starts !== null).length,
    byAttention: methods.filter((method) => method === 'attention').length,
    attention: report(timed.attention),
    estimated: report(timed.estimated),
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
} finally {
  await rm(work, { recursive: true });
}
