/**
 * FFmpeg's libraries as WebAssembly (libav.js, LGPL 2.1): decoders, encoders, filters.
 *
 * The `obsolete` variant is the default one plus LAME for MP3.
 *
 * Decoders, which read what others made, get an instance each: it isolates failures and frees its memory. Encoders and
 * filters, whose input is samples, share one, as opening it takes about 50 ms and 20 MB, and a filter in it less than 1 ms.
 */
import type LibAV from '@libav.js/types';
import { attempt } from '../../errors.ts';
import { concatenate } from '../../float-arrays.ts';
import type { Encoded, Transform } from '../transform.ts';
import { loadLibrary } from './load-library.ts';

export type Libav = LibAV.LibAV & LibAV.LibAVSync;
export type LibavFrame = LibAV.Frame;
export type LibavPacket = LibAV.Packet;
export type LibavStream = LibAV.Stream;

export type Moment = 'more' | 'end';
/** Muxes packets to bytes of a file. `samples` is the total number at the end. */
export type Container = (packets: readonly LibavPacket[], moment: Moment, samples: number) => Encoded;

/** `AV_CH_LAYOUT_MONO`, `AV_LOG_QUIET` and `O_WRONLY`. */
export const monoLayout = 4;
const logQuiet = -8;
const writeOnly = 1;
const standardError = 2;

/** Opens an instance of its own, for input that may harm it. @throws SvcError BACKEND_UNAVAILABLE */
export async function openLibav(purpose: string): Promise<Libav> {
  const wrapper = await loadLibrary('@libav.js/variant-obsolete', purpose, () => import('@libav.js/variant-obsolete'));
  const libav = await (wrapper.default as unknown as LibAV.LibAVWrapper).LibAV({ noworker: true });
  // Errors are exceptions; anything printed would break the single line of an error.
  libav.av_log_set_level_sync(logQuiet);
  libav.dup2_sync(libav.open_sync('/dev/null', writeOnly, 0), standardError);
  return libav;
}

let shared: Promise<Libav> | undefined;
const failed = new WeakSet<Libav>();

/** The instance that the encoders and filters of the process share. @throws SvcError BACKEND_UNAVAILABLE */
export async function sharedLibav(purpose: string): Promise<Libav> {
  shared ??= openLibav(purpose);
  const opening = shared;
  const libav = await opening.catch((error: unknown) => {
    if (shared === opening) shared = undefined;
    throw error;
  });
  if (!failed.has(libav)) return libav;
  if (shared === opening) shared = undefined;
  return sharedLibav(purpose);
}

/** Works in the shared instance. After a failure its memory may be damaged, so nothing new begins in it. */
export function inShared<Result>(libav: Libav, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    failed.add(libav);
    throw error;
  }
}

/** Frees what was made in the shared instance; never throws. */
export function freeIn(libav: Libav, free: () => void): void {
  // Of a failure, the instance is given up, and its memory with it.
  attempt(() => inShared(libav, free));
}

/**
 * `aresample` with a Kaiser window, as FFmpeg's default rolls off early. Width and cutoff come closest to soxr, which
 * the official code of model 2 uses for prompts (largest difference 5e-5 in `tests/audio/resample/resample.test.ts`).
 */
export const resamplingTo = (rate: number): string =>
  `aresample=${rate}:filter_type=kaiser:kaiser_beta=14.77:filter_size=192:cutoff=0.955`;

export interface LibavFilterOptions {
  /** FFmpeg filter graph, such as `atempo=2,atempo=1.5`. */
  readonly graph: string;
  readonly inputRate: number;
  readonly outputRate: number;
  /** Samples per frame except the last. Default: FFmpeg's choice. */
  readonly frameSize?: number;
}

/** Creates a filter of mono float samples in the shared instance. */
export function createLibavFilter(
  libav: Libav,
  options: LibavFilterOptions,
): Transform<Float32Array, readonly LibavFrame[]> {
  const { graph, inputRate, outputRate, frameSize } = options;
  const settings = { sample_fmt: libav.AV_SAMPLE_FMT_FLT, channel_layout: monoLayout };
  const [[graphAddress, source, sink], frame] = inShared(libav, () => [
    libav.ff_init_filter_graph_sync(
      graph,
      { ...settings, sample_rate: inputRate },
      { ...settings, sample_rate: outputRate, ...(frameSize === undefined ? {} : { frame_size: frameSize }) },
    ),
    libav.av_frame_alloc_sync(),
  ]);
  const filter = (frames: readonly LibavFrame[], moment: Moment): readonly LibavFrame[] =>
    inShared(libav, () => libav.ff_filter_multi_sync(source, sink, frame, [...frames], moment === 'end'));
  let time = 0;
  let closed = false;
  return {
    push(samples) {
      const frames: LibavFrame[] = [];
      // One second at a time: the memory of the instance grows with the largest piece and never shrinks.
      for (let start = 0; start < samples.length && !closed; start += inputRate) {
        const piece = samples.subarray(start, start + inputRate);
        frames.push(...filter([monoFrame(piece, libav.AV_SAMPLE_FMT_FLT, inputRate, time)], 'more'));
        time += piece.length;
      }
      return frames;
    },
    flush: () => (closed ? [] : filter([], 'end')),
    close() {
      if (closed) return;
      closed = true;
      freeIn(libav, () => {
        libav.av_frame_free_js_sync(frame);
        libav.avfilter_graph_free_js_sync(graphAddress);
      });
    },
  };
}

/** Concatenates the samples of mono float frames. */
export const samplesOf = (frames: readonly LibavFrame[]): Float32Array =>
  concatenate(frames.map(({ data }) => data as Float32Array));

type Mono = Float32Array | Int16Array;

export const monoFrame = (data: Mono, format: number, sampleRate: number, time: number): LibavFrame => ({
  ...{ data, format, channel_layout: monoLayout },
  ...{ sample_rate: sampleRate, nb_samples: data.length, pts: time },
});
