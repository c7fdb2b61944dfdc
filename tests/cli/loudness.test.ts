/** `--loudness` and the silence around speech, of texts and books. */
import { readdir, readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { shortBook, writeEpub } from '../book/write-epub.ts';
import { type FakeOptions, failingAt } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, expectEnd, invoke } from './invoke.ts';
import { smallModel } from './small-model.ts';

/** Audible, for more than the 0.4 s that loudness needs. */
const fake: FakeOptions = {
  ...{ stopAt: 6, firstLevel: 1, tone: true, loudness: () => 0.02 },
  info: { patchSamples: 1_600, contextLength: 100_000 },
};

const model = smallModel();
const folder = freshFolder();
const at = (name: string): string => folder.join(name);
const svc = (argv: readonly string[], circumstances: Circumstances = { backend: fake }) =>
  invoke([...argv, '--seed', '7', '--backend', 'cpu', '--threads', '1'], circumstances);
const text = ['tts', 'One two three. Four five six.'];

describe('a text', () => {
  it('is as loud as asked, with silence around it, and its captions follow', async () => {
    const captions = ['--captions', at('out.json')];
    const demo = { openEngine: createEngine };
    const quick = [...text, '--inference-timesteps', '4'];
    const usual = await svc([...quick, '-o', at('usual.wav'), '--json', '--captions', at('usual.json')], demo);
    const around = ['--head-silence', '0.5', '--tail-silence', '1'];
    const { code, stderr, stdout } = await svc(
      [...quick, ...['-o', at('out.wav'), '--json', '--loudness', 'audiobook', ...around, ...captions]],
      demo,
    );
    expect([code, stderr]).toEqual([0, '']);
    const { audioSeconds, levels } = JSON.parse(stdout.toString());
    expect(levels).toMatchObject({ loudness: expect.closeTo(-20, 0), acx: expect.any(Array) });
    expect(audioSeconds).toBeCloseTo(JSON.parse(usual.stdout.toString()).audioSeconds + 1.5, 3);
    const { samples, sampleRate } = await readAudioFile(at('out.wav'));
    expect(samples.length / sampleRate).toBeCloseTo(audioSeconds, 3);
    const sound = samples.findIndex((value) => value !== 0) / sampleRate;
    expect(sound).toBeGreaterThanOrEqual(0.5);
    const starts = await Promise.all(
      ['usual', 'out'].map(async (name) => JSON.parse(await readFile(at(`${name}.json`), 'utf8')).sentences[0].start),
    );
    expect(starts[1] - starts[0]).toBeCloseTo(0.5, 3);
    expect((await readdir(folder.path)).sort()).toEqual(['out.json', 'out.wav', 'usual.json', 'usual.wav']);
  });

  it('goes to standard output too', async () => {
    const { code, stdout, stderr } = await svc([...text, '-o', '-', '--loudness', '-20', '--json']);
    expect([code, stdout.subarray(0, 4).toString()]).toEqual([0, 'RIFF']);
    expect(JSON.parse(stderr).levels.loudness).toBeCloseTo(-20, 0);
  });

  it('needs a file to be as loud as asked', async () => {
    const loudspeaker = { find: async () => ({ status: 'ok', summary: '' }), open: async () => never() };
    const outcome = await invoke([...text, '--loudness', '-18'], { loudspeaker } as never);
    expectEnd(outcome, 2, 'svc: error: --loudness needs an audio file: name it with --output\n');
  });
});

const never = (): never => {
  throw new Error('not to be opened');
};

describe('a book', () => {
  let epub: string;
  beforeEach(async () => {
    epub = await writeEpub(at('in.epub'), shortBook);
  });
  const speak = (name: string, settings: readonly string[], circumstances?: Circumstances) =>
    svc(['tts', '--text-file', epub, '-o', at(name), '--quiet', '--json', ...model, ...settings], circumstances);
  const around = ['--head-silence', '0.5', '--tail-silence', '1'];

  it('is as loud as asked, with its chapters where they are', async () => {
    const usual = JSON.parse((await speak('usual.flac', [])).stdout.toString());
    const { code, stdout } = await speak('out.flac', ['--loudness', '-24', ...around, '--captions', at('out.json')]);
    expect(code).toBe(0);
    const { chapters, audioSeconds, levels } = JSON.parse(stdout.toString());
    expect(levels.loudness).toBeCloseTo(-24, 0);
    expect(audioSeconds).toBeCloseTo(usual.audioSeconds + 1.5, 3);
    expect(chapters.map(({ start }: { start: number }) => start)).toEqual([
      0,
      expect.closeTo(usual.chapters[1].start + 0.5, 3),
    ]);
    const { samples, sampleRate } = await readAudioFile(at('out.flac'));
    expect(samples.length / sampleRate).toBeCloseTo(audioSeconds, 2);
    const { sentences } = JSON.parse(await readFile(at('out.json'), 'utf8'));
    expect(sentences[0].start).toBeGreaterThanOrEqual(0.5);
    expect(sentences[0].start).toBeLessThan(0.6);
    expect(sentences[2].start).toBeGreaterThanOrEqual(chapters[1].start);
    expect(sentences[2].start).toBeLessThan(chapters[1].start + 0.1);
  });

  it('has the levels of each file in a folder', async () => {
    const { stdout } = await speak('out/', ['--response-format', 'flac', '--loudness', 'podcast', ...around]);
    const { chapters } = JSON.parse(stdout.toString());
    for (const { file, end, levels } of chapters) {
      expect(levels.loudness).toBeCloseTo(-16, 0);
      const { samples, sampleRate } = await readAudioFile(at(`out/${file}`));
      expect(samples.length / sampleRate).toBeCloseTo(end, 2);
    }
  });

  it.each(['out.flac', 'out/'])('resumes with the same bytes (%s)', async (name) => {
    const failing = failingAt(18, fake);
    const settings = ['--response-format', 'flac', '--loudness', '-20'];
    expect((await speak(name, settings, { backend: failing })).code).toBe(1);
    // A folder has finished files, a single file is written at the end.
    const other = await speak(name, ['--response-format', 'flac', '--loudness', '-21'], { backend: failing });
    expect(other.stderr.includes('has an unfinished run, made from another')).toBe(name === 'out/');
    expect((await speak(name, settings, { backend: fake })).code).toBe(0);
    expect((await speak(`whole-${name}`, settings, { backend: fake })).code).toBe(0);
    const files = name === 'out/' ? (await readdir(at(name))).map((file) => `/${file}`) : [''];
    expect(files.length).toBe(name === 'out/' ? 2 : 1);
    for (const file of files) {
      const [one, whole] = await Promise.all([readFile(at(`${name}${file}`)), readFile(at(`whole-${name}${file}`))]);
      expect(one?.equals(whole as Buffer)).toBe(true);
    }
  });
});
