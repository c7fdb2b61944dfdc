/**
 * FFmpeg's libraries as WebAssembly (libav.js, LGPL 2.1): decoders, encoders, filters.
 *
 * The `obsolete` variant is the default one plus LAME for MP3.
 *
 * Each codec gets its own instance, which takes some milliseconds and megabytes, isolates failures and frees its
 * memory. Resamplers share one instance.
 */
import type LibAV from '@libav.js/types';
import { concatenate } from '../../float-arrays.ts';
import type { Transform } from '../transform.ts';
import { loadLibrary } from './load-library.ts';

export type Libav = LibAV.LibAV & LibAV.LibAVSync;
export type LibavFrame = LibAV.Frame;
export type LibavPacket = LibAV.Packet;
export type LibavStream = LibAV.Stream;

/** `AV_CH_LAYOUT_MONO`, `AV_LOG_QUIET` and `O_WRONLY`. */
export const monoLayout = 4;
const logQuiet = -8;
const writeOnly = 1;
const standardError = 2;

/** @throws SvcError BACKEND_UNAVAILABLE if the package is missing */
export async function openLibav(purpose: string): Promise<Libav> {
  const wrapper = await loadLibrary('@libav.js/variant-obsolete', purpose, () => import('@libav.js/variant-obsolete'));
  const libav = await (wrapper.default as unknown as LibAV.LibAVWrapper).LibAV({ noworker: true });
  // Errors are exceptions; anything printed would break the single line of an error.
  libav.av_log_set_level_sync(logQuiet);
  libav.dup2_sync(libav.open_sync('/dev/null', writeOnly, 0), standardError);
  return libav;
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

/** Creates a filter of mono float samples. */
export function createLibavFilter(
  libav: Libav,
  options: LibavFilterOptions,
): Transform<Float32Array, readonly LibavFrame[]> {
  const { graph, inputRate, outputRate, frameSize } = options;
  const settings = { sample_fmt: libav.AV_SAMPLE_FMT_FLT, channel_layout: monoLayout };
  const [graphAddress, source, sink] = libav.ff_init_filter_graph_sync(
    graph,
    { ...settings, sample_rate: inputRate },
    { ...settings, sample_rate: outputRate, ...(frameSize === undefined ? {} : { frame_size: frameSize }) },
  );
  const frame = libav.av_frame_alloc_sync();
  let time = 0;
  let closed = false;
  return {
    push(samples) {
      // FFmpeg has no empty frames.
      if (samples.length === 0) return [];
      const input = monoFrame(samples, libav.AV_SAMPLE_FMT_FLT, inputRate, time);
      time += samples.length;
      return libav.ff_filter_multi_sync(source, sink, frame, [input]);
    },
    flush: () => libav.ff_filter_multi_sync(source, sink, frame, [], true),
    close() {
      if (closed) return;
      closed = true;
      libav.av_frame_free_js_sync(frame);
      libav.avfilter_graph_free_js_sync(graphAddress);
    },
  };
}

/** Concatenates the samples of mono float frames. */
export const samplesOf = (frames: readonly LibavFrame[]): Float32Array =>
  concatenate(frames.map(({ data }) => data as Float32Array));

export const monoFrame = (
  samples: Float32Array | Int16Array,
  format: number,
  sampleRate: number,
  time: number,
): LibavFrame => ({
  data: samples,
  format,
  channel_layout: monoLayout,
  sample_rate: sampleRate,
  nb_samples: samples.length,
  pts: time,
});
