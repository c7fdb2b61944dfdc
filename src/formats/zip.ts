/** Locates the stored (uncompressed) records of a ZIP archive, to read them in place. */
import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { SvcError } from '../errors.ts';
import { invalid } from './safetensors.ts';

export interface StoredRecord {
  /** Offset of the first byte in the file. */
  readonly offset: number;
  readonly size: number;
}

/** Far above any checkpoint, which has one record per storage. */
const maxRecords = 65_536;

/** Lists the records of an archive of stored records by name. @throws SvcError MODEL_INVALID */
export async function readStoredRecords(handle: FileHandle, source: string): Promise<Map<string, StoredRecord>> {
  const { size } = await handle.stat();
  const records = new Map<string, StoredRecord>();
  try {
    const archive = await fromRandomAccessReaderPromise(new HandleReader(handle), size, { autoClose: false });
    if (archive.entryCount > maxRecords)
      throw invalid(source, `the archive has ${archive.entryCount} records, more than ${maxRecords}`);
    for await (const entry of archive.eachEntry()) {
      const record = await locate(archive, entry, size, source);
      if (records.has(entry.fileName)) throw invalid(source, `record ${shown(entry.fileName)} occurs twice`);
      records.set(entry.fileName, record);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(source, `cannot read the ZIP archive: ${shown(reason)}`, error);
  }
  return records;
}

/** Reads a file. yauzl's own reader throws from a callback where an archive points to an impossible position. */
class HandleReader extends RandomAccessReader {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    super();
    this.#handle = handle;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#handle
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => callback(bytesRead < length ? new Error('unexpected end of the file') : null), callback);
  }
}

async function locate(archive: ZipFile, entry: Entry, fileSize: number, source: string): Promise<StoredRecord> {
  const name = shown(entry.fileName);
  if (entry.compressionMethod !== 0 || entry.compressedSize !== entry.uncompressedSize)
    throw invalid(source, `record ${name} is compressed, unlike those of torch.save`);
  if (entry.isEncrypted()) throw invalid(source, `record ${name} is encrypted`);
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
  if (fileDataStart + entry.uncompressedSize > fileSize) {
    const end = fileDataStart + entry.uncompressedSize;
    throw invalid(source, `the file is truncated: record ${name} ends at byte ${end} of ${fileSize}`);
  }
  return { offset: fileDataStart, size: entry.uncompressedSize };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 120)).slice(1, -1);
