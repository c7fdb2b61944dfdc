/** FLAC and Ogg Opus by FFmpeg's encoders and containers, without anything that differs from run to run. */
import type { AudioEncoder, Patch, WriteBytes } from './audio-encoder.ts';
import { createLibavFilter, type Libav, type LibavFrame, monoFrame, openLibav } from './libav.ts';
import { encodePcm } from './wav-encode.ts';

/** What Opus is coded at; decoders give this rate whatever went in. */
const opusRate = 48_000;
const opusBitsPerSecond = 64_000;
/** Microseconds of audio on a page of Ogg: what a listener waits for. */
const oggPageDuration = '100000';
/** `AVFMT_FLAG_BITEXACT`: no random serial number and no version of the library. */
const formatFlagBitexact = 0x400;

/** 16-bit FLAC: the samples of the WAV file. Patched with the length and the checksum of all samples. */
export async function createFlacEncoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  const libav = await openLibav('flac');
  const stream = openStream(libav, {
    codec: 'flac',
    container: 'flac',
    context: { sample_fmt: libav.AV_SAMPLE_FMT_S16, sample_rate: sampleRate },
    write,
  });
  let pending = new Int16Array(0);
  let time = 0;
  const takeFrames = (least: number): LibavFrame[] => {
    const frames: LibavFrame[] = [];
    let start = 0;
    while (pending.length - start >= least) {
      const samples = pending.slice(start, start + stream.frameSize);
      frames.push(monoFrame(samples, libav.AV_SAMPLE_FMT_S16, sampleRate, time));
      time += samples.length;
      start += samples.length;
    }
    pending = pending.slice(start);
    return frames;
  };
  return {
    async write(samples) {
      pending = append(pending, samples);
      await stream.encode(takeFrames(stream.frameSize));
    },
    async finish() {
      await stream.encode(takeFrames(1));
      return stream.finish();
    },
    close: stream.close,
  };
}

function append(pending: Int16Array, samples: Float32Array): Int16Array<ArrayBuffer> {
  const bytes = encodePcm(samples);
  const joined = new Int16Array(pending.length + samples.length);
  joined.set(pending);
  joined.set(new Int16Array(bytes.buffer, bytes.byteOffset, samples.length), pending.length);
  return joined;
}

/** Opus in Ogg, resampled to 48 kHz. */
export async function createOpusEncoder(sampleRate: number, write: WriteBytes): Promise<AudioEncoder> {
  const libav = await openLibav('opus');
  const stream = openStream(libav, {
    codec: 'libopus',
    container: 'ogg',
    context: { sample_fmt: libav.AV_SAMPLE_FMT_FLT, sample_rate: opusRate, bit_rate: opusBitsPerSecond },
    containerOption: ['page_duration', oggPageDuration],
    write,
  });
  const resampler = createLibavFilter(libav, {
    graph: `aresample=${opusRate}`,
    inputRate: sampleRate,
    outputRate: opusRate,
    frameSize: stream.frameSize,
  });
  return {
    write: (samples) => stream.encode(resampler.push(samples)),
    async finish() {
      await stream.encode(resampler.flush());
      return stream.finish();
    },
    close: stream.close,
  };
}

interface StreamOptions {
  readonly codec: string;
  readonly container: string;
  readonly context: { readonly sample_fmt: number; readonly sample_rate: number; readonly bit_rate?: number };
  readonly containerOption?: readonly [name: string, value: string];
  readonly write: WriteBytes;
}

interface EncodedStream {
  /** Samples of a frame. */
  readonly frameSize: number;
  encode(frames: readonly LibavFrame[]): Promise<void>;
  finish(): Promise<readonly Patch[]>;
  close(): Promise<void>;
}

function openStream(libav: Libav, options: StreamOptions): EncodedStream {
  const { codec, container, context, containerOption, write } = options;
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
  const encodeFrames = async (frames: readonly LibavFrame[], end: 'more' | 'end'): Promise<void> => {
    if (!started) libav.avformat_write_header_sync(muxer, dictionary(libav, containerOption));
    started = true;
    const packets = libav.ff_encode_multi_sync(encoder, frame, packet, [...frames], end === 'end');
    libav.ff_write_multi_sync(muxer, packet, packets);
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
    async finish() {
      await encodeFrames([], 'end');
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

/** Address of an `AVDictionary *` with one entry, or none. */
function dictionary(libav: Libav, entry: StreamOptions['containerOption']): number {
  if (entry === undefined) return 0;
  const address = libav.malloc_sync(4);
  libav.copyin_s32_sync(address, Int32Array.of(libav.av_dict_set_js_sync(0, ...entry, 0)));
  return address;
}
