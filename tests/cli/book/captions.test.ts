/** Captions of books and lists of their chapters. */
import { readdir, readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { shortBook, writeEpub } from '../../book/write-epub.ts';
import { cuesIn } from '../../captions/read-captions.ts';
import { audible } from '../../engine/fake-backend.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { expectEnd, invoke } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = freshFolder();
const at = (name: string): string => folder.join(name);
let epub: string;
beforeEach(async () => {
  epub = await writeEpub(at('in.epub'), shortBook);
});

/** The cheapest of the formats of books. */
const flac = ['--response-format', 'flac'];

const speak = async (name: string, ...settings: readonly string[]) => {
  const argv = ['tts', '--text-file', epub, '-o', at(name), '--seed', '7', '--json', ...model, ...settings];
  const { code, stderr, stdout } = await invoke(argv, { backend: audible });
  return { code, stderr, report: code === 0 ? JSON.parse(stdout.toString()) : undefined };
};
const read = (name: string): Promise<string> => readFile(at(name), 'utf8');

describe('captions of a folder', () => {
  it('are one file for each chapter, beside its audio', async () => {
    expectEnd(await speak('out/', ...flac, '--captions', 'vtt', '--head-silence', '2'), 0, '');
    expect((await readdir(at('out'))).sort()).toEqual([
      '01 - One.flac',
      '01 - One.vtt',
      '02 - Two.flac',
      '02 - Two.vtt',
    ]);
    for (const [name, text] of [
      ['01 - One', 'The first words.'],
      ['02 - Two', 'Second chapter.'],
    ]) {
      const captions = await read(`out/${name}.vtt`);
      expect(captions).toMatch(new RegExp(`^WEBVTT\n\n00:00:02\\.0\\d\\d --> [^\n]*\n${text}`));
    }
  });

  it('are one file for the whole, as its files are played in order', async () => {
    const { report } = await speak('out/', ...flac, '--captions', at('whole.srt'), '--tail-silence', '3');
    const cues = cuesIn(await read('whole.srt'));
    const second = cues.find(({ lines }) => lines.join().includes('Second'));
    expect(second?.start).toBeCloseTo(report.chapters[0].end, 1);
  });

  it('have karaoke marks if asked', async () => {
    await speak('out/', ...flac, '--captions', 'ass', '--caption-words');
    expect(await read('out/01 - One.ass')).toMatch(/Dialogue: 0,0:00:00\.\d\d,[^\n]*\{\\k\d+\}The \{\\k\d+\}first/);
  });
});

describe('--chapter-list', () => {
  it('writes where chapters begin, for players and for YouTube', async () => {
    const lists = ['--chapter-list', at('chapters.vtt'), '--chapter-list', at('chapters.txt')];
    const { report, stderr } = await speak('out.flac', ...lists);
    expect(stderr).toBe(
      `svc: warning: "${at('chapters.txt')}": YouTube shows chapters only where there are at least 3\n`,
    );
    const [first, second] = report.chapters;
    const time = (seconds: number): string => `00:00:${seconds.toFixed(3).padStart(6, '0')}`;
    expect(await read('chapters.vtt')).toBe(
      `WEBVTT\n\n1\n${time(first.start)} --> ${time(first.end)}\nOne\n\n2\n${time(second.start)} --> ${time(second.end)}\nTwo\n`,
    );
    expect(await read('chapters.txt')).toBe(`0:00 One\n0:0${Math.floor(second.start)} Two\n`);
  });
});
