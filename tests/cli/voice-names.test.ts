/** Voice names on the command line, also with a model that has a single voice. */
import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../src/audio/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { type Circumstances, invoke, type Outcome } from './invoke.ts';

let folder: string;
let out: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-voice-names-'));
  out = join(folder, 'out.wav');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';

const svc = (argv: readonly string[], circumstances: Circumstances = {}): Promise<Outcome> =>
  invoke(argv, {
    backend: { stopAt: 4, info: { maxLength: 100_000 } },
    environment: { SVC_SQLITE_PATH: join(folder, 'voices.sqlite') },
    ...circumstances,
  });

/** With the demo model, opened as svc does. */
const demo = (...argv: string[]): Promise<Outcome> =>
  svc([...argv, '--backend', 'cpu', '--threads', '1'], { openEngine: createEngine });

const speak = (...more: string[]): string[] => ['tts', '--text', 'hello', '--output', out, ...more];
const encodings = ({ backend }: Outcome): number => backend.calls.filter(({ kind }) => kind === 'encode').length;
const jsonOf = ({ stdout }: Outcome): unknown => JSON.parse(stdout.toString());

async function expectSpeech(path: string): Promise<void> {
  const { samples, sampleRate } = await readAudioFile(path);
  expect(samples.length / sampleRate).toBeGreaterThan(0.5);
  expect(samples.some((value) => Math.abs(value) > 0.1)).toBe(true);
}

/** A folder with `anna.wav` and its transcript. */
async function folderOfAnna(): Promise<string> {
  const voices = join(folder, 'voices');
  await mkdir(voices);
  await copyFile(recording, join(voices, 'anna.wav'));
  await writeFile(join(voices, 'anna.txt'), 'What Anna says.\n');
  return voices;
}

describe('--voice', () => {
  it('accepts the voices included with svc, like the server', async () => {
    const outcome = await svc(speak('--voice', 'demo'));
    expect([outcome.code, outcome.stderr, encodings(outcome)]).toEqual([0, '', 1]);
  });

  it.each([
    ['--voice', 'anna'],
    ['--voices', 'Anna=anna'],
  ])('lists only voices that the model offers: %s %s', async (...options) => {
    const unknown = async (...model: string[]): Promise<string> => (await svc(speak(...options, ...model))).stderr;
    expect(await unknown()).toContain('unknown voice "anna" (available: default; see');
    expect(await unknown('--model-path', 'tests/fixtures/peer-tiny-v2.gguf')).toContain(
      'unknown voice "anna" (available: default, demo, demo-slow; see',
    );
    expect(await unknown('--model', 'voxcpm-2')).toContain('(available: default, demo, demo-slow; see');
  });

  it("maps names of the public speech API to the model's own voice with fixed seeds", async () => {
    const seeds = [];
    for (const more of [
      ['--voice', 'alloy'],
      ['--voice', 'echo'],
      ['--voice', 'echo', '--seed', '7'],
    ]) {
      const outcome = await svc(speak(...more, '--json'));
      expect([outcome.code, encodings(outcome)]).toEqual([0, 0]);
      seeds.push((jsonOf(outcome) as { readonly seed: number }).seed);
    }
    expect(seeds).toEqual([1, 6, 7]);
    expect((await svc(speak('--voice', 'default'))).code).toBe(0);
  });

  it('uses recordings in --voice-dir, unless a stored voice is newer', async () => {
    const voices = ['--voice-dir', await folderOfAnna()];
    const environment = {};
    const named = speak('--voice', 'anna', ...voices);
    /** The number of tokens distinguishes the transcripts. */
    const tokens = async (): Promise<number | undefined> =>
      (await svc(named, { environment })).backend.prefixes[0]?.audioMask.filter((isAudio) => isAudio === 0).length;
    const ofFile = (await tokens()) ?? 0;
    await svc(['voices', 'add', 'anna', '--audio', recording, '--text', 'Stored.', ...voices], { environment });
    expect(await tokens()).toBe(ofFile - ('What Anna says.'.length - 'Stored.'.length));
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder, 'voices', 'anna.txt'), later, later);
    expect(await tokens()).toBe(ofFile);
    expect(await svc(speak('--voice', 'bob', ...voices), { environment })).toMatchObject({
      code: 3,
      stderr: `svc: error: unknown voice "bob" (available: default, anna; see 'svc voices list')\n`,
    });
  });

  it('accepts the same names in a batch, and detects changed recordings', async () => {
    const voices = await folderOfAnna();
    const input = join(folder, 'lines.jsonl');
    const lines = ['demo', 'anna', 'alloy', 'demo'].map((voice) => JSON.stringify({ text: 'hello', voice }));
    await writeFile(input, lines.join('\n'));
    const argv = ['batch', '--input', input, '--output-dir', join(folder, 'spoken'), '--voice-dir', voices, '--json'];
    const first = await svc(argv);
    expect([first.code, first.stderr, encodings(first)]).toEqual([0, '', 2]);
    expect(jsonOf(first)).toMatchObject({ done: 4, warned: 0 });
    expect(jsonOf(await svc(argv))).toMatchObject({ done: 0, skipped: 4 });
    await writeFile(join(voices, 'anna.txt'), 'Something else.');
    expect(jsonOf(await svc(argv))).toMatchObject({ done: 1, skipped: 3 });
  });
});

describe('svc voices', () => {
  it('lists the voices that the model can use', async () => {
    const voices = ['--voice-dir', await folderOfAnna()];
    const names = async (...more: string[]): Promise<readonly string[]> => {
      const { voices: listed } = jsonOf(await svc(['voices', 'list', '--json', ...more])) as {
        readonly voices: readonly { readonly id: string }[];
      };
      return listed.map(({ id }) => id);
    };
    // The demo model has a single voice.
    expect(await names()).toEqual([]);
    expect(await names(...voices)).toEqual(['anna']);
    const other = ['--model-path', 'tests/fixtures/peer-tiny-v1.gguf'];
    expect(await names(...other, ...voices)).toEqual(['anna', 'demo', 'demo-slow']);
    const table = await svc(['voices', 'list', ...other]);
    expect(table.stdout.toString()).toMatch(/^NAME .*\ndemo +prompt +\d\.\d s +-\ndemo-slow +prompt +\d\.\d s +-\n$/);
    expect((await svc(['voices', 'show', 'demo'])).stdout.toString()).toMatch(/^name +demo\nuse +prompt\ntext +\w/);
  });
});

describe('the demo model', () => {
  const clone = ['clone', '--text', 'Hello there.', '--seed', '3'];
  const transcript = async (): Promise<string> => readFile('models/voices/demo.txt', 'utf8');

  it.each([
    [
      'a prompt',
      async () => ['--prompt-audio', 'models/voices/demo.wav', '--prompt-text', await transcript()],
      'the prompt',
    ],
    ['a reference', async () => ['--reference-audio', recording], 'the reference'],
    ['a voice', async () => ['--voice', 'demo'], 'voice demo'],
  ])('ignores %s with a warning', async (_, options, what) => {
    const warning = `this model has a single voice; ${what} is ignored`;
    const spoken = await demo(...clone, ...(await options()), '--output', out, '--json');
    expect([spoken.code, spoken.stderr]).toEqual([0, `svc: warning: ${warning}\n`]);
    expect(jsonOf(spoken)).toMatchObject({ warnings: [warning], seed: 3 });
    await expectSpeech(out);
    const streamed = await demo(...clone, ...(await options()), '--output', '-');
    expect([streamed.code, streamed.stderr]).toEqual([0, `svc: warning: ${warning}\n`]);
    const quiet = await demo(...clone, ...(await options()), '--output', '-', '--quiet');
    expect([quiet.stderr, quiet.stdout.equals(streamed.stdout)]).toEqual(['', true]);
  });

  it('warns about letters that it cannot read', async () => {
    const { code, stderr } = await demo('tts', '--text', '你好。', '--output', out);
    expect([code, stderr]).toEqual([
      0,
      `svc: warning: this model cannot read "你好" of the text (it speaks English); expect wrong or missing words\n`,
    ]);
  });

  it('warns in the manifest of a batch, and once on standard error', async () => {
    const input = join(folder, 'lines.jsonl');
    const prompt = { promptAudio: 'models/voices/demo.wav', promptText: await transcript() };
    const lines = [
      { id: 'plain' },
      { id: 'voice', voice: 'demo' },
      { id: 'again', voice: 'demo' },
      { id: 'prompt', ...prompt },
    ];
    await writeFile(input, lines.map((line) => JSON.stringify({ text: 'Hello there.', seed: 3, ...line })).join('\n'));
    const spoken = join(folder, 'spoken');
    const { code, stdout, stderr } = await demo('batch', '--input', input, '--output-dir', spoken, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout.toString())).toMatchObject({ done: 4, warned: 3 });
    expect(stderr).toMatch(
      /^svc: warning: line \d \(\w+\) and 1 more: this model has a single voice; voice demo is ignored$/m,
    );
    expect(stderr).toMatch(/^svc: warning: line 4 \(prompt\): this model has a single voice; the prompt is ignored$/m);
    const entries = (await readFile(join(spoken, 'manifest.jsonl'), 'utf8')).trim().split('\n');
    const warnings = Object.fromEntries(
      entries.map((entry) => JSON.parse(entry)).map((entry) => [entry.id, entry.warnings]),
    );
    expect(warnings).toMatchObject({ plain: [], voice: ['this model has a single voice; voice demo is ignored'] });
    for (const { id } of lines) await expectSpeech(join(spoken, `${id}.wav`));
  });
});

describe('silent speech', () => {
  it('is reported', async () => {
    const silent = { backend: { stopAt: 4, loudness: () => 0 } };
    for (const output of [out, '-']) {
      const { code, stderr, backend } = await svc(['tts', '--text', 'hello', '--output', output], silent);
      expect([code, stderr]).toEqual([0, 'svc: warning: the speech is silent; try another seed or another text\n']);
      expect(backend.opened).toHaveLength(3);
    }
  });
});
