/**
 * Chapter marks for MP4: the list of Nero (`chpl`), which most players of audiobooks read, and QuickTime's track of
 * titles, which Apple's read. Mediabunny writes neither, so both are added to its index, in the room that it has reserved
 * (ISO/IEC 14496-12; QuickTime File Format, "Chapter lists").
 */
import { boxesOf, viewOf } from '../mp4-boxes.ts';
import { u16, u32, u64 } from './big-endian.ts';
import type { ChapterMark } from './tags.ts';

export interface IndexPlace {
  /** Position of the index in the file. */
  readonly offset: number;
  /** Size of the file, whose last box is the audio. */
  readonly end: number;
  readonly chapters: readonly ChapterMark[];
}

/** `chpl` counts in a byte. */
const mostListed = 255;
/** A byte of `chpl` states the length of a title in UTF-8. */
const longestTitle = 255;
const ticksPerSecond = 1_000;

/** Mediabunny reserves the 64-bit size of the box with the audio. */
const mediaHeaderSize = 16;

/**
 * Adds chapters to the index of a file, and removes the time of its making. The titles are put in front of the audio, in
 * the same box, as some readers expect.
 *
 * @param index the box `moov`, and the header of the box `free` behind it
 * @returns bytes to write in place of both and of the header of the audio
 */
export function completeIndex(index: Uint8Array, { offset, end, chapters }: IndexPlace): Uint8Array {
  const [moov, free] = boxesOf(index);
  if (moov === undefined || free === undefined) throw new RangeError('the index is incomplete');
  // The header of `free` only is in `index`.
  const reserved = viewOf(free.bytes).getUint32(0);
  removeTimes(moov.content);
  if (chapters.length === 0) return index;
  const titles = Buffer.concat(chapters.map(({ title }) => titleSample(title)));
  const audio = offset + moov.bytes.length + reserved + mediaHeaderSize;
  const extended = indexWithChapters(moov.content, chapters, audio - titles.length);
  const rest = moov.bytes.length + reserved - extended.length - titles.length;
  if (rest < 8) throw new RangeError('no room for chapters was reserved');
  const media = mediaHeaderSize + titles.length + end - audio;
  const room = [u32(rest), text('free'), new Uint8Array(rest - 8)];
  return Buffer.concat([extended, ...room, u32(1), text('mdat'), u64(media), titles]);
}

function indexWithChapters(
  moov: Uint8Array,
  chapters: readonly ChapterMark[],
  /** Offset of the first title. */
  position: number,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let hasUserData = false;
  for (const { type, bytes, content } of boxesOf(moov)) {
    if (type === 'trak') parts.push(box('trak', content, box('tref', box('chap', u32(chapterTrack)))), titleTrack());
    else if (type === 'udta') {
      parts.push(box('udta', content, chapterList(chapters)));
      hasUserData = true;
    } else parts.push(type === 'mvhd' ? withNextTrack(bytes) : bytes);
  }
  if (!hasUserData) parts.push(box('udta', chapterList(chapters)));
  return box('moov', ...parts);

  function titleTrack(): Uint8Array {
    const durations = chapters.map(({ start }, number) =>
      Math.max(1, ticks(chapters[number + 1]?.start ?? (chapters[number]?.end as number)) - ticks(start)),
    );
    const length = ticks(chapters.at(-1)?.end ?? 0);
    const movieLength = Math.round((length / ticksPerSecond) * movieScale(moov));
    // Version 1, for long books; in the movie, but not enabled, so that no player shows it.
    const track = [u64(0), u64(0), u32(chapterTrack, 0), u64(movieLength)];
    const tkhd = fullBox('tkhd', 0x01_00_00_02, ...track, u32(0, 0, 0, 0), matrix, u32(0, 0));
    const mdhd = fullBox('mdhd', 0, u32(0, 0, ticksPerSecond, length), u16(undetermined, 0));
    const hdlr = fullBox('hdlr', 0, u32(0), text('text'), u32(0, 0, 0), text('Chapters\0'));
    // A box of QuickTime's text that players expect.
    const gmhd = box('gmhd', fullBox('gmin', 0, u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)), box('text', matrix));
    const dinf = box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1)));
    const entry = box('text', u16(0, 0, 0, 1), u32(1), new Uint8Array(39));
    const sizes = chapters.map(({ title }) => titleSample(title).length);
    let next = position;
    const positions = sizes.map((size) => {
      next += size;
      return next - size;
    });
    const stbl = box(
      'stbl',
      fullBox('stsd', 0, u32(1), entry),
      fullBox('stts', 0, u32(durations.length, ...durations.flatMap((duration) => [1, duration]))),
      fullBox('stsc', 0, u32(1, 1, 1, 1)),
      fullBox('stsz', 0, u32(0, sizes.length, ...sizes)),
      fullBox('stco', 0, u32(positions.length, ...positions)),
    );
    return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', gmhd, dinf, stbl)));
  }
}

/** Mediabunny numbers its only track 1. */
const chapterTrack = 2;
/** The language code `und`. */
const undetermined = 0x55c4;

/** Ticks per second of the movie, after version, flags and both times. */
function movieScale(moov: Uint8Array): number {
  for (const { type, content } of boxesOf(moov)) {
    if (type === 'mvhd') return viewOf(content).getUint32(content[0] === 1 ? 20 : 12);
  }
  return ticksPerSecond;
}

/** The last field of the movie's header is the number of the next track. */
const withNextTrack = (mvhd: Uint8Array): Uint8Array => Buffer.concat([mvhd.subarray(0, -4), u32(chapterTrack + 1)]);

const ticks = (seconds: number): number => Math.round(seconds * ticksPerSecond);

/** Times of 100 ns. */
function chapterList(chapters: readonly ChapterMark[]): Uint8Array {
  const listed = chapters.slice(0, mostListed);
  const entries = listed.flatMap(({ title, start }) => {
    const name = cutUtf8(title, longestTitle);
    return [u64(ticks(start) * (10_000_000 / ticksPerSecond)), Uint8Array.of(name.length), name];
  });
  return box('chpl', u32(0x01_00_00_00, 0), Uint8Array.of(listed.length), ...entries);
}

/** A title with its length, marked as UTF-8. */
function titleSample(title: string): Uint8Array {
  const name = cutUtf8(title, 0xffff);
  return Buffer.concat([u16(name.length), name, box('encd', u32(0x100))]);
}

/** Whole characters of at most `limit` bytes. */
function cutUtf8(title: string, limit: number): Uint8Array {
  let cut = '';
  let length = 0;
  for (const character of title) {
    length += Buffer.byteLength(character);
    if (length > limit) break;
    cut += character;
  }
  return Buffer.from(cut);
}

/** Sets the times of making and changing to zero, so that the same audio gives the same file. */
function removeTimes(content: Uint8Array): void {
  for (const { type, content: inner } of boxesOf(content)) {
    if (['trak', 'mdia'].includes(type)) removeTimes(inner);
    // Version and flags, then both times.
    else if (['mvhd', 'tkhd', 'mdhd'].includes(type)) inner.fill(0, 4, inner[0] === 1 ? 20 : 12);
  }
}

const box = (type: string, ...content: readonly Uint8Array[]): Uint8Array => {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), text(type), ...content]);
};
const fullBox = (type: string, flags: number, ...content: readonly Uint8Array[]): Uint8Array =>
  box(type, u32(flags), ...content);

const text = (value: string): Uint8Array => Buffer.from(value, 'latin1');

/** The identity. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000);
