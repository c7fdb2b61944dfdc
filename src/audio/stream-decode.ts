/**
 * FLAC, MP3 and Ogg by the decoders of wasm-audio-decoders (libFLAC, mpg123, libopus, libvorbis as WebAssembly:
 * a hostile file reaches no memory but the decoder's own).
 */
import { SvcError } from '../errors.ts';
import { loadLibrary } from './load-library.ts';
import { createMonoCollector } from './mono-collector.ts';
import { codecOfOgg, type OggCodec, wholePages } from './ogg.ts';
import { describeBytes } from './signature.ts';
import type { Audio } from './wav.ts';

/**
 * Bytes that a decoder gets at a time. Small, because a kilobyte of silence can hold minutes: how much there is,
 * is counted after each.
 */
const blockBytes = 1024;

/** What the decoders of the family have in common. */
interface Decoder {
  readonly ready: Promise<void>;
  readonly decode: (bytes: Uint8Array) => Decoded | Promise<Decoded>;
  readonly flush?: () => Promise<Decoded>;
  readonly free: () => void;
}

interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
}

type Codec = 'mp3' | OggCodec;

const openDecoder: Readonly<Record<Codec, () => Promise<Decoder>>> = {
  flac: async () => {
    const name = '@wasm-audio-decoders/flac';
    return new (await loadLibrary(name, 'flac', () => import('@wasm-audio-decoders/flac'))).FLACDecoder();
  },
  mp3: async () => new (await loadLibrary('mpg123-decoder', 'mp3', () => import('mpg123-decoder'))).MPEGDecoder(),
  opus: async () =>
    new (await loadLibrary('ogg-opus-decoder', 'opus', () => import('ogg-opus-decoder'))).OggOpusDecoder(),
  vorbis: async () => {
    const name = '@wasm-audio-decoders/ogg-vorbis';
    return new (await loadLibrary(name, 'vorbis', () => import('@wasm-audio-decoders/ogg-vorbis'))).OggVorbisDecoder();
  },
};

/** @throws SvcError UNSUPPORTED_AUDIO, as `decodeAudio`. */
export async function decodeCompressed(bytes: Uint8Array, container: 'flac' | 'mp3' | 'ogg'): Promise<Audio> {
  const name = describeBytes(bytes);
  const codec = container === 'ogg' ? codecOfOgg(bytes) : container;
  if (codec === undefined) {
    throw new SvcError('UNSUPPORTED_AUDIO', 'expected Opus, Vorbis or FLAC for audio in OGG, received another codec');
  }
  const content = container === 'ogg' ? wholePages(bytes) : bytes;
  const collector = createMonoCollector(name);
  const decoder = await openDecoder[codec]();
  const add = ({ channelData, samplesDecoded, sampleRate }: Decoded): void => {
    // Without samples the other fields mean nothing.
    if (samplesDecoded > 0) collector.add(channelData, sampleRate);
  };
  try {
    await decoder.ready;
    for (let start = 0; start < content.length; start += blockBytes) {
      add(await decoder.decode(content.subarray(start, start + blockBytes)));
    }
    if (decoder.flush !== undefined) add(await decoder.flush());
  } catch (error) {
    throw error instanceof SvcError ? error : broken(name, error);
  } finally {
    decoder.free();
  }
  return collector.finish();
}

const broken = (name: string, cause: unknown): SvcError =>
  new SvcError('UNSUPPORTED_AUDIO', `expected a whole audio file for audio, received ${name} that is damaged`, {
    cause,
  });
