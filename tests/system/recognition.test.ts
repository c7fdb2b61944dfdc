/** A recognizer understands the demo voice about as well as with the official implementation (12–16 % word errors). */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/wav-encode.ts';
import { createEngine } from '../../src/engine/open-engine.ts';

const execute = promisify(execFile);
const sentences = readFileSync(join(import.meta.dirname, 'sentences.txt'), 'utf8')
  .trim()
  .split('\n');
const words = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** Word-level edit distance: substitutions, insertions and deletions. */
function distance(expected: readonly string[], received: readonly string[]): number {
  let row = received.map((_, index) => index + 1);
  row.unshift(0);
  for (const [i, word] of expected.entries()) {
    const next = [i + 1];
    for (const [j, other] of received.entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

it('is recognized with at most 20 % word errors', async () => {
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
    let errors = 0;
    let total = 0;
    for (const [index, text] of sentences.entries()) {
      errors += distance(words(text), words(heard[index] ?? ''));
      total += words(text).length;
    }
    console.log(`word errors: ${errors} of ${total} (${((100 * errors) / total).toFixed(1)} %)`);
    expect(errors / total).toBeLessThan(0.2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
