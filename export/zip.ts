/** Where the stored (uncompressed) records of a ZIP archive lie, so that they can be read in place. */
import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { SvcError } from '../src/errors.ts';

export interface StoredRecord {
  /** Position of the first byte in the file. */
  readonly offset: number;
  readonly size: number;
}

/** Far above any checkpoint: one record a storage. */
const mostRecords = 65_536;

/**
 * The records of an archive by name.
 * @param source what messages call the file
 * @throws SvcError MODEL_INVALID for anything but a readable archive of stored records within the file
 */
export async function readStoredRecords(handle: FileHandle, source: string): Promise<Map<string, StoredRecord>> {
  const { size } = await handle.stat();
  const records = new Map<string, StoredRecord>();
  try {
    const archive = await fromFdPromise(handle.fd, { autoClose: false, lazyEntries: true });
    if (archive.entryCount > mostRecords)
      throw refused(source, `at most ${mostRecords} records`, `${archive.entryCount}`);
    for await (const entry of archive.eachEntry()) {
      const record = await locate(archive, entry, size, source);
      if (records.has(entry.fileName))
        throw refused(source, 'records of distinct names', `${shown(entry.fileName)} twice`);
      records.set(entry.fileName, record);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SvcError(
      'MODEL_INVALID',
      `expected a readable ZIP archive for ${source}, received one that fails: ${shown(reason)}`,
      {
        cause: error,
      },
    );
  }
  return records;
}

async function locate(archive: ZipFile, entry: Entry, fileSize: number, source: string): Promise<StoredRecord> {
  const name = shown(entry.fileName);
  if (entry.compressionMethod !== 0 || entry.compressedSize !== entry.uncompressedSize) {
    throw refused(source, 'uncompressed records, as torch.save writes them', `a compressed ${name}`);
  }
  if (entry.isEncrypted()) throw refused(source, 'unencrypted records', `an encrypted ${name}`);
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
  if (fileDataStart + entry.uncompressedSize > fileSize) {
    throw refused(
      source,
      `record ${name} within ${fileSize} bytes`,
      `an end at ${fileDataStart + entry.uncompressedSize}`,
    );
  }
  return { offset: fileDataStart, size: entry.uncompressedSize };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 120)).slice(1, -1);

const refused = (source: string, expected: string, received: string): SvcError =>
  new SvcError('MODEL_INVALID', `expected ${expected} for ${source}, received ${received}`);
