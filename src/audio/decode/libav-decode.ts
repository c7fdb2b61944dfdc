/** Decodes FLAC, MP3, Ogg and WebM (Opus, Vorbis, FLAC) with FFmpeg, packet by packet. */
import { SvcError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { type Libav, type LibavFrame, type LibavStream, openLibav } from '../libraries/libav.ts';
import { type DecodeLimits, unsupported } from './decode-limits.ts';
import { createMonoCollector } from './mono-collector.ts';
import { describeBytes } from './signature.ts';

export interface LibavDecodeOptions {
  /** FFmpeg's name of the container; no other is tried. */
  readonly container: 'flac' | 'mp3' | 'ogg' | 'webm';
  /**
   * Samples per channel, where the container is more accurate than FFmpeg, whose cut at the end of Ogg Vorbis is off by
   * up to a block. Ignored if it differs by more.
   */
  readonly length?: number | undefined;
  /** Decoders of codecs that FFmpeg has none for here, by its names. */
  readonly others?: Readonly<Record<string, () => Promise<Audio>>>;
}

/** Longest block of Vorbis; a stream is cut by less. */
const longestBlock = 8_192;

/** @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE, BACKEND_UNAVAILABLE, like `decodeAudio` */
export async function decodeWithLibav(
  bytes: Uint8Array,
  limits: DecodeLimits,
  options: LibavDecodeOptions,
): Promise<Audio> {
  const name = describeBytes(bytes);
  const collector = createMonoCollector(name, limits);
  const libav = await openLibav('decoding flac, mp3, vorbis and opus');
  try {
    const stream = await openStream(libav, bytes, options.container);
    const codec = stream && (await missingDecoder(libav, stream));
    if (codec !== undefined) {
      const other = new Map(Object.entries(options.others ?? {})).get(codec);
      if (other === undefined) throw unsupported(`the ${name} has the unsupported codec ${codec}`);
      return await other();
    }
    for await (const frame of stream === undefined ? [] : decodedFrames(libav, stream, options)) {
      collector.add(channelsOf(frame), frame.sample_rate as number);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw unsupported(`the ${name} is damaged`, error);
  } finally {
    libav.terminate();
  }
  const { length = 0 } = options;
  return collector.finish(length > 0 && collector.length - length < longestBlock ? length : undefined);
}

const fileName = 'in';

interface OpenStream {
  /** Address of the open file. */
  readonly file: number;
  readonly stream: LibavStream;
}

/** The first stream of audio; undefined without any. */
async function openStream(
  libav: Libav,
  bytes: Uint8Array,
  container: LibavDecodeOptions['container'],
): Promise<OpenStream | undefined> {
  await libav.writeFile(fileName, bytes);
  const [file, streams] = await libav.ff_init_demuxer_file(fileName, container);
  const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO);
  return stream && { file, stream };
}

/** The name of the codec if there is no decoder for it. */
const missingDecoder = async (libav: Libav, { stream }: OpenStream): Promise<string | undefined> =>
  (await libav.avcodec_find_decoder(stream.codec_id)) === 0 ? libav.avcodec_get_name(stream.codec_id) : undefined;

async function* decodedFrames(
  libav: Libav,
  { file, stream: { index, codec_id: codec, codecpar } }: OpenStream,
  { length }: LibavDecodeOptions,
): AsyncGenerator<LibavFrame> {
  const [, decoder, packet, frame] = await libav.ff_init_decoder(codec, codecpar);
  const decode = (packets: Parameters<Libav['ff_decode_multi']>[3], end: 'more' | 'end') => {
    try {
      return libav.ff_decode_multi_sync(decoder, packet, frame, packets, end === 'end');
    } catch {
      // Skips damaged packets, like players.
      libav.av_packet_unref_sync(packet);
      return [];
    }
  };
  for (let more = true; more; ) {
    // A limit of one byte is one packet, which bounds the decoded size.
    const [status, packets] = await libav.ff_read_frame_multi(file, packet, { limit: 1 });
    // Any other status is the end or a truncated file.
    more = status === -libav.EAGAIN;
    for (const part of packets[index] ?? []) {
      // FFmpeg takes the cuts at both ends from side data.
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

/** Every `step`-th value starting at `first`, scaled to full scale 1. */
function toFloat(values: Values, first: number, step: number): Float32Array {
  if (values instanceof Float32Array && step === 1) return values;
  const scale = values instanceof Float32Array ? 1 : 2 ** (1 - 8 * values.BYTES_PER_ELEMENT);
  const floats = new Float32Array(Math.floor(values.length / step));
  for (let index = 0; index < floats.length; index += 1) {
    floats[index] = (values[first + index * step] as number) * scale;
  }
  return floats;
}
