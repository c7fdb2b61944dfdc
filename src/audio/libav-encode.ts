/** FLAC and Ogg Opus by FFmpeg's encoders and containers, without anything that differs from run to run. */
import type { AudioEncoder, Patch, WriteBytes } from './audio-encoder.ts';
import { createFrameCutter } from './frame-cutter.ts';
import { createLibavFilter, type Libav, type LibavFrame, type LibavPacket, openLibav, resamplingTo } from './libav.ts';

/** What Opus is coded at; decoders give this rate whatever went in. */
const opusRate = 48_000;
const opusBitsPerSecond = 64_000;
/**
 * Packets of 20 ms on a page of Ogg. A listener waits for a page: this one is shorter than any model's patch, and its
 * header costs 6 % of the bytes.
 */
const oggPagePackets = 3;
/** `AVFMT_FLAG_BITEXACT`: no random serial number and no version of the library. */
const formatFlagBitexact = 0x400;

/** Lengths of a FLAC frame that have a code of their own. */
const flacFrameSizes = [576, 1_152, 2_304, 4_608] as const;
/** What a listener waits for, in seconds: less than any model's patch. */
const flacFrameSeconds = 0.075;

/** 16-bit FLAC: the samples of the WAV file. Patched with the length and the checksum of all samples. */
export async function createFlacEncoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  const libav = await openLibav('flac');
  const format = libav.AV_SAMPLE_FMT_S16;
  const frameSize = flacFrameSizes.findLast((size) => size <= flacFrameSeconds * sampleRate) ?? flacFrameSizes[0];
  const stream = openStream(libav, {
    codec: 'flac',
    container: 'flac',
    context: { sample_fmt: format, sample_rate: sampleRate, frame_size: frameSize },
    // FFmpeg leaves 8 KiB for tags otherwise.
    containerOptions: { metadata_header_padding: '0' },
    write,
  });
  const cutter = createFrameCutter({ frameSize: stream.frameSize, sampleRate, format, layout: 'interleaved' });
  return {
    write: (samples) => stream.encode(cutter.push(samples)),
    finish: () => stream.finish(cutter.flush()),
    close: stream.close,
  };
}

/** Opus in Ogg, resampled to 48 kHz. */
export async function createOpusEncoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  const libav = await openLibav('opus');
  const stream = openStream(libav, {
    codec: 'libopus',
    container: 'ogg',
    context: { sample_fmt: libav.AV_SAMPLE_FMT_FLT, sample_rate: opusRate, bit_rate: opusBitsPerSecond },
    pagePackets: oggPagePackets,
    write,
  });
  const resampler = createLibavFilter(libav, {
    graph: resamplingTo(opusRate),
    inputRate: sampleRate,
    outputRate: opusRate,
    frameSize: stream.frameSize,
  });
  return {
    write: (samples) => stream.encode(resampler.push(samples)),
    finish: () => stream.finish(resampler.flush()),
    close: stream.close,
  };
}

interface StreamOptions {
  readonly codec: string;
  readonly container: string;
  readonly context: {
    readonly sample_fmt: number;
    readonly sample_rate: number;
    readonly bit_rate?: number;
    readonly frame_size?: number;
  };
  readonly containerOptions?: Readonly<Record<string, string>>;
  /** Packets after which the container writes what it holds; left to the container when left out. */
  readonly pagePackets?: number;
  readonly write: WriteBytes;
}

interface EncodedStream {
  /** Samples of a frame. */
  readonly frameSize: number;
  encode(frames: readonly LibavFrame[]): Promise<void>;
  /** With the last frames. */
  finish(frames: readonly LibavFrame[]): Promise<readonly Patch[]>;
  close(): Promise<void>;
}

function openStream(libav: Libav, options: StreamOptions): EncodedStream {
  const { codec, container, context, containerOptions = {}, pagePackets, write } = options;
  const written = collectWrites(libav);
  const [, encoder, frame, packet, frameSize] = libav.ff_init_encoder_sync(codec, {
    ctx: { ...context, channel_layout: 4, channels: 1 },
    time_base: [1, context.sample_rate],
    options: { flags: '+bitexact' },
  });
  // What is written to this name comes back by `onwrite`.
  const name = `out.${container}`;
  libav.mkwriterdev_sync(name);
  const [muxer, , file] = libav.ff_init_muxer_sync({ filename: name, format_name: container, open: true }, [
    [encoder, 1, context.sample_rate],
  ]);
  libav.AVFormatContext_flags_s_sync(muxer, formatFlagBitexact);
  let started = false;
  let count = 0;
  const writePackets = (packets: readonly LibavPacket[], end: 'more' | 'end'): void => {
    for (const encoded of packets) {
      libav.ff_write_multi_sync(muxer, packet, [encoded]);
      count += 1;
      // By count, so that it makes no difference how samples were cut; the last page is the container's, which marks it.
      if (pagePackets !== undefined && count % pagePackets === 0 && end === 'more') libav.av_write_frame_sync(muxer, 0);
    }
  };
  const encodeFrames = async (frames: readonly LibavFrame[], end: 'more' | 'end'): Promise<void> => {
    if (!started) libav.avformat_write_header_sync(muxer, dictionary(libav, containerOptions));
    started = true;
    writePackets(libav.ff_encode_multi_sync(encoder, frame, packet, [...frames], end === 'end'), end);
    if (end === 'end') libav.av_write_trailer_sync(muxer);
    libav.avio_flush_sync(file);
    for (const bytes of written.take()) await write(bytes);
  };
  const close = async (): Promise<void> => libav.terminate();
  return {
    frameSize,
    async encode(frames) {
      if (frames.length > 0) await encodeFrames(frames, 'more');
    },
    async finish(frames) {
      await encodeFrames(frames, 'end');
      await close();
      return written.patches;
    },
    close,
  };
}

/** What the container writes: at the end one after the other, or back into what has been written. */
function collectWrites(libav: Libav): {
  readonly take: () => readonly Uint8Array[];
  readonly patches: readonly Patch[];
} {
  const patches: Patch[] = [];
  let pending: Uint8Array[] = [];
  let end = 0;
  libav.onwrite = (_name, position, buffer) => {
    // A copy: the memory is the module's.
    const bytes = Uint8Array.from(buffer);
    if (position < end) {
      patches.push({ position, bytes });
    } else {
      pending.push(bytes);
      end = position + bytes.length;
    }
  };
  const take = (): readonly Uint8Array[] => {
    const taken = pending;
    pending = [];
    return taken;
  };
  return { take, patches };
}

/** Address of an `AVDictionary *`. */
function dictionary(libav: Libav, entries: Readonly<Record<string, string>>): number {
  const filled = Object.entries(entries).reduce(
    (address, [name, value]) => libav.av_dict_set_js_sync(address, name, value, 0),
    0,
  );
  if (filled === 0) return 0;
  const address = libav.malloc_sync(4);
  libav.copyin_s32_sync(address, Int32Array.of(filled));
  return address;
}
