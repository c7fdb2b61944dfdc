/** Choosing chapters of a book: listing, selecting, previewing and speaking them again. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { writeEpub } from '../../book/write-epub.ts';
import { audible, type FakeOptions } from '../../engine/fake-backend.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { expectEnd, invoke } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
let epub: string;
beforeEach(async () => {
  epub = await writeEpub(at('in.epub'), {
    title: 'The Book',
    author: 'A. Writer',
    chapters: [
      ['Part One', '<h1>Part One</h1>'],
      ['Begin', '<h1>Begin</h1><p>The first words. And more.</p>'],
      ['Middle', '<h1>Middle</h1><p>Second chapter. It is long<sup>[1]</sup>.</p>'],
      ['End', '<p>The end. Really.</p>'],
    ],
  });
});

const at = (name: string): string => folder.join(name);
const speakWith = (backend: FakeOptions, name: string, ...settings: readonly string[]) =>
  invoke(['tts', '--text-file', epub, '-o', at(name), '--seed', '7', '--quiet', ...model, ...settings], { backend });
const speak = (name: string, ...settings: readonly string[]) => speakWith(audible, name, ...settings);
/** The cheapest of the formats of books. */
const flac = ['--response-format', 'flac'];
const titlesOf = (stdout: Buffer): readonly string[] =>
  JSON.parse(stdout.toString()).chapters.map(({ title }: { title: string }) => title);

describe('--list', () => {
  it('lists the chapters with their length, without a model or an output', async () => {
    const { code, stdout, opened } = await invoke(['tts', '--text-file', epub, '--list', '--quiet']);
    expect([code, opened]).toEqual([0, []]);
    expect(stdout.toString().split('\n')).toEqual([
      ' no.  characters      time  title',
      '   1          31      0:03  Begin',
      '   2          33      0:03  Middle',
      '   3          16      0:01  End',
      '              80      0:08  The Book by A. Writer',
      'left out: notes (1, first "[1]" behind "cond chapter. It is long"); --keep notes reads them',
      '',
    ]);
  });

  it('lists the chosen ones as JSON', async () => {
    const { stdout } = await invoke(['tts', '--text-file', epub, '--list', '--json', '--quiet', '--chapters', '2-']);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      title: 'The Book',
      author: 'A. Writer',
      chapters: [
        { number: 2, title: 'Middle', characters: 33 },
        { number: 3, title: 'End', characters: 16 },
      ],
      leftOut: { notes: 1 },
      warnings: [expect.stringMatching(/^left out: notes \(1/), expect.stringContaining('"Part One"')],
    });
  });
});

describe('a choice of chapters', () => {
  it.each([
    ['--chapters 1,3', ['Begin', 'End']],
    ['--skip 1-2', ['End']],
    ['--chapters 1-2 --skip 1', ['Middle']],
  ])('%j', async (settings, expected) => {
    expect(titlesOf((await speak('out.flac', '--json', ...settings.split(' '))).stdout)).toEqual(expected);
  });

  it('has the numbers, voices and bytes of the whole book', async () => {
    await speak('whole/', ...flac);
    await speak('out/', ...flac, '--chapters', '2');
    expect(await readdir(at('out'))).toEqual(['02 - Middle.flac']);
    const [one, other] = [await readFile(at('out/02 - Middle.flac')), await readFile(at('whole/02 - Middle.flac'))];
    expect(one.equals(other)).toBe(true);
  });
});

it('--preview speaks the heading and the first sentence of each chapter', async () => {
  const { stdout } = await speak('out.flac', '--preview', '--json', '--captions', at('out.json'));
  expect(titlesOf(stdout)).toEqual(['Begin', 'Middle', 'End']);
  const { sentences } = JSON.parse(await readFile(at('out.json'), 'utf8'));
  expect(sentences.map(({ text }: { text: string }) => text)).toEqual([
    'Begin',
    'The first words.',
    'Middle',
    'Second chapter.',
    'The end.',
  ]);
});

describe('--respeak', () => {
  it.each(['out.flac', 'out/'])('speaks one chapter again, in %s, and no other', async (name) => {
    const first = await speak(name, ...flac, '--keep-parts');
    expectEnd(first, 0, '');
    const work = name === 'out/' ? 'out/in.epub.unfinished' : 'out.flac.unfinished';
    expect((await stat(at(work))).isDirectory()).toBe(true);
    const read = async (): Promise<readonly Buffer[]> =>
      name === 'out/'
        ? Promise.all(['01 - Begin', '02 - Middle', '03 - End'].map((file) => readFile(at(`out/${file}.flac`))))
        : [await readFile(at(name))];
    const before = await read();
    const { code, backend } = await speakWith({ ...audible, loudness: () => 0.5 }, name, ...flac, '--respeak', '2');
    expect(code).toBe(0);
    // The heading and two sentences.
    expect(backend.opened.length).toBeLessThan(first.backend.opened.length / 2);
    const after = await read();
    const changed = before.map((bytes, index) => !bytes.equals(after[index] as Buffer));
    expect(changed).toEqual(name === 'out/' ? [false, true, false] : [true]);
    // Once more, and then as it is.
    await speakWith({ ...audible, loudness: () => 0.25 }, name, ...flac, '--respeak', '2');
    const third = await read();
    expect(third.some((bytes, index) => !bytes.equals(after[index] as Buffer))).toBe(true);
    const last = await speak(name, ...flac);
    expect([last.code, last.backend.opened]).toEqual([0, []]);
    expect((await read()).every((bytes, index) => bytes.equals(third[index] as Buffer))).toBe(true);
    await expect(stat(at(work))).rejects.toThrow('ENOENT');
  });
});
