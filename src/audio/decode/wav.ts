/** Decodes WAV files of PCM, float or G.711 to mono float32, without trusting sizes and counts in headers. */
import type { Audio } from '../audio.ts';
import { type DecodeLimits, limitsFor, unsupported } from './decode-limits.ts';
import { decodeSamples, type SampleCoding, type StoredSamples } from './pcm-samples.ts';
import { describeBytes } from './signature.ts';

/** PCM of 8 to 32 bits, float, A-law and µ-law; of a truncated file, the complete frames. @throws SvcError */
export function decodeWav(bytes: Uint8Array, limits: DecodeLimits = limitsFor()): Audio {
  const { format, data } = findChunks(bytes);
  return decodeSamples(data, parseFormat(format), limits);
}

/** Codings by `wFormatTag`. */
const codings: Readonly<Record<number, SampleCoding>> = { 1: 'integer', 3: 'float', 6: 'A-law', 7: 'µ-law' };
const extensible = 0xfffe;

/** @throws SvcError UNSUPPORTED_AUDIO */
function parseFormat(chunk: Uint8Array): StoredSamples {
  if (chunk.length < 16) throw unsupported('the WAV file has a broken format chunk');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const channels = view.getUint16(2, true);
  // The first two bytes of the sub-format GUID are its format tag.
  const tag =
    view.getUint16(0, true) === extensible && chunk.length >= 40 ? view.getUint16(24, true) : view.getUint16(0, true);
  const coding = codings[tag];
  if (coding === undefined)
    throw unsupported(
      `the WAV file has the unsupported format 0x${tag.toString(16).padStart(4, '0')}; use PCM, float, A-law or µ-law`,
    );
  const bytesPerSample = channels === 0 ? 0 : Math.floor(view.getUint16(12, true) / channels);
  const bits = Math.max(Math.ceil(view.getUint16(14, true) / 8), bytesPerSample) * 8;
  return {
    file: 'WAV file',
    coding: coding === 'integer' && bits === 8 ? 'unsigned' : coding,
    order: 'little',
    channels,
    sampleRate: view.getUint32(4, true),
    bits,
  };
}

/**
 * The content of `fmt ` and what there is of `data`, as views into `bytes`. A `data` size of 0 or 0xFFFFFFFF (from streaming writers), or beyond
 * the end of the file, means everything up to the end.
 *
 * @throws SvcError UNSUPPORTED_AUDIO unless the bytes are a RIFF/RF64 WAV file with both chunks
 */
function findChunks(bytes: Uint8Array): { readonly format: Uint8Array; readonly data: Uint8Array } {
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

/** Up to four bytes as characters. */
const text = (bytes: Uint8Array, offset: number): string => String.fromCharCode(...bytes.subarray(offset, offset + 4));

type Chunk = { readonly id: string; readonly content: Uint8Array };

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
