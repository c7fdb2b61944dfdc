/**
 * FFmpeg's libraries as WebAssembly (libav.js, LGPL 2.1): FLAC, Opus and MP3 out, filters.
 *
 * The variant is the default one and LAME; MP3 is what its name means.
 *
 * Each codec gets an instance of its own, some milliseconds and megabytes: what goes wrong in one stays there, and
 * its memory goes with it. Resamplers share one.
 */
import type LibAV from '@libav.js/types';
import { concatenate } from '../concatenate.ts';
import { loadLibrary } from './load-library.ts';
import type { Transform } from './transform.ts';

export type Libav = LibAV.LibAV & LibAV.LibAVSync;
export type LibavFrame = LibAV.Frame;
export type LibavPacket = LibAV.Packet;

/** `AV_CH_LAYOUT_MONO`, `AV_LOG_QUIET` and `O_WRONLY`. */
export const monoLayout = 4;
const logQuiet = -8;
const writeOnly = 1;
const standardError = 2;

/** @throws SvcError BACKEND_UNAVAILABLE when the package is not there. */
export async function openLibav(purpose: string): Promise<Libav> {
  const wrapper = await loadLibrary('@libav.js/variant-obsolete', purpose, () => import('@libav.js/variant-obsolete'));
  const libav = await (wrapper.default as unknown as LibAV.LibAVWrapper).LibAV({ noworker: true });
  // Errors come as exceptions; what it prints besides would break the one line that a failure gets.
  libav.av_log_set_level_sync(logQuiet);
  libav.dup2_sync(libav.open_sync('/dev/null', writeOnly, 0), standardError);
  return libav;
}

/**
 * `aresample` with a Kaiser window, where FFmpeg's default rolls off early: the width and cutoff that come closest to soxr,
 * by which model 2 was given its prompts (largest difference 5e-5 in `tests/audio/resample.test.ts`).
 */
export const resamplingTo = (rate: number): string =>
  `aresample=${rate}:filter_type=kaiser:kaiser_beta=14.77:filter_size=192:cutoff=0.955`;

export interface LibavFilterOptions {
  /** As FFmpeg writes a filter graph, e.g. `atempo=2,atempo=1.5`. */
  readonly graph: string;
  readonly inputRate: number;
  readonly outputRate: number;
  /** Samples of each frame but the last; as FFmpeg likes when left out. */
  readonly frameSize?: number;
}

/** From mono float samples to frames of them. */
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
      // FFmpeg knows no empty frames.
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

/** Of frames of mono float samples. */
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
