/** Encodes FLAC, Opus and MP3 with FFmpeg, deterministically. */
import {
  type Container,
  createLibavFilter,
  freeIn,
  inShared,
  type Libav,
  type LibavFrame,
  type LibavPacket,
  type Moment,
  monoLayout,
  resamplingTo,
  sharedLibav,
} from '../libraries/libav.ts';
import type { Encoded, EncodedBytes, Transform } from '../transform.ts';
import { assertCodingRate, bitsPerSecond } from './coding-rate.ts';
import { createFrameCutter } from './frame-cutter.ts';
import { createMp3Stream } from './mp3-info.ts';

/** Sample rate of Opus; decoders always return it. */
const opusRate = 48_000;
const opusBitsPerSecond = 64_000;
/** Packets of 20 ms per Ogg page, for which listeners wait: less than a patch; page headers take 6 % of the bytes. */
const oggPagePackets = 3;
/** `AVFMT_FLAG_BITEXACT`: no random serial number and no version of the library. */
const formatFlagBitexact = 0x400;

/** FLAC frame lengths with a code of their own. */
const flacFrameSizes = [576, 1_152, 2_304, 4_608] as const;
/** Maximum duration of a FLAC frame in seconds, less than any model's patch, as listeners wait for a frame. */
const flacFrameSeconds = 0.075;

type SyncEncoder = Transform<Float32Array, Encoded>;

/** Comments of the file, such as `title`. */
type Metadata = Readonly<Record<string, string>>;

/** Encodes 16-bit FLAC with the samples of the WAV file. Length and checksum join the header at the end. */
export async function createFlacEncoder(sampleRate: number, metadata: Metadata = {}): Promise<SyncEncoder> {
  const libav = await sharedLibav('flac');
  const format = libav.AV_SAMPLE_FMT_S16;
  const frameSize = flacFrameSizes.findLast((size) => size <= flacFrameSeconds * sampleRate) ?? flacFrameSizes[0];
  const codec = openCodec(libav, 'flac', { sample_fmt: format, sample_rate: sampleRate, frame_size: frameSize });
  // Otherwise FFmpeg reserves 8 KiB for tags.
  const container = openContainer(libav, codec, { name: 'flac', options: { metadata_header_padding: '0' }, metadata });
  const cutter = createFrameCutter({ frameSize: codec.frameSize, sampleRate, format, layout: 'interleaved' });
  return createLibavEncoder(libav, cutter, codec, container);
}

/** Creates an encoder of Opus in Ogg, resampled to 48 kHz. @param bitRate bits per second */
export async function createOpusEncoder(
  sampleRate: number,
  metadata: Metadata = {},
  bitRate = opusBitsPerSecond,
): Promise<SyncEncoder> {
  const libav = await sharedLibav('opus');
  const format = libav.AV_SAMPLE_FMT_FLT;
  const context = { sample_fmt: format, sample_rate: opusRate, bit_rate: bitRate };
  const codec = openCodec(libav, 'libopus', context);
  const container = openContainer(libav, codec, { name: 'ogg', pagePackets: oggPagePackets, metadata });
  const rates = { inputRate: sampleRate, outputRate: opusRate };
  const resampler = createLibavFilter(libav, { graph: resamplingTo(opusRate), ...rates, frameSize: codec.frameSize });
  return createLibavEncoder(libav, resampler, codec, container);
}

/**
 * Creates an encoder of MP3 with constant bit rate. Its first frame states how many samples players should cut; the length
 * is added at the end.
 *
 * The bit reservoir is off: with it, a frame would be complete only after the next one, which delays playback.
 *
 * @throws SvcError UNSUPPORTED_AUDIO for a sample rate that MP3 lacks, BACKEND_UNAVAILABLE if the package is missing
 */
export async function createMp3Encoder(sampleRate: number, bitRate = bitsPerSecond(sampleRate)): Promise<SyncEncoder> {
  assertCodingRate('mp3', sampleRate);
  const libav = await sharedLibav('mp3');
  const format = libav.AV_SAMPLE_FMT_S16P;
  const context = { sample_fmt: format, sample_rate: sampleRate, bit_rate: bitRate };
  const codec = openCodec(libav, 'libmp3lame', context, { reservoir: '0' });
  const cutter = createFrameCutter({ frameSize: codec.frameSize, sampleRate, format, layout: 'planar' });
  const encoder = createLibavEncoder(libav, cutter, codec, { mux: createMp3Stream(), close: () => undefined });
  let isEmpty = true;
  return {
    ...encoder,
    push(samples) {
      isEmpty &&= samples.length === 0;
      return encoder.push(samples);
    },
    // An MP3 cannot be empty.
    flush: () => [...(isEmpty ? encoder.push(new Float32Array(1)) : []), ...encoder.flush()],
  };
}

function createLibavEncoder(
  libav: Libav,
  framer: Transform<Float32Array, readonly LibavFrame[]>,
  codec: Codec,
  container: OpenContainer,
): SyncEncoder {
  let count = 0;
  const encode = (frames: readonly LibavFrame[], moment: Moment): Encoded =>
    inShared(libav, () => container.mux(codec.encode(frames, moment), moment, count));
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    framer.close();
    freeIn(libav, () => {
      container.close();
      codec.close();
    });
  };
  return {
    push(samples) {
      count += samples.length;
      const frames = framer.push(samples);
      return closed || frames.length === 0 ? [] : encode(frames, 'more');
    },
    flush() {
      if (closed) return [];
      const encoded = encode(framer.flush(), 'end');
      close();
      return encoded;
    },
    close,
  };
}

interface CodecContext {
  readonly sample_fmt: number;
  readonly sample_rate: number;
  readonly bit_rate?: number;
  readonly frame_size?: number;
}

type Codec = ReturnType<typeof openCodec>;

function openCodec(libav: Libav, name: string, settings: CodecContext, options: Readonly<Record<string, string>> = {}) {
  const [, context, frame, packet, frameSize] = inShared(libav, () =>
    libav.ff_init_encoder_sync(name, {
      ctx: { ...settings, channel_layout: monoLayout, channels: 1 },
      time_base: [1, settings.sample_rate],
      options: { flags: '+bitexact', ...options },
    }),
  );
  const encode = (frames: readonly LibavFrame[], moment: Moment): readonly LibavPacket[] =>
    libav.ff_encode_multi_sync(context, frame, packet, [...frames], moment === 'end');
  const close = (): void => libav.ff_free_encoder_sync(context, frame, packet);
  return { frameSize, sampleRate: settings.sample_rate, context, packet, encode, close };
}

interface ContainerOptions {
  /** FFmpeg's name of the container. */
  readonly name: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly metadata: Metadata;
  /** Number of packets per page. Default: the container's. */
  readonly pagePackets?: number;
}

type OpenContainer = { readonly mux: Container; close(): void };

/** Opens an FFmpeg container for writing. */
const openContainer = (libav: Libav, codec: Codec, options: ContainerOptions): OpenContainer =>
  inShared(libav, () => beginContainer(libav, codec, options));

function beginContainer(
  libav: Libav,
  codec: Codec,
  { name, options = {}, metadata, pagePackets }: ContainerOptions,
): OpenContainer {
  const written = collectWrites(libav);
  libav.mkwriterdev_sync(written.name);
  const [muxer, , file] = libav.ff_init_muxer_sync({ filename: written.name, format_name: name, open: true }, [
    [codec.context, 1, codec.sampleRate],
  ]);
  libav.AVFormatContext_flags_s_sync(muxer, formatFlagBitexact);
  libav.AVFormatContext_metadata_s_sync(muxer, dictionary(libav, metadata));
  let started = false;
  let count = 0;
  return {
    mux(packets, moment) {
      if (!started) writeHeader(libav, muxer, options);
      started = true;
      for (const encoded of packets) {
        libav.ff_write_multi_sync(muxer, codec.packet, [encoded]);
        count += 1;
        // Counted, so that the size of pieces does not matter; the container writes and marks the last page.
        const isPage = pagePackets !== undefined && count % pagePackets === 0;
        if (isPage && moment === 'more') libav.av_write_frame_sync(muxer, 0);
      }
      if (moment === 'end') libav.av_write_trailer_sync(muxer);
      libav.avio_flush_sync(file);
      return written.take();
    },
    close() {
      libav.ff_free_muxer_sync(muxer, file);
      libav.unlink_sync(written.name);
      written.close();
    },
  };
}

/** What is written to each name in an instance. */
const listeners = new WeakMap<Libav, Map<string, NonNullable<Libav['onwrite']>>>();
let names = 0;

/** Collects the bytes written to a name of its own; `take` returns those since the last call: appended, or replacing earlier ones. */
function collectWrites(libav: Libav): { readonly name: string; take(): Encoded; close(): void } {
  const pending: EncodedBytes[] = [];
  let end = 0;
  const listening = listeners.get(libav) ?? new Map<string, NonNullable<Libav['onwrite']>>();
  listeners.set(libav, listening);
  libav.onwrite = (name, position, buffer) => listening.get(name)?.(name, position, buffer);
  names += 1;
  const name = `out-${names}`;
  listening.set(name, (_name, position, buffer) => {
    // A copy, as the memory belongs to the module.
    const bytes = Uint8Array.from(buffer);
    pending.push(position < end ? { bytes, position } : { bytes });
    if (position >= end) end = position + bytes.length;
  });
  return {
    name,
    take: () => pending.splice(0),
    close: () => void listening.delete(name),
  };
}

/** Options must be known to the container, which then takes their memory. */
function writeHeader(libav: Libav, muxer: number, options: Readonly<Record<string, string>>): void {
  const address = pointerTo(libav, dictionary(libav, options));
  libav.avformat_write_header_sync(muxer, address);
  if (address !== 0) libav.free_sync(address);
}

/** An `AVDictionary *`. */
const dictionary = (libav: Libav, entries: Readonly<Record<string, string>>): number =>
  Object.entries(entries).reduce((address, [name, value]) => libav.av_dict_set_js_sync(address, name, value, 0), 0);

/** Address of a pointer; none of none. */
function pointerTo(libav: Libav, pointer: number): number {
  if (pointer === 0) return 0;
  const address = libav.malloc_sync(4);
  libav.copyin_s32_sync(address, Int32Array.of(pointer));
  return address;
}
