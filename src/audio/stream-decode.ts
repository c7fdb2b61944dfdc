/**
 * MP3 and Ogg Vorbis by the decoders of wasm-audio-decoders (mpg123 and libvorbis as WebAssembly: a hostile file
 * reaches no memory but the decoder's own).
 */
import { SvcError } from '../errors.ts';
import { loadLibrary } from './load-library.ts';
import { createMonoCollector } from './mono-collector.ts';
import { describeBytes } from './signature.ts';
import type { Audio } from './wav.ts';

/**
 * Bytes that a decoder gets at a time. Small, because a kilobyte can hold much silence: how much there is, is
 * counted after each.
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

const openDecoder = {
  mp3: async (): Promise<Decoder> => {
    const library = await loadLibrary('mpg123-decoder', 'mp3', () => import('mpg123-decoder'));
    return new library.MPEGDecoder();
  },
  vorbis: async (): Promise<Decoder> => {
    const name = '@wasm-audio-decoders/ogg-vorbis';
    const library = await loadLibrary(name, 'vorbis', () => import('@wasm-audio-decoders/ogg-vorbis'));
    return new library.OggVorbisDecoder();
  },
} as const;

/** @throws SvcError UNSUPPORTED_AUDIO, as `decodeAudio`. */
export async function decodeStream(bytes: Uint8Array, codec: keyof typeof openDecoder): Promise<Audio> {
  const name = describeBytes(bytes);
  const collector = createMonoCollector(name);
  const decoder = await openDecoder[codec]();
  const add = ({ channelData, samplesDecoded, sampleRate }: Decoded): void => {
    // Without samples the other fields mean nothing.
    if (samplesDecoded > 0) collector.add(channelData, sampleRate);
  };
  try {
    await decoder.ready;
    for (let start = 0; start < bytes.length; start += blockBytes) {
      add(await decoder.decode(bytes.subarray(start, start + blockBytes)));
    }
    if (decoder.flush !== undefined) add(await decoder.flush());
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const expected = 'expected a whole audio file for audio';
    throw new SvcError('UNSUPPORTED_AUDIO', `${expected}, received ${name} that is damaged`, { cause: error });
  } finally {
    decoder.free();
  }
  return collector.finish();
}
