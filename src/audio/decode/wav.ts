/** Decodes WAV files of PCM, float or G.711 to mono float32, without trusting sizes and counts in headers. */
import { SvcError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { type DecodeLimits, limitsFor } from './decode-limits.ts';
import { decodeSamples, type SampleCoding, type StoredSamples } from './pcm-samples.ts';
import { findChunks } from './riff.ts';

/**
 * Decodes PCM of 8 to 32 bits, float of 32 or 64 bits, A-law and µ-law, also in WAVE_FORMAT_EXTENSIBLE. Of a truncated
 * or unfinished file, decodes the complete frames.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for other formats, PAYLOAD_TOO_LARGE beyond a limit
 */
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

const unsupported = (problem: string): SvcError => new SvcError('UNSUPPORTED_AUDIO', problem);
