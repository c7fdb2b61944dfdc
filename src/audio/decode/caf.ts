/** Decodes CAF files of PCM, float or G.711, trusting no header. Apple's "Core Audio Format Specification 1.0". */
import type { Audio } from '../audio.ts';
import { type DecodeLimits, unsupported } from './decode-limits.ts';
import { decodeSamples, type SampleCoding, type StoredSamples, textAt } from './pcm-samples.ts';

/** `mFormatFlags` of linear PCM. */
const isFloat = 1;
const isLittleEndian = 2;

/** Length of the file header, and of a chunk's: a type and a size of 64 bits. */
const fileHeader = 8;
const chunkHeader = 12;
const descriptionBytes = 32;
/** Number of edits, before the samples. */
const editBytes = 4;

/** Decodes the complete frames of a truncated file too. @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE */
export function decodeCaf(bytes: Uint8Array, limits: DecodeLimits): Audio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let format: StoredSamples | undefined;
  for (let offset = fileHeader; offset + chunkHeader <= bytes.length; ) {
    const type = textAt(view, offset);
    const size = Number(view.getBigInt64(offset + 4));
    const begin = offset + chunkHeader;
    // A size of -1 means everything up to the end.
    const end = size < 0 ? bytes.length : Math.min(begin + size, bytes.length);
    if (type === 'desc') format ??= formatOf(new DataView(view.buffer, view.byteOffset + begin, end - begin));
    if (type === 'data') {
      if (format === undefined) throw unsupported('the CAF file does not describe its audio');
      return decodeSamples(bytes.subarray(Math.min(begin + editBytes, end), end), format, limits);
    }
    offset = end;
  }
  throw unsupported('the CAF file has no audio');
}

const laws: Readonly<Record<string, SampleCoding>> = { alaw: 'A-law', ulaw: 'µ-law' };

function formatOf(view: DataView): StoredSamples {
  if (view.byteLength < descriptionBytes) throw unsupported('the CAF file has a broken description');
  const id = textAt(view, 8);
  const flags = view.getUint32(12);
  const channels = view.getUint32(24);
  const law = Object.hasOwn(laws, id) ? laws[id] : undefined;
  if (law === undefined && id !== 'lpcm') {
    throw unsupported(
      `the CAF file has the unsupported codec ${JSON.stringify(id.trim())}; only PCM, float, A-law and µ-law are supported`,
    );
  }
  const coding = law ?? (flags & isFloat ? 'float' : 'integer');
  // A sample of 20 bits, for example, may take the high bits of three bytes or of four.
  const bytesPerSample = channels === 0 ? 0 : Math.floor(view.getUint32(16) / channels);
  return {
    file: 'CAF file',
    coding,
    order: flags & isLittleEndian ? 'little' : 'big',
    channels,
    sampleRate: view.getFloat64(0),
    bits: law === undefined ? Math.max(Math.ceil(view.getUint32(28) / 8), bytesPerSample) * 8 : 8,
  };
}
