/** The files of a ZIP archive, read one at a time and never larger than a book's page or cover may be. */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import type { DocumentFile } from '../document-file.ts';

/** Bytes of a page, once unpacked. */
const largestFile = 32 * 1024 * 1024;
/** Bytes of all that is read, once unpacked. */
const mostUnpacked = 192 * 1024 * 1024;
const mostFiles = 20_000;

export type Archive = Awaited<ReturnType<typeof openArchive>>;

/**
 * @param kind what the archive should be, for messages
 * @throws SvcError INVALID_REQUEST for anything but a readable archive
 */
export async function openArchive({ path, bytes }: DocumentFile, kind = 'EPUB') {
  const broken = (problem: string, cause?: unknown): SvcError =>
    new SvcError('INVALID_REQUEST', `${path} is not a readable ${kind} file: ${problem}`, { cause });
  const entries = new Map<string, Entry>();
  let zip: ZipFile;
  try {
    zip = await fromBufferPromise(bytes, { lazyEntries: true });
    if (zip.entryCount > mostFiles) throw broken(`it holds more than ${mostFiles} files`);
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  } catch (error) {
    // Errors of the library itself.
    if (error instanceof SvcError || error instanceof TypeError || error instanceof RangeError) throw error;
    throw broken('it is damaged or cut off; get it again, or open it in another program and save it again', error);
  }

  let unpacked = 0;
  const alike = new Map([...entries.keys()].map((name) => [plain(name), name]));

  /** @throws SvcError INVALID_REQUEST for a file that is missing, too large or damaged */
  async function read(name: string): Promise<Buffer> {
    const entry = entries.get(name);
    if (entry === undefined) throw broken(`${quote(name)} is missing`);
    if (entry.isEncrypted()) throw broken('it is encrypted');
    if (entry.uncompressedSize > largestFile) throw broken(`${quote(name)} is larger than 32 MB`);
    unpacked += entry.uncompressedSize;
    if (unpacked > mostUnpacked) throw broken('its files are larger than 192 MB in total');
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    } catch (error) {
      throw broken(`${quote(name)} cannot be unpacked (${(error as Error).message})`, error);
    }
  }
  return {
    read,
    /** Names of all files. */
    names: [...entries.keys()] as readonly string[],
    has: (name: string): boolean => entries.has(name),
    /** The name that the archive has for a path, which may differ in case or in how accents are written. */
    find: (name: string): string | undefined => (entries.has(name) ? name : alike.get(plain(name))),
    /** Bytes once unpacked; 0 for a file that is missing. `read` refuses a file with another size. */
    size: (name: string): number => entries.get(name)?.uncompressedSize ?? 0,
  };
}

const plain = (name: string): string => name.normalize('NFC').toLowerCase();
