/** Comments of Ogg and FLAC files, with chapters as Xiph's wiki has them ("Chapter Extension") and the picture of FLAC. */
import { u32 } from './big-endian.ts';
import { type AudioTags, defined, type Picture } from './tags.ts';

/** Numbers of chapters have three digits. */
const mostChapters = 1_000;
/** Type of the picture of a cover. */
const frontCover = 3;

export function vorbisComments(tags: AudioTags): Readonly<Record<string, string>> {
  const { title, artist, album = title, track, picture, chapters = [] } = tags;
  const { narrator, publisher, description, date, language } = tags;
  const comments = defined({
    ...{ TITLE: title, ALBUM: album, GENRE: 'Audiobook', ARTIST: artist, PERFORMER: narrator },
    ...{ ORGANIZATION: publisher, DESCRIPTION: description, DATE: date, LANGUAGE: language },
    TRACKNUMBER: track && `${track.number}/${track.total}`,
  });
  for (const [index, chapter] of chapters.slice(0, mostChapters).entries()) {
    const key = `CHAPTER${String(index).padStart(3, '0')}`;
    comments[key] = clock(chapter.start);
    comments[`${key}NAME`] = chapter.title;
  }
  if (picture !== undefined) comments.METADATA_BLOCK_PICTURE = pictureBlock(picture).toString('base64');
  return comments;
}

/** `01:02:03.456`. */
function clock(seconds: number): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = (divisor: number, modulus: number, digits: number): string =>
    String(Math.floor(milliseconds / divisor) % modulus).padStart(digits, '0');
  return `${part(3_600_000, 1_000, 2)}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}.${part(1, 1_000, 3)}`;
}

/** RFC 9639, section 8.8; a size of zero means unknown. */
function pictureBlock({ bytes, mimeType }: Picture): Buffer {
  const type = Buffer.from(mimeType);
  const unknownSize = u32(0, 0, 0, 0);
  return Buffer.concat([u32(frontCover, type.length), type, u32(0), unknownSize, u32(bytes.length), bytes]);
}
