/** Runs the commands of README and docs as they are written, beside the files that they name, with a fake model. */
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Loudspeaker } from '../../src/cli/io.ts';
import { writeEpub } from '../book/write-epub.ts';
import { invoke } from '../cli/invoke.ts';
import { smallModel } from '../cli/small-model.ts';
import { freshFolder, sharedFolder } from '../support/test-folder.ts';
import { commandsIn, pagesIn } from './commands-in.ts';

const root = process.cwd();
/** Each once, with the pages that name it. */
const places = new Map<string, { readonly words: readonly string[]; readonly pages: Set<string> }>();
for (const page of pagesIn(root)) {
  for (const words of commandsIn(readFileSync(join(root, page), 'utf8'))) {
    const key = JSON.stringify(words);
    if (!places.has(key)) places.set(key, { words, pages: new Set() });
    places.get(key)?.pages.add(page);
  }
}
const commands = [...places.values()].map(
  ({ words, pages }) => [`${[...pages].join(', ')}: svc ${words.join(' ')}`, words] as const,
);

/** Commands that need more than files, with the tests that run them. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^(serve|worker|mcp)\b/, 'runs until it is stopped: tests/server, tests/wyoming, tests/system'],
  [/^batch .*--broker/, 'needs Redis: tests/system/broker-batch.test.ts'],
  [/^tts .*--lora/, 'needs a model that takes adapters: tests/cli/lora.test.ts'],
  [/^models\b|--model modelscope:/, 'needs the model hub: tests/cli/models.test.ts, tests/hub'],
  [/--check-with/, 'needs a recognizer: tests/cli/check-with.test.ts'],
  [/^doctor\b/, 'examines the machine: tests/doctor'],
  [/^bench\b/, 'measures for minutes: tests/cli/bench.test.ts'],
  [/--steps|VoxCPM2-BaseLM-F16/, 'needs what another step or tool wrote: tests/export'],
  [/--respeak/, 'needs a book that was spoken: tests/cli/book'],
  [/^tts --model-path VoxCPM-0\.5B/, 'converts a checkpoint first: tests/cli/published-checkpoint.test.ts'],
];

const checkpoint = join(root, 'tests', 'fixtures', 'tiny-v1', 'checkpoint');
const adapter = join(root, 'tests', 'fixtures', 'lora', 'tiny-v1-all', 'lora');
const recording = readFileSync(join(root, 'tests', 'fixtures', 'tiny-v1', 'prompt_a.wav'));

const loudspeaker: Loudspeaker = {
  find: async () => ({ name: 'playback', status: 'ok', summary: 'an audio output' }),
  open: async () => ({ write: async () => undefined, finish: async () => undefined, abort: async () => undefined }),
};

/** The files that the pages name. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'letter.txt': 'Dear Anna, how are you?',
  'chapter.txt': 'Once upon a time.',
  'texts.txt': 'Hello.\nGood morning.\n',
  'lines.txt': 'Hello.\nGood morning.\n',
  'lines.jsonl': '{"text": "Hello."}\n',
  'table.csv': 'text,id\nHello.,first\n',
  'talk.txt': 'Anna: Hello.\nBen: Hi.\n',
  'interview.txt': 'Anna: Hello.\nBen: Hi.\n',
  'book.md': '# A book\n\nHello there.\n',
  'README.md': '# A page\n\nHello there.\n',
  'talk.srt': '1\n00:00:00,000 --> 00:00:09,000\nHello.\n',
  'talk.vtt': 'WEBVTT\n\n00:00.000 --> 00:09.000\n<v Anna>Hello.\n',
  'me.m4a': readFileSync(join(root, 'tests', 'fixtures', 'audio', 'mono-16-khz.m4a')),
  'me.wav': recording,
  'anna.wav': recording,
  'ben.wav': recording,
  'noisy.wav': recording,
};

/** A book of as many chapters as a command names. */
const bookFor = (words: readonly string[]) => ({
  title: 'The Book',
  author: 'A. Writer',
  chapters: Array.from(
    { length: words.includes('--chapters') ? 12 : 1 },
    (_, at) => [`${at + 1}`, '<p>Some words.</p>'] as const,
  ),
});

/** Takes seconds: they run until their options and files are accepted, and tests/export runs the rest. */
const isLong = (words: readonly string[]): boolean => words.join(' ').startsWith('export --format onnx');

const [, model] = smallModel();
const voices = join(sharedFolder(), 'voices.sqlite');
const folder = freshFolder();

const run = (words: readonly string[], store = folder.join('voices.sqlite')) =>
  invoke(
    // A file stands for the models of the hub and the demo model.
    words.flatMap((word, at) =>
      word === '--model' ? ['--model-path'] : words[at - 1] === '--model' ? [model] : [word],
    ),
    {
      backend: {
        stopAt: 4,
        firstLevel: 0.1,
        info: {
          patchSamples: 1_600,
          contextLength: 100_000,
          ...(words.includes('--reference-audio') && { architecture: 'voxcpm2' }),
        },
      },
      environment: {
        SVC_SQLITE_PATH: store,
        SVC_CACHE_DIR: join(dirname(store), 'cache'),
        SVC_MODELS_DIR: dirname(model),
      },
      loudspeaker,
      stdin: 'Hello there.',
      ...(isLong(words) && { signal: AbortSignal.abort() }),
    },
  );

/** Writes the files that a command names, and adds the voices. */
async function prepare(words: readonly string[]): Promise<void> {
  if (words[0] !== 'voices' || words[1] !== 'add') copyFileSync(voices, folder.join('voices.sqlite'));
  for (const [name, content] of Object.entries(files)) writeFileSync(folder.join(name), content);
  if (words.some((word) => word.includes('book.epub'))) await writeEpub(folder.join('book.epub'), bookFor(words));
  if (words.includes('VoxCPM-0.5B')) cpSync(checkpoint, folder.join('VoxCPM-0.5B'), { recursive: true });
  for (const name of ['anna-lora', 'ben-lora', 'checkpoints/latest'])
    if (words.some((word) => word.includes(name))) cpSync(adapter, folder.join(name), { recursive: true });
  if (words.includes('--cast')) await run(['book', 'cast', 'book.epub', '--suggest', '-o', 'cast.yaml']);
}

beforeAll(async () => {
  const audio = join(root, 'tests', 'fixtures', 'tiny-v1', 'prompt_a.wav');
  for (const name of ['anna', 'ben']) {
    const added = await run(['voices', 'add', name, '--audio', audio, '--text', 'What she says.'], voices);
    expect(added.code).toBe(0);
  }
});
beforeEach(() => process.chdir(folder.path));
afterEach(() => process.chdir(root));

describe('the commands of the documentation', () => {
  const here = commands.filter(([, words]) => !elsewhere.some(([pattern]) => pattern.test(words.join(' '))));

  it.each(here)('%s', async (_name, words) => {
    await prepare(words);
    const { code, stderr } = await run(words);
    if (isLong(words)) {
      expect([code, stderr]).toEqual([130, 'svc: canceled\n']);
      return;
    }
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const option = words.findIndex((word) => ['-o', '--output', '--output-dir'].includes(word));
    const output = option < 0 ? '-' : (words[option + 1] as string);
    if (output !== '-') expect(existsSync(folder.join(output))).toBe(true);
  });

  it('are run by other tests for a reason that applies', () => {
    const unused = elsewhere.filter(([pattern]) => !commands.some(([, words]) => pattern.test(words.join(' '))));
    expect(unused).toEqual([]);
    expect(here.length).toBeGreaterThan(50);
  });
});
