/** Voice names on the command line. */
import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { presets } from '../presets.ts';
import { freshFolder } from '../support/test-folder.ts';
import { expectEnd, expectEndWith, invokeIn, type Outcome } from './invoke.ts';
import { smallModel } from './small-model.ts';

const model = smallModel();
const folder = freshFolder();
let out: string;

beforeEach(() => {
  out = folder.join('out.wav');
});

const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';

const svc = invokeIn(folder);

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
  const voices = folder.join('voices');
  await mkdir(voices);
  await copyFile(recording, join(voices, 'anna.wav'));
  await writeFile(join(voices, 'anna.txt'), 'What Anna says.\n');
  return voices;
}

describe('--voice', () => {
  it('accepts the voices included with svc, like the server', async () => {
    const outcome = await svc(speak('--voice', 'alma'));
    expect([outcome.code, outcome.stderr, encodings(outcome)]).toEqual([0, '', 1]);
  });

  it('accepts a mix, which only VoxCPM 2 can speak', async () => {
    const model2 = { backend: { stopAt: 4, info: { architecture: 'voxcpm2' as const, contextLength: 100_000 } } };
    const outcome = await svc(speak('--voice', 'alma(2)+bruno'), model2);
    expect([outcome.code, outcome.stderr, encodings(outcome)]).toEqual([0, '', 2]);
    const earlier = await svc(speak('--voice', 'alma(2)+bruno'));
    expectEndWith(earlier, 2, 'a mix of voices needs a VoxCPM 2 model');
    expect(earlier.backend.calls).toEqual([]);
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
    await utimes(folder.join('voices', 'anna.txt'), later, later);
    expect(await tokens()).toBe(ofFile);
    expect(await svc(speak('--voice', 'bob', ...voices), { environment })).toMatchObject({
      code: 3,
      stderr: `svc: error: unknown voice "bob" (available: default, anna, alma, bruno, celia, dylan, emil, flora, …; see 'svc voices list')\n`,
    });
  });

  it('accepts the same names in a batch, and detects changed recordings', async () => {
    const voices = await folderOfAnna();
    const input = folder.join('lines.jsonl');
    const lines = ['alma', 'anna', 'alloy', 'alma'].map((voice) => JSON.stringify({ text: 'hello', voice }));
    await writeFile(input, lines.join('\n'));
    const output = ['--output-dir', folder.join('spoken'), '--json'];
    const argv = ['batch', '--input', input, ...output, '--voice-dir', voices, ...model];
    const first = await svc(argv);
    expect([first.code, first.stderr, encodings(first)]).toEqual([0, '', 2]);
    expect(jsonOf(first)).toMatchObject({ done: 4, warned: 0 });
    expect(jsonOf(await svc(argv))).toMatchObject({ done: 0, skipped: 4 });
    await writeFile(join(voices, 'anna.txt'), 'Something else.');
    expect(jsonOf(await svc(argv))).toMatchObject({ done: 1, skipped: 3 });
  });
});

describe('svc voices', () => {
  it('lists stored voices, recordings and the voices that come with svc', async () => {
    const voices = ['--voice-dir', await folderOfAnna()];
    const names = async (...more: string[]): Promise<readonly string[]> => {
      const { voices: listed } = jsonOf(await svc(['voices', 'list', '--json', ...more])) as {
        readonly voices: readonly { readonly id: string }[];
      };
      return listed.map(({ id }) => id);
    };
    expect(await names()).toEqual(presets);
    expect(await names(...voices)).toEqual(['anna', ...presets]);
    const table = await svc(['voices', 'list']);
    expect(table.stdout.toString()).toMatch(
      /^NAME .*\nalma +prompt +\d\.\d s +svc +-\nbruno +prompt +\d\.\d s +svc +-\n/,
    );
    expect((await svc(['voices', 'show', 'alma'])).stdout.toString()).toMatch(/^name +alma\nuse +prompt\ntext +\w/);
  });
});

describe('the demo model', () => {
  it.each([
    ['a prompt', ['--prompt-audio', 'models/voices/george.wav', '--prompt-file', 'models/voices/george.txt']],
    ['a voice', ['--voice', 'george']],
  ])('speaks after %s, to a file as to a stream', async (_, options) => {
    const clone = ['clone', '--text', 'Hello there.', '--seed', '3', ...options];
    const spoken = await demo(...clone, '--output', out, '--json');
    expect([spoken.code, spoken.stderr, jsonOf(spoken)]).toMatchObject([0, '', { seed: 3 }]);
    await expectSpeech(out);
    const streamed = await demo(...clone, '--output', '-', '--response-format', 'wav');
    expectEnd(streamed, 0, '');
    expect(streamed.stdout.length).toBeGreaterThan(10_000);
  });

  it('refuses a reference', async () => {
    const outcome = await demo('clone', '--text', 'Hello there.', '--reference-audio', recording, '--output', out);
    expectEndWith(outcome, 2, 'VoxCPM 2');
  });

  it('warns about letters that it cannot read', async () => {
    expectEnd(
      await demo('tts', '--text', '你好。', '--output', out),
      0,
      `svc: warning: this model cannot read "你好" of the text (it speaks English); expect wrong or missing words\n`,
    );
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
