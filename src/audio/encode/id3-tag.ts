/** ID3v2 tags of an MP3 file, with chapters (ID3v2 Chapter Frame Addendum). */
import { ID3Writer } from 'browser-id3-writer';
import { languageCode } from './language-code.ts';
import type { AudioTags } from './tags.ts';

/** `CTOC` counts in a byte. */
const mostListed = 255;
/** Type of the picture of a cover. */
const frontCover = 3;

/** The bytes in front of the audio. */
export function id3Tag(tags: AudioTags): Uint8Array {
  const { title, artist, album = title, track, picture, chapters = [], narrator, publisher, description } = tags;
  const writer = new ID3Writer(new ArrayBuffer(0));
  writer.setFrame('TIT2', title).setFrame('TALB', album).setFrame('TCON', ['Audiobook']);
  if (artist !== undefined) writer.setFrame('TPE1', [artist]).setFrame('TPE2', artist);
  if (narrator !== undefined) writer.setFrame('TCOM', [narrator]);
  if (publisher !== undefined) writer.setFrame('TPUB', publisher);
  const language = languageCode(tags.language ?? '');
  if (language !== undefined) writer.setFrame('TLAN', language);
  const [year] = /^\d{4}(?!\d)/.exec(tags.date ?? '') ?? [];
  if (year !== undefined) writer.setFrame('TYER', Number(year));
  if (description !== undefined)
    writer.setFrame('COMM', { description: '', text: description, language: language ?? 'und' });
  if (track !== undefined) writer.setFrame('TRCK', `${track.number}/${track.total}`);
  if (picture !== undefined) {
    const data = Uint8Array.from(picture.bytes).buffer;
    writer.setFrame('APIC', { type: frontCover, data, description: '' });
  }
  const ids = chapters.map((_, index) => `chapter${index + 1}`);
  if (ids.length > 0) {
    const listed = { topLevel: true, ordered: true, childElementIds: ids.slice(0, mostListed) };
    writer.setFrame('CTOC', { id: 'contents', ...listed });
  }
  for (const [index, chapter] of chapters.entries()) {
    const [startTime, endTime] = [milliseconds(chapter.start), milliseconds(chapter.end)];
    writer.setFrame('CHAP', { id: ids[index] as string, startTime, endTime, subFrames: { TIT2: chapter.title } });
  }
  return new Uint8Array(writer.addTag());
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000);
