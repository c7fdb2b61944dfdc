/** Files with chapters, read back by music-metadata. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { type IAudioMetadata, parseFile } from 'music-metadata';
import { decodeAudio } from '../../../src/audio/decode/read-audio.ts';
import { createTaggedFile, type TaggedFormatName } from '../../../src/audio/encode/tagged-file.ts';
import type { AudioTags } from '../../../src/audio/encode/tags.ts';
import { png } from '../../book/write-epub.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const sampleRate = 16_000;
const seconds = 6;
const samples = Float32Array.from({ length: sampleRate * seconds }, (_, index) =>
  // A click at each full second.
  index % sampleRate < 200 ? 0.8 * Math.sin(index * 0.3) * Math.exp(-(index % sampleRate) / 60) : 0,
);
const chapters = [
  { title: 'One', start: 0, end: 3.25 },
  { title: 'Zwei – ü 二', start: 3.25, end: 4.5 },
  { title: 'Three', start: 4.5, end: seconds },
];
const tags: AudioTags = {
  ...{ title: 'Ein Büch', artist: 'A. Writer', album: 'Series', track: { number: 2, total: 7 } },
  picture: { bytes: png, mimeType: 'image/png' },
  chapters,
};

const about: AudioTags = {
  ...{ title: 'Ein Büch', narrator: 'Anna', publisher: 'House', description: 'About it.' },
  ...{ date: '1865-11-26', language: 'de-AT' },
};

const folder = sharedFolder();

async function write(name: string, format: TaggedFormatName, given: AudioTags = tags): Promise<string> {
  const path = join(folder, name);
  const file = await createTaggedFile(path, { format, sampleRate, samples: samples.length, tags: given });
  for (let at = 0; at < samples.length; at += 10_000) await file.write(samples.subarray(at, at + 10_000));
  await file.finish();
  return path;
}

/** Titles and starts in seconds. */
function chaptersOf({ format, native }: IAudioMetadata): readonly (readonly [string, number])[] {
  if (format.chapters !== undefined)
    return format.chapters.map(({ title, start, timeScale = 1 }) => [title, start / timeScale]);
  const comments = new Map((native.vorbis ?? []).map(({ id, value }) => [id, String(value)]));
  return [...comments].flatMap(([id, value]) => {
    if (!/^CHAPTER\d{3}$/.test(id)) return [];
    const [hours = 0, minutes = 0, rest = 0] = value.split(':').map(Number);
    return [[comments.get(`${id}NAME`) ?? '', hours * 3600 + minutes * 60 + rest] as const];
  });
}

/** All but the date. */
const clocks = [
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;

describe.each(['mp4', 'mp3', 'ogg', 'opus', 'flac'] as const)('%s', (format) => {
  const extension = format === 'mp4' ? 'm4b' : format;

  it('has title, author, picture and chapters', async () => {
    const read = await parseFile(await write(`a.${extension}`, format), { includeChapters: true, duration: true });
    expect(read.common).toMatchObject({ title: tags.title, artist: tags.artist, album: tags.album });
    expect(read.common.track).toEqual({ no: 2, of: 7 });
    expect(read.common.picture?.map(({ data }) => Buffer.from(data))).toEqual([png]);
    expect(chaptersOf(read)).toEqual(chapters.map(({ title, start }) => [title, start]));
    expect(Math.abs((read.format.duration ?? 0) - seconds)).toBeLessThan(0.15);
  });

  it('is the same at another time, and leaves nothing else', async () => {
    const first = await readFile(await write(`b.${extension}`, format));
    jest.useFakeTimers({ now: Date.now() + 3_600_000, doNotFake: [...clocks] });
    try {
      expect((await readFile(await write(`c.${extension}`, format))).equals(first)).toBe(true);
    } finally {
      jest.useRealTimers();
    }
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('mp4', () => {
  it('has the index in front of the audio, and the audio where the chapters say', async () => {
    const bytes = await readFile(await write('d.m4b', 'mp4'));
    const { samples: decoded } = await decodeAudio(bytes);
    const clicks = [1, 2, 3, 4].map((second) => {
      const from = second * sampleRate - 2_000;
      return from + decoded.subarray(from, from + 8_000).findIndex((value) => Math.abs(value) > 0.1);
    });
    for (const [index, click] of clicks.entries()) expect(Math.abs(click - (index + 1) * sampleRate)).toBeLessThan(16);
    const order = ['ftyp', 'moov', 'mdat'].map((type) => bytes.indexOf(type));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('has titles as long as the audio, in the time of the movie', async () => {
    const bytes = await readFile(await write('g.m4b', 'mp4'));
    const ticks = bytes.readBigUInt64BE(bytes.lastIndexOf('tkhd') + 32);
    const ticksPerSecond = bytes.readUInt32BE(bytes.indexOf('mvhd') + 16);
    expect(Number(ticks) / ticksPerSecond).toBe(seconds);
  });

  it('keeps chapters beyond the 255 of the list of Nero, and titles of any length', async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({
      title: `${index} ${'ü'.repeat(index === 7 ? 500 : 1)}`,
      start: index * 0.03,
      end: index * 0.03 + 0.03,
    }));
    const read = await parseFile(await write('e.m4b', 'mp4', { title: 'Many', chapters: many }), {
      includeChapters: true,
    });
    expect(chaptersOf(read).map(([title]) => title)).toEqual(many.map(({ title }) => title));
  });

  it('needs no chapters', async () => {
    const read = await parseFile(await write('f.m4a', 'mp4', { title: 'None' }), { includeChapters: true });
    expect([read.common.title, read.format.chapters]).toEqual(['None', undefined]);
  });
});

it.each(['mp4', 'mp3', 'opus', 'flac'] as const)(
  'says in %s who speaks, and what the book says about itself',
  async (format) => {
    const path = await write(`about.${format}`, format, about);
    const { common, native } = await parseFile(path);
    const values = Object.values(native).flatMap((tags) => tags.map(({ value }) => JSON.stringify(value)));
    const said = values.join(' ');
    for (const value of ['Anna', 'House', 'About it.']) expect(said).toContain(value);
    expect(common.year ?? Number(common.date?.slice(0, 4))).toBe(1865);
    if (format !== 'mp4') {
      expect(said).toMatch(format === 'mp3' ? /"deu"/ : /"de-AT"/);
      return;
    }
    const bytes = await readFile(path);
    expect(bytes.subarray(4, 12).toString()).toBe('ftypM4B ');
    const kind = bytes.indexOf('stik');
    expect([kind > 0, bytes[kind + 20]]).toEqual([true, 2]);
  },
);
