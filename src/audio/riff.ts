/**
 * The container of a WAV file: finds its format and sample data, whatever the sizes in its headers claim.
 */
import { SvcError } from '../errors.ts';
import { describeBytes } from './signature.ts';

export interface WavChunks {
  /** Content of `fmt `. */
  readonly format: Uint8Array;
  /** Content of `data`, as much as is there. */
  readonly data: Uint8Array;
}

/**
 * Views into `bytes`. Other chunks are skipped. A `data` size of 0 or 0xFFFFFFFF, as streaming writers
 * leave it, or beyond the end of the file means everything up to the end.
 *
 * @throws SvcError UNSUPPORTED_AUDIO when the bytes are no RIFF/RF64 WAV file with both chunks; names what they look like.
 */
export function findChunks(bytes: Uint8Array): WavChunks {
  const id = text(bytes, 0);
  if (!(id === 'RIFF' || id === 'RF64' || id === 'BW64') || text(bytes, 8) !== 'WAVE') {
    throw noWav(describeBytes(bytes));
  }
  let format: Uint8Array | undefined;
  let data: Uint8Array | undefined;
  for (const chunk of walk(bytes, 12)) {
    if (chunk.id === 'fmt ') format ??= chunk.content;
    if (chunk.id === 'data') data ??= chunk.content;
    if (format !== undefined && data !== undefined) return { format, data };
  }
  throw noWav(`a WAV file without ${format === undefined ? 'format' : 'data'} chunk`);
}

const noWav = (received: string): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a WAV file for audio, received ${received}`);

/** Four bytes as characters; shorter at the end. */
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
    // Once only: looking through all chunks from each would take hours for a file of nothing else.
    const unfilled = id === 'data' && stated === 0 && !hadData && !isChunkList(view, begin);
    hadData ||= id === 'data';
    const end = Math.min(begin + (unfilled ? bytes.length : stated), bytes.length);
    yield { id, content: bytes.subarray(begin, end) };
    // Odd chunks are padded with a zero byte, which some writers forget; no chunk starts with one.
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
