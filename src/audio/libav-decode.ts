/** FLAC, MP3 and Ogg (Opus, Vorbis, FLAC) by FFmpeg's containers and decoders, one packet after the other. */
import { SvcError } from '../errors.ts';
import type { DecodeLimits } from './decode-limits.ts';
import { type Libav, type LibavFrame, openLibav } from './libav.ts';
import { createMonoCollector } from './mono-collector.ts';
import { describeBytes } from './signature.ts';
import type { Audio } from './wav.ts';

export interface LibavDecodeOptions {
  /** FFmpeg's name of it; no other is tried. */
  readonly container: 'flac' | 'mp3' | 'ogg';
  /**
   * Samples of a channel, where the container says it better than FFmpeg: what it cuts from the end of Ogg Vorbis is
   * wrong by up to a block. All that were decoded when it is far from that.
   */
  readonly length?: number | undefined;
}

/** Longest block of Vorbis: by less than that a stream is cut. */
const longestBlock = 8_192;

/** @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE, BACKEND_UNAVAILABLE, as `decodeAudio`. */
export async function decodeWithLibav(
  bytes: Uint8Array,
  limits: DecodeLimits,
  options: LibavDecodeOptions,
): Promise<Audio> {
  const name = describeBytes(bytes);
  const collector = createMonoCollector(name, limits);
  const libav = await openLibav('flac, mp3, vorbis and opus');
  try {
    for await (const frame of decodedFrames(libav, bytes, options)) {
      collector.add(channelsOf(frame), frame.sample_rate as number);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const expected = 'expected a whole audio file for audio';
    throw new SvcError('UNSUPPORTED_AUDIO', `${expected}, received ${name} that is damaged`, { cause: error });
  } finally {
    libav.terminate();
  }
  const { length = 0 } = options;
  return collector.finish(length > 0 && collector.length - length < longestBlock ? length : undefined);
}

const fileName = 'in';

async function* decodedFrames(
  libav: Libav,
  bytes: Uint8Array,
  { container, length }: LibavDecodeOptions,
): AsyncGenerator<LibavFrame> {
  await libav.writeFile(fileName, bytes);
  const [file, streams] = await libav.ff_init_demuxer_file(fileName, container);
  const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO);
  if (stream === undefined) return;
  const { index, codec_id: codec, codecpar } = stream;
  const [, decoder, packet, frame] = await libav.ff_init_decoder(codec, codecpar);
  const decode = (packets: Parameters<Libav['ff_decode_multi']>[3], end: 'more' | 'end') => {
    try {
      return libav.ff_decode_multi_sync(decoder, packet, frame, packets, end === 'end');
    } catch {
      // Goes on behind what is damaged, as players do.
      libav.av_packet_unref_sync(packet);
      return [];
    }
  };
  for (let more = true; more; ) {
    // A limit of one byte is one packet: what that decodes to is bounded.
    const [status, packets] = await libav.ff_read_frame_multi(file, packet, { limit: 1 });
    // Everything else is the end, or where the file breaks off.
    more = status === -libav.EAGAIN;
    for (const part of packets[index] ?? []) {
      // What FFmpeg would cut from the ends stands in the packet's side data.
      yield* decode([length === undefined ? part : { ...part, side_data: [] }], 'more');
    }
  }
  yield* decode([], 'end');
}

type Values = Int16Array | Int32Array | Float32Array;

function channelsOf({ data, nb_samples: count = 0 }: LibavFrame): readonly Float32Array[] {
  if (Array.isArray(data)) return (data as readonly Values[]).map((plane) => toFloat(plane, 0, 1));
  const values = data as Values;
  const channels = Math.round(values.length / count);
  return Array.from({ length: channels }, (_, channel) => toFloat(values, channel, channels));
}

/** Every `step`-th value from `first` on, full scale at 1. */
function toFloat(values: Values, first: number, step: number): Float32Array {
  if (values instanceof Float32Array && step === 1) return values;
  const scale = values instanceof Float32Array ? 1 : 2 ** (1 - 8 * values.BYTES_PER_ELEMENT);
  const floats = new Float32Array(Math.floor(values.length / step));
  for (let index = 0; index < floats.length; index += 1) {
    floats[index] = (values[first + index * step] as number) * scale;
  }
  return floats;
}
