/** Finds the format and sample data of a WAV file without trusting the sizes in its headers. */
import { SvcError } from '../../errors.ts';
import { describeBytes } from './signature.ts';

export interface WavChunks {
  /** Content of `fmt `. */
  readonly format: Uint8Array;
  /** The available content of `data`. */
  readonly data: Uint8Array;
}

/**
 * Returns views into `bytes`; skips other chunks. A `data` size of 0 or 0xFFFFFFFF (from streaming writers), or beyond
 * the end of the file, means everything up to the end.
 *
 * @throws SvcError UNSUPPORTED_AUDIO unless the bytes are a RIFF/RF64 WAV file with both chunks
 */
export function findChunks(bytes: Uint8Array): WavChunks {
  const id = text(bytes, 0);
  if (!(id === 'RIFF' || id === 'RF64' || id === 'BW64') || text(bytes, 8) !== 'WAVE')
    throw unsupported(`not a WAV file: ${describeBytes(bytes)}`);
  let format: Uint8Array | undefined;
  let data: Uint8Array | undefined;
  for (const chunk of walk(bytes, 12)) {
    if (chunk.id === 'fmt ') format ??= chunk.content;
    if (chunk.id === 'data') data ??= chunk.content;
    if (format !== undefined && data !== undefined) return { format, data };
  }
  throw unsupported(`the WAV file has no ${format === undefined ? 'format' : 'data'} chunk`);
}

const unsupported = (problem: string): SvcError => new SvcError('UNSUPPORTED_AUDIO', problem);

/** Up to four bytes as characters. */
const text = (bytes: Uint8Array, offset: number): string => String.fromCharCode(...bytes.subarray(offset, offset + 4));

interface Chunk {
  readonly id: string;
  readonly content: Uint8Array;
}

function* walk(bytes: Uint8Array, start: number): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = start;
  let longDataSize: number | undefined;
  let hadData = false;
  while (offset + 8 <= bytes.length) {
    const id = text(bytes, offset);
    const begin = offset + 8;
    const size = view.getUint32(offset + 4, true);
    if (id === 'ds64' && begin + 16 <= bytes.length) longDataSize = Number(view.getBigUint64(begin + 8, true));
    const stated = id === 'data' && size === 0xffffffff ? (longDataSize ?? size) : size;
    // Only once: checking all chunks from each chunk would take hours for a file of many chunks.
    const unfilled = id === 'data' && stated === 0 && !hadData && !isChunkList(view, begin);
    hadData ||= id === 'data';
    const end = Math.min(begin + (unfilled ? bytes.length : stated), bytes.length);
    yield { id, content: bytes.subarray(begin, end) };
    // Odd chunks are padded with a zero byte, which some writers omit; no chunk starts with one.
    offset = end + (stated % 2 === 1 && bytes[end] === 0 ? 1 : 0);
  }
}

/** Whether chunks with plausible names and sizes fill the bytes from `start` to the end exactly. */
function isChunkList(view: DataView, start: number): boolean {
  let offset = start;
  while (offset + 8 <= view.byteLength) {
    for (let index = 0; index < 4; index += 1) {
      const code = view.getUint8(offset + index);
      if (code < 0x20 || code > 0x7e) return false;
    }
    const size = view.getUint32(offset + 4, true);
    offset += 8 + size + (size % 2);
  }
  // The last chunk may lack its padding.
  return offset === view.byteLength || offset === view.byteLength + 1;
}
