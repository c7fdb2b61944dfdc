/** `svc tts` on an EPUB, with a fake backend. */

import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parseFile } from 'music-metadata';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { tone } from '../../audio/tone.ts';
import { png, shortBook, writeEpub } from '../../book/write-epub.ts';
import { audible, createFakeBackend, type FakeOptions, failingAt } from '../../engine/fake-backend.ts';
import { eventually } from '../../support/eventually.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { type Circumstances, expectEnd, expectEndWith, invoke, jsonOf } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
let epub: string;
beforeEach(async () => {
  epub = await writeEpub(folder.join('in.epub'), {
    title: 'The Book',
    author: 'A. Writer',
    cover: png,
    chapters: [
      ['Part One', '<h1>Part One</h1>'],
      ['1: Begin?', '<h1>Begin</h1><p>The first words.</p><p>And more.</p>'],
      ['2. Middle', '<h1>Middle</h1><p>Second chapter.</p>'],
      ['3. End', '<p>The end.</p>'],
    ],
  });
});

const at = (name: string): string => folder.join(name);
const speak = (name: string, settings: readonly string[] = [], circumstances: Circumstances = {}) =>
  invoke(['tts', '--text-file', epub, '-o', at(name), '--seed', '7', ...model, ...settings], {
    backend: audible,
    ...circumstances,
  });
const files = async (): Promise<readonly string[]> => (await readdir(folder.path)).sort();

describe('a single file', () => {
  it('has the chapters, the author and the cover of the book, and --json says where they are', async () => {
    const { code, stdout, stderr } = await speak('out.m4b', ['--json']);
    expect([code, stderr]).toEqual([
      0,
      'svc: warning: the chapter "Part One" has no words besides its title and is left out\n',
    ]);
    const report = JSON.parse(stdout.toString());
    const { common, format } = await parseFile(at('out.m4b'), { includeChapters: true, duration: true });
    expect(common).toMatchObject({ title: 'The Book', artist: 'A. Writer' });
    expect(common.picture?.map(({ data }) => Buffer.from(data))).toEqual([png]);
    expect([(await readFile(at('out.m4b'))).subarray(4, 12).toString(), common.media]).toEqual(['ftypM4B ', undefined]);
    expect(format.chapters?.map(({ title, start }) => [title, start / 1000])).toEqual(
      report.chapters.map(({ title, start }: { title: string; start: number }) => [title, start]),
    );
    expect(report.chapters.map(({ title }: { title: string }) => title)).toEqual(['1: Begin?', '2. Middle', '3. End']);
    expect(report.chapters.at(-1).end).toBe(report.audioSeconds);
    expect(report).toMatchObject({ seed: 7, output: at('out.m4b'), sampleRate: 16_000 });
    expect(await files()).toEqual(['in.epub', 'out.m4b']);
  });

  it('has captions that follow its chapters', async () => {
    const { stdout } = await speak('out.flac', ['--json', '--captions', at('out.json')]);
    const { chapters } = JSON.parse(stdout.toString());
    const { sentences } = JSON.parse(await readFile(at('out.json'), 'utf8'));
    const startOf = (text: string): number =>
      sentences.find((sentence: { text: string }) => sentence.text === text).start;
    expect(sentences.map(({ text }: { text: string }) => text)).toEqual([
      'Begin',
      'The first words.',
      'And more.',
      'Middle',
      'Second chapter.',
      'The end.',
    ]);
    expect(startOf('Begin')).toBeLessThan(0.1);
    expect(Math.abs(startOf('Middle') - chapters[1].start)).toBeLessThan(0.1);
    expect(Math.abs(startOf('The end.') - chapters[2].start)).toBeLessThan(0.1);
  });

  it('has captions that go forward around a part without sound', async () => {
    const backend = { ...audible, loudness: (session: number) => (session === 4 ? 0 : 1) };
    const settings = ['--captions', at('out.json'), '--no-retry-badcase'];
    expect((await speak('out.flac', settings, { backend })).code).toBe(0);
    const { sentences }: { sentences: { start: number; end: number }[] } = JSON.parse(
      await readFile(at('out.json'), 'utf8'),
    );
    expect(sentences).toHaveLength(5);
    for (const [index, { start }] of sentences.entries())
      expect(start).toBeGreaterThanOrEqual(sentences[index - 1]?.end ?? 0);
  });

  it.each([['--no-cover'], ['--cover']])('takes %s', async (flag) => {
    const other = Buffer.concat([png, Buffer.from('other')]);
    await writeFile(at('other.png'), other);
    await speak('out.flac', flag === '--cover' ? [flag, at('other.png')] : [flag]);
    const { common } = await parseFile(at('out.flac'));
    expect(common.picture?.map(({ data }) => Buffer.from(data))).toEqual(flag === '--cover' ? [other] : undefined);
  });

  it('is shown as it grows, chapter by chapter', async () => {
    const { stderr } = await speak('out.mp3', [], { terminal: 'stderr' });
    const phases = new Map<string, number[]>();
    // Autowrap is switched off before each drawing.
    for (const [, label = '', percent] of stderr.matchAll(/\?7l(.+?) \[=* *\] (\d+) %/g)) {
      phases.set(label, [...(phases.get(label) ?? []), Number(percent)]);
    }
    const labels = ['chapter 1 of 3', 'chapter 2 of 3', 'chapter 3 of 3', expect.stringMatching(/^writing /)];
    expect([...phases.keys()]).toEqual(labels);
    const [first = [], second = [], third = [], writing = []] = phases.values();
    expect([first[0], third.at(-1), writing.at(-1)]).toEqual([0, 100, 100]);
    expect([second[0], third[0]]).toEqual([first.at(-1), second.at(-1)]);
    const spoken = [...first, ...second, ...third];
    for (const shares of [spoken, writing]) expect(shares).toEqual([...shares].sort((one, other) => one - other));
    expect(first.at(-1)).toBeGreaterThan(40);
    expect(second.at(-1)).toBeLessThan(100);
    expect(writing[0]).toBeLessThan(100);
  });

  it('is spoken at --speed, its pauses too', async () => {
    const lengths = [];
    for (const speed of ['1', '2']) {
      const { stdout } = await speak('out.flac', ['--json', '--speed', speed]);
      lengths.push(JSON.parse(stdout.toString()).chapters[2]);
    }
    const [slow, fast] = lengths.map(({ start, end }) => end - start) as [number, number];
    expect(slow / fast).toBeCloseTo(2, 1);
  });
});

describe('a folder', () => {
  it('has a file for each chapter, with title, album and number', async () => {
    const { code, stdout } = await speak('out/', ['--json', '--response-format', 'flac']);
    expect(code).toBe(0);
    const names = ['01 - 1 Begin.flac', '02 - 2. Middle.flac', '03 - 3. End.flac'];
    expect(await readdir(at('out'))).toEqual(names);
    expect(JSON.parse(stdout.toString()).chapters.map(({ file }: { file: string }) => file)).toEqual(names);
    const { common } = await parseFile(join(at('out'), '02 - 2. Middle.flac'));
    expect(common).toMatchObject({
      title: '2. Middle',
      album: 'The Book',
      artist: 'A. Writer',
      track: { no: 2, of: 3 },
    });
  });

  it.each(['mp3', 'opus', 'wav', 'aac', 'pcm'] as const)('holds %s', async (format) => {
    await mkdir(at('out'));
    const { code } = await speak('out', ['--response-format', format, '--chapters', '3']);
    expect(code).toBe(0);
    expect(await readdir(at('out'))).toEqual([`03 - 3. End.${format}`]);
  });
});

describe('a run that ends early', () => {
  it.each(['out.flac', 'out/'])('is resumed, with the same bytes as one that does not (%s)', async (name) => {
    const format = ['--response-format', 'flac'];
    const outcome = await speak(name, ['--quiet', ...format], { backend: failingAt(34) });
    expectEnd(outcome, 1, /out of luck; run the same command again to resume\n$/);
    expect(await stat(at('out.flac')).catch(() => undefined)).toBeUndefined();
    const again = await speak(name, format);
    expectEndWith(again, 0, 'svc: resuming: 1 of 3 chapters are finished\n');
    const whole = `whole-${name}`;
    const { backend } = await speak(whole, format);
    // Only what was missing was spoken.
    expect(again.backend.opened.length).toBeLessThan(backend.opened.length);
    for (const file of name === 'out/' ? await readdir(at(name)) : ['']) {
      expect((await readFile(join(at(name), file))).equals(await readFile(join(at(whole), file)))).toBe(true);
    }
    expect((await files()).filter((left) => /unfinished/.test(left))).toEqual([]);
  });

  it('leaves nothing if nothing was finished', async () => {
    const { stderr } = await speak('out.flac', ['--quiet'], { backend: failingAt(2) });
    expect(stderr).toBe('svc: error: out of luck\n');
    expect(await files()).toEqual(['in.epub']);
  });

  it('ends at once on Ctrl-C, and is resumed with the seed of its beginning', async () => {
    const controller = new AbortController();
    let steps = 0;
    const onCall: FakeOptions['onCall'] = ({ kind }) => {
      if (kind === 'step' && ++steps === 20) controller.abort();
    };
    const unseeded = (circumstances: Circumstances) =>
      invoke(['tts', '--text-file', epub, '-o', at('out.flac'), '--json', ...model], circumstances);
    const interrupted = { backend: { ...audible, onCall }, signal: controller.signal };
    const { code, stderr } = await unseeded(interrupted);
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      130,
      expect.stringContaining('run the same command again to resume'),
    ]);
    const { seed } = JSON.parse(await readFile(at('out.flac.unfinished/manifest.json'), 'utf8'));
    expect(jsonOf(await unseeded({ backend: audible })).seed).toBe(seed);
  });

  it('is not mixed with another seed, speed, guidance or captions', async () => {
    await speak('out.flac', ['--quiet'], { backend: failingAt(34) });
    for (const settings of ['--seed 8', '--speed 1.5', '--cfg-value 3', '--captions x.srt']) {
      const { code, stderr } = await speak('out.flac', ['--quiet', ...settings.split(' ')]);
      expect([settings, code, stderr]).toEqual([
        settings,
        1,
        `svc: error: "${at('out.flac')}.unfinished" has an unfinished run, made from another book or with another voice, model, options or version of svc; run that command again to finish it, or delete the folder to start over\n`,
      ]);
    }
  });

  it('leaves a folder alone that it has not made', async () => {
    await mkdir(at('out.flac.unfinished'));
    await writeFile(at('out.flac.unfinished/mine.txt'), 'mine');
    expectEndWith(await speak('out.flac', ['--quiet']), 1, '.unfinished" is not a folder of svc; move it away');
    expect(await readFile(at('out.flac.unfinished/mine.txt'), 'utf8')).toBe('mine');
  });

  it.each(['null', '3', '{"hash":"x"}', '{"hash":{},"seed":1}'])(
    'refuses a folder with the manifest %s',
    async (text) => {
      await mkdir(at('out.flac.unfinished'));
      await writeFile(at('out.flac.unfinished/manifest.json'), text);
      expectEndWith(await speak('out.flac', ['--quiet']), 1, '.unfinished" is not a folder of svc; move it away');
    },
  );

  it('does without parts that were changed or cut', async () => {
    await speak('out.flac', ['--quiet'], { backend: failingAt(34) });
    const [json, pcm] = [at('out.flac.unfinished/chapter-001.json'), at('out.flac.unfinished/chapter-001.pcm')];
    const [text, sound] = await Promise.all([readFile(json, 'utf8'), readFile(pcm)]);
    const kept = JSON.parse(text);
    for (const change of [
      null,
      [],
      { ...kept, sentences: null },
      { ...kept, warnings: [1] },
      { ...kept, file: '../in.epub' },
      // Section of a version of svc that reads the chapter otherwise.
      { ...kept, print: 'other' },
    ]) {
      await writeFile(json, JSON.stringify(change));
      await writeFile(pcm, sound);
      expectEndWith(await speak('out.flac', [], { backend: failingAt(1) }), 1, '0 of 3 chapters are finished');
    }
    await writeFile(json, text);
    await writeFile(pcm, 'cut');
    expectEndWith(await speak('out.flac'), 0, '0 of 3 chapters are finished');
    await speak('whole.flac');
    expect((await readFile(at('out.flac'))).equals(await readFile(at('whole.flac')))).toBe(true);
  });

  it('leaves files alone that it has not written', async () => {
    await speak('out.flac', ['--quiet'], { backend: failingAt(34) });
    for (const name of ['mine.tmp', 'notes.txt']) await writeFile(at(`out.flac.unfinished/${name}`), 'mine');
    expect((await speak('out.flac')).code).toBe(0);
    expect(await readdir(at('out.flac.unfinished'))).toEqual(['mine.tmp', 'notes.txt']);
  });

  it('follows no symbolic links', async () => {
    await mkdir(at('elsewhere'));
    await symlink(at('elsewhere'), at('out.flac.unfinished'));
    expectEndWith(await speak('out.flac', ['--quiet']), 1, '.unfinished" is a symbolic link; remove it');
    expect(await readdir(at('elsewhere'))).toEqual([]);
    await speak('other.flac', ['--quiet'], { backend: failingAt(34) });
    await symlink(epub, at('other.flac.unfinished/chapter-003.pcm'));
    expectEndWith(await speak('other.flac', ['--quiet']), 1, '.unfinished" is not a folder of svc; move it away');
  });
});

describe('the voice', () => {
  const own: FakeOptions = { ...audible, stopAt: 40, info: { patchSamples: 1_600, inputPatchSamples: 1_600 } };

  it('of a short recording is warned about', async () => {
    await writeFile(at('short.wav'), encodeWav(tone(300, 0.5, 16_000), 16_000));
    const recorded = ['--prompt-audio', at('short.wav'), '--prompt-text', 'Said.'];
    expectEndWith(await speak('out.flac', recorded), 0, 'warning: the prompt audio is only 0.50 seconds long');
  });

  it('is that of the first words where a model would choose one for each chapter', async () => {
    await writeEpub(epub, shortBook);
    const { code, stderr, backend } = await speak('out.flac', ['--quiet'], { backend: own });
    expect([code, stderr]).toEqual([0, '']);
    expect(backend.log.filter((entry) => entry.startsWith('encode'))).toHaveLength(1);
    const { audio } = backend;
    expect(audio[0]).toBe(0);
    // The three parts of the book, at least.
    expect(audio.length).toBeGreaterThan(3);
    for (const prompt of audio.slice(-3)) expect(prompt).toBe(audio.at(-1));
    expect(audio.at(-1)).toBeGreaterThan(30);
  });

  it('is kept when the run is resumed', async () => {
    await writeEpub(epub, shortBook);
    await speak('whole.flac', [], { backend: own });
    await speak('out.flac', [], { backend: failingAt(130, own) });
    const { code, backend } = await speak('out.flac', [], { backend: own });
    expect([code, backend.log.filter((entry) => entry.startsWith('encode'))]).toEqual([0, []]);
    expect((await readFile(at('out.flac'))).equals(await readFile(at('whole.flac')))).toBe(true);
  });
});

describe('refused', () => {
  it('a book of pictures', async () => {
    await writeEpub(epub, { title: 'Pictures', chapters: [['One', '<img src="x.png"/>']] });
    expectEnd(await speak('x.flac', ['--quiet']), 2, `svc: error: the book "${epub}" has nothing to speak\n`);
  });

  it('a book on standard input; under another name it is read', async () => {
    const bytes = await readFile(epub);
    const outcome = await invoke(['tts', '-o', at('x.mp3')], { stdin: bytes });
    expectEnd(outcome, 2, /is a ZIP archive; unpack it, or name a book in a file that ends in \.epub/);
    await writeFile(at('book.zip'), bytes);
    const listed = await invoke(['tts', '--text-file', at('book.zip'), '--list', '--quiet']);
    expect([listed.code, listed.stdout.toString()]).toEqual([0, expect.stringContaining('Begin')]);
  });

  it('a second run for the same output', async () => {
    const controller = new AbortController();
    const backend = createFakeBackend(audible);
    const release = backend.hold();
    const first = speak('out.flac', ['--quiet'], { backend, signal: controller.signal });
    await eventually(() => backend.calls.length > 0, 'the first run speaks');
    const waiting = /waiting for another run that writes to ".*out\.flac"/;
    const stopping = new AbortController();
    const stderr = new PassThrough().setEncoding('utf8').on('data', (text) => {
      if (waiting.test(text)) stopping.abort();
    });
    const second = await speak('out.flac', [], { signal: stopping.signal, stderr });
    expect(second.code).toBe(130);
    controller.abort();
    release();
    expect((await first).code).toBe(130);
    expect(basename(epub)).toBe('in.epub');
  });
});
