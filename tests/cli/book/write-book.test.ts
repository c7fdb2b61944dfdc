import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { createTaggedFile } from '../../../src/audio/encode/tagged-file.ts';
import { markChapters, writeChapters } from '../../../src/cli/book/write-book.ts';
import { openWorkFolder } from '../../../src/cli/resume/work-folder.ts';
import { expectError } from '../../support/errors.ts';
import { freshFolder } from '../../support/test-folder.ts';

/** Hz; a pause is 1.5 seconds. */
const sampleRate = 100;
const folder = freshFolder();
const kept = ['chapter-001.pcm', 'chapter-002.pcm'];

const chaptersOf = (...lengths: readonly number[]) =>
  lengths.map((samples, index) => ({ index, title: `${index}`, samples }));

/** Writes two chapters of 70 and 30 samples. */
async function write(output: string, onProgress: (share: number) => void, signal = new AbortController().signal) {
  const work = await openWorkFolder(folder.join('work'), 'hash', 'book');
  for (const [name, samples] of [
    ['chapter-001', 70],
    ['chapter-002', 30],
  ] as const)
    await writeFile(work.path(`${name}.pcm`), new Uint8Array(2 * samples).fill(1));
  const content = { chapters: chaptersOf(70, 30), tags: { title: 'Book' } };
  await writeChapters(folder.join(output), content, { work, sampleRate, format: 'wav', signal }, onProgress);
}

describe('writeChapters', () => {
  it('writes chapters with a pause between them, and reports the samples written so far', async () => {
    const reports: number[] = [];
    await write('out.wav', (share) => reports.push(share * 250));
    expect(reports).toEqual([70, 220, 250]);
    const bytes = await readFile(folder.join('out.wav'));
    const start = bytes.indexOf('data') + 8;
    expect(bytes.readUInt32LE(start - 4)).toBe(500);
    const isSound = Array.from({ length: 250 }, (_, index) => bytes.readInt16LE(start + 2 * index) !== 0);
    expect([isSound.lastIndexOf(true, 100), isSound.indexOf(true, 100)]).toEqual([69, 220]);
    expect((await readdir(folder.join('work'))).sort()).toEqual(kept);
  });

  it('stops between pieces when canceled, and leaves nothing at the output', async () => {
    const controller = new AbortController();
    const reports: number[] = [];
    const stop = (share: number): void => {
      reports.push(share * 250);
      controller.abort(new Error('stop'));
    };
    await expect(write('out.wav', stop, controller.signal)).rejects.toThrow('stop');
    expect(reports).toEqual([70]);
    expect(await readdir(folder.path)).toEqual(['work']);
    expect((await readdir(folder.join('work'))).sort()).toEqual(kept);
  });

  it('names an output that it cannot write', async () => {
    const refused = write('missing/out.wav', () => undefined);
    await expectError(refused, 'IO', /^cannot write .*missing\/out\.wav: /);
  });
});

it('reserves the index of an audiobook for the samples that come', async () => {
  const work = await openWorkFolder(folder.join('work'), 'hash', 'book');
  const length = 8_000;
  for (const name of ['chapter-001', 'chapter-002'])
    await writeFile(work.path(`${name}.pcm`), new Uint8Array(2 * length));
  const setting = { work, sampleRate: 16_000, format: 'mp4', signal: new AbortController().signal } as const;
  const tags = { title: 'Book' };
  await writeChapters(folder.join('out.m4b'), { chapters: chaptersOf(length, length), tags }, setting, () => undefined);
  const samples = 2 * length + 1.5 * 16_000;
  const file = await createTaggedFile(folder.join('exact.m4b'), { format: 'mp4', sampleRate: 16_000, samples, tags });
  await file.write(new Float32Array(samples));
  await file.finish();
  expect(await readFile(folder.join('out.m4b'))).toEqual(await readFile(folder.join('exact.m4b')));
});

describe('markChapters', () => {
  it('gives the pause to the chapter before it, none to the last', () => {
    const chapters = [70, 30, 100].map((samples, index) => ({ title: `${index}`, samples }));
    expect(markChapters(chapters, { sampleRate }).map(({ start, end }) => `${start} ${end}`)).toEqual([
      '0 2.2',
      '2.2 4',
      '4 5',
    ]);
  });
});
