/** The picture of a book: of the option, else the cover of the book. */
import { readFile, stat } from 'node:fs/promises';
import type { Picture } from '../../audio/encode/tags.ts';
import type { Book } from '../../book/book.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf, refuseIrregular } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { BookOptions } from './book-options.ts';

/** Players show a cover of a few hundred kilobytes; some formats keep it in memory several times. */
const mostMegabytes = 8;
const mostBytes = mostMegabytes * 1024 * 1024;

type ChosenCover = { readonly picture: Picture | undefined; readonly warnings: readonly string[] };

/** @throws SvcError INVALID_REQUEST for a file that is no such picture */
export async function chooseCover({ cover }: BookOptions, book: Pick<Book, 'cover'>): Promise<ChosenCover> {
  if (cover === false) return { picture: undefined, warnings: [] };
  if (cover !== undefined) return { picture: await readPicture(cover), warnings: [] };
  const picture = book.cover;
  const mimeType = picture && pictureType(picture.bytes);
  if (picture === undefined || mimeType === undefined || picture.bytes.length > mostBytes) {
    const warning = `the cover of the book is left out: it must be a JPEG or PNG picture of at most ${mostMegabytes} MiB`;
    return { picture: undefined, warnings: picture === undefined ? [] : [warning] };
  }
  return { picture: { bytes: picture.bytes, mimeType }, warnings: [] };
}

async function readPicture(path: string): Promise<Picture> {
  const unreadable = (reason: string): Error => requestError(`cannot read --cover ${quote(path)}: ${reason}`);
  const read = async (): Promise<Buffer> => {
    await refuseIrregular(path, (kind) => unreadable(`it is ${kind}`));
    if ((await stat(path)).size > mostBytes)
      throw requestError(`--cover ${quote(path)} exceeds the limit of ${mostMegabytes} MiB`);
    return readFile(path);
  };
  const bytes = await read().catch((error: unknown) => {
    throw error instanceof SvcError ? error : unreadable(reasonOf(error));
  });
  const mimeType = pictureType(bytes);
  if (mimeType === undefined) throw requestError(`--cover must be a JPEG or PNG picture, got ${quote(path)}`);
  return { bytes, mimeType };
}

/** Type of a picture by its first bytes, as extensions and books may be wrong. */
function pictureType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff))) return 'image/jpeg';
  return bytes.subarray(0, 4).equals(Buffer.of(0x89, 0x50, 0x4e, 0x47)) ? 'image/png' : undefined;
}
