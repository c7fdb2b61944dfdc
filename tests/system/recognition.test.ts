/**
 * A recognizer understands the demo model's first voice (about 8 % word errors), and better with `--check-with`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/wav-encode.ts';
import type { Attempt } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { wordErrorRate } from '../../src/engine/text/word-errors.ts';

const execute = promisify(execFile);
const sentences = readFileSync(join(import.meta.dirname, 'sentences.txt'), 'utf8')
  .trim()
  .split('\n');

it('is recognized with at most 12 % word errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recognition-'));
  try {
    // The system tests install a software GPU, which `auto` would use.
    await using engine = await createEngine({ backend: 'cpu' });
    const files: string[] = [];
    for (const [index, text] of sentences.entries()) {
      const { samples, sampleRate } = await engine.synthesize({ text, seed: 1000 + index });
      const file = join(folder, `${index}.wav`);
      writeFileSync(file, encodeWav(samples, sampleRate));
      files.push(file);
    }
    const { stdout } = await execute('python3', [join(import.meta.dirname, 'recognise.py'), ...files]);
    const heard = stdout.split('\n');
    const total = sentences.join(' ').split(' ').length;
    const errors = sentences
      .map((text, index) => wordErrorRate(text, heard[index] ?? '') * text.split(' ').length)
      .reduce((sum, count) => sum + count, 0);
    console.log(`word errors: ${errors} of ${total} (${((100 * errors) / total).toFixed(1)} %)`);
    expect(errors / total).toBeLessThan(0.12);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

it('has fewer word errors when it is checked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recognition-'));
  try {
    const input = join(folder, 'lines.txt');
    writeFileSync(input, sentences.slice(0, 20).join('\n'));
    const output = join(folder, 'spoken');
    const recognizer = `python3 '${join(import.meta.dirname, 'recognise.py')}'`;
    const checks = ['--check-with', recognizer, '--max-word-errors', '0', '--retry-short', '--retry-clipped'];
    const line = ['bin/svc.js', 'batch', '--input', input, '--output-dir', output, '--seed', '1000', ...checks];
    await execute(process.execPath, [...line, '--backend', 'cpu', '--quiet']);
    const entries = readFileSync(join(output, 'manifest.jsonl'), 'utf8').trim().split('\n');
    const attempts = entries.map((entry) => (JSON.parse(entry) as { attempts: Attempt[] }).attempts);
    const rates = (tries: readonly Attempt[]): number[] => tries.map(({ wordErrorRate: rate = 1 }) => rate);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const first = mean(attempts.map((tries) => rates(tries)[0] ?? 1));
    const kept = mean(attempts.map((tries) => Math.min(...rates(tries))));
    console.log(`word error rate: ${first.toFixed(3)} at first, ${kept.toFixed(3)} kept`);
    expect(attempts).toHaveLength(20);
    expect(kept).toBeLessThan(0.75 * first);
    // Neither check finds anything in speech of a good voice.
    expect(attempts.flat().filter(({ problem }) => problem === 'short' || problem === 'clipped')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
