/** FLAC and Ogg (Opus, FLAC) by FFmpeg's containers and decoders, one packet after the other. */
import { SvcError } from '../errors.ts';
import { type Libav, type LibavFrame, openLibav } from './libav.ts';
import { createMonoCollector } from './mono-collector.ts';
import { describeBytes } from './signature.ts';
import type { Audio } from './wav.ts';

/** @throws SvcError UNSUPPORTED_AUDIO, as `decodeAudio`. */
export async function decodeWithLibav(bytes: Uint8Array): Promise<Audio> {
  const name = describeBytes(bytes);
  const collector = createMonoCollector(name);
  const libav = await openLibav('flac and opus');
  try {
    for await (const frame of decodedFrames(libav, bytes)) {
      collector.add(channelsOf(frame), frame.sample_rate as number);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const expected = 'expected a whole audio file for audio';
    throw new SvcError('UNSUPPORTED_AUDIO', `${expected}, received ${name} that is damaged`, { cause: error });
  } finally {
    libav.terminate();
  }
  return collector.finish();
}

const fileName = 'in';

async function* decodedFrames(libav: Libav, bytes: Uint8Array): AsyncGenerator<LibavFrame> {
  await libav.writeFile(fileName, bytes);
  const [file, streams] = await libav.ff_init_demuxer_file(fileName);
  const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO);
  if (stream === undefined) return;
  const { index, codec_id: codec, codecpar } = stream;
  const [, decoder, packet, frame] = await libav.ff_init_decoder(codec, codecpar);
  const decode = async (packets: Parameters<Libav['ff_decode_multi']>[3], end: 'more' | 'end') => {
    try {
      return await libav.ff_decode_multi(decoder, packet, frame, packets, end === 'end');
    } catch {
      // Goes on behind what is damaged, as players do.
      await libav.av_packet_unref(packet);
      return [];
    }
  };
  for (let more = true; more; ) {
    // A limit of one byte is one packet: what that decodes to is bounded.
    const [status, packets] = await libav.ff_read_frame_multi(file, packet, { limit: 1 });
    // Everything else is the end, or where the file breaks off.
    more = status === -libav.EAGAIN;
    for (const part of packets[index] ?? []) yield* await decode([part], 'more');
  }
  yield* await decode([], 'end');
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
  const scale = values instanceof Float32Array ? 1 : 2 ** (1 - 8 * values.BYTES_PER_ELEMENT);
  const length = Math.floor(values.length / step);
  return Float32Array.from({ length }, (_, index) => (values[first + index * step] as number) * scale);
}
