/**
 * Numbers and names are spoken as WeTextProcessing, which the official VoxCPM uses, and NeMo speak them, except for the kinds
 * in text-oracles/judgements.ts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { sharedFolder } from '../support/test-folder.ts';
import { verbalizeText } from '../support/verbalize.ts';
import { judgements, type Reading } from './text-oracles/judgements.ts';
import { chineseSamples, englishSamples, type Sample } from './text-oracles/sentences.ts';

const folder = sharedFolder();

/** Runs an oracle over all lines at once. */
async function normalize(settings: readonly string[], lines: readonly string[]): Promise<readonly string[]> {
  const script = join(import.meta.dirname, 'text-oracles/normalize.py');
  const child = spawn('python3', [script, ...settings], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(lines.join('\n'));
  const [output, [code]] = await Promise.all([readText(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${settings.join(' ')} exited with ${code}`);
  return output.trimEnd().split('\n');
}

/** Differences that don't matter: case, hyphens, "and", "the", "oh" for "zero", 〇 for 零, 两 for 二, 幺 for 一. */
const plain = {
  en: (spoken: string) =>
    spoken
      .toLowerCase()
      .replace(/[-,]/g, ' ')
      .replace(/\b(?:and|the|of|a|o'clock)\b/g, ' ')
      .replace(/\b(?:oh|o|zero)\b/g, '0')
      .replace(/\bnegative\b/g, 'minus')
      .replace(/\b([ap])\.m\./g, '$1m')
      .replace(/[.?!]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  zh: (spoken: string) =>
    spoken
      .replaceAll('〇', '零')
      .replaceAll('两', '二')
      .replaceAll('幺', '一')
      .replaceAll('点整', '点')
      .replace(/[，,。\s]/g, ''),
} as const;

/** Samples of each kind. NeMo compiles its grammars for half a minute and takes 60 ms a sentence, wetext a hundredth of it. */
const samplesEach = { wetext: 250, nemo: 50 } as const;
const samplesOf: Readonly<Record<keyof typeof plain, (each: number) => readonly Sample[]>> = {
  en: englishSamples,
  zh: chineseSamples,
};

/** NeMo has wheels for Linux on x86-64 only. */
const hasNemo = spawnSync('python3', ['-c', 'import nemo_text_processing, pynini']).status === 0;
const oracles = [['wetext', 'en'], ['wetext', 'zh'], ...(hasNemo ? [['nemo', 'en'] as const] : [])] as const;

it.each(oracles)('agrees with %s in %s, or disagrees as judged', async (oracle, language) => {
  const samples = samplesOf[language](samplesEach[oracle]);
  const texts = samples.map(({ text }) => text);
  const theirs = await normalize([oracle, language, folder], texts);
  expect(theirs).toHaveLength(texts.length);
  const kinds = judgements.filter((judgement) => judgement.oracle === `${oracle} ${language}`);
  const counts = new Map<string, { all: number; alike: number; style: number; theirs: number }>();
  const unexplained: Reading[] = [];
  const used = new Set<string>();
  for (const [index, { kind, text }] of samples.entries()) {
    const reading: Reading = { kind, text, ours: verbalizeText(text), theirs: theirs[index] ?? '' };
    const count = counts.get(kind) ?? { all: 0, alike: 0, style: 0, theirs: 0 };
    counts.set(kind, count);
    count.all += 1;
    // The end of the sentence stays, whatever stands before it.
    expect([text, reading.ours.at(-1)]).toEqual([text, text.at(-1)]);
    const judgement = kinds.find(({ applies }) => applies(reading));
    if (plain[language](reading.ours) === plain[language](reading.theirs)) count.alike += 1;
    else if (judgement === undefined) unexplained.push(reading);
    else {
      count[judgement.verdict] += 1;
      used.add(judgement.what);
    }
  }
  console.table(Object.fromEntries(counts));
  // A judgement that nothing needs is out of date.
  expect(kinds.map(({ what }) => what).filter((what) => !used.has(what))).toEqual([]);
  expect(unexplained.slice(0, 20)).toEqual([]);
});
