/** Decodes recordings of any format to mono float32 in this thread. External files go through `decode-pool.ts`. */
import { isLfsPointer, lfsPointerError } from '../../lfs-pointer.ts';
import type { Audio } from '../audio.ts';
import { decodeAac } from './aac-decode.ts';
import { decodeAiff } from './aiff.ts';
import { decodeCaf } from './caf.ts';
import { type DecodeLimits, unsupported } from './decode-limits.ts';
import { decodeWithLibav } from './libav-decode.ts';
import { assertSaneTables } from './mp4-tables.ts';
import { codecOfOgg, lastGranule, wholePages } from './ogg.ts';
import { type Container, describeBytes, recognize, withoutTags } from './signature.ts';
import { decodeWav } from './wav.ts';

type Decode = (bytes: Uint8Array, limits: DecodeLimits) => Audio | Promise<Audio>;

const decoders: Readonly<Record<Container, Decode>> = {
  wav: decodeWav,
  flac: (bytes, limits) => decodeWithLibav(bytes, limits, { container: 'flac' }),
  mp3: (bytes, limits) => decodeWithLibav(bytes, limits, { container: 'mp3' }),
  ogg: decodeOgg,
  webm: (bytes, limits) =>
    decodeWithLibav(bytes, limits, { container: 'webm', others: { aac: () => decodeAac(bytes, limits) } }),
  aiff: decodeAiff,
  caf: decodeCaf,
  adts: decodeAac,
  mp4(bytes, limits) {
    assertSaneTables(bytes);
    return decodeAac(bytes, limits);
  },
};

/** @throws SvcError like `decodeAudio` */
export async function decode(file: Uint8Array, limits: DecodeLimits): Promise<Audio> {
  const bytes = withoutTags(file);
  const container = recognize(bytes);
  if (container !== undefined) return decoders[container](bytes, limits);
  if (isLfsPointer(bytes)) throw lfsPointerError('the recording', 'UNSUPPORTED_AUDIO');
  throw unsupported(
    `unsupported audio format: ${describeBytes(bytes)} (supported: WAV, FLAC, MP3, OGG, Opus, WebM, M4A, AAC, AIFF, CAF)`,
  );
}

function decodeOgg(bytes: Uint8Array, limits: DecodeLimits): Promise<Audio> {
  const codec = codecOfOgg(bytes);
  if (codec === undefined) throw unsupported('the OGG file has an unsupported codec (supported: Opus, Vorbis, FLAC)');
  if (codec !== 'vorbis') return decodeWithLibav(bytes, limits, { container: 'ogg' });
  const pages = wholePages(bytes);
  return decodeWithLibav(pages, limits, { container: 'ogg', length: lastGranule(pages) });
}
