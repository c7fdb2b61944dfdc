/**
 * Keeps one spare encoder open for each requested format: most formats load a codec for each use, which takes longer
 * than a step of a small model.
 */
import { type AudioFormatName, type EncoderOptions, openEncoder } from '../audio/format.ts';
import type { Encoder } from '../audio/transform.ts';

export interface EncoderPool {
  /** As `openEncoder`. */
  open(options: EncoderOptions): Promise<Encoder>;
  /** Opens a spare encoder in advance. */
  prepare(format: AudioFormatName): void;
  /** Frees the spare encoders; no more are opened. */
  close(): Promise<void>;
}

/** Formats that load no codec. */
const immediate: readonly AudioFormatName[] = ['wav', 'pcm'];

/** @param rateOf sample rate of a format's spare encoder in Hz: the one that most requests need */
export function createEncoderPool(rateOf: (format: AudioFormatName) => number): EncoderPool {
  const spares = new Map<AudioFormatName, Promise<Encoder | undefined>>();
  let closed = false;

  /** Called after an utterance, so that it delays none. */
  function replenish(format: AudioFormatName): void {
    if (closed || spares.has(format)) return;
    // The next request reports the error.
    spares.set(
      format,
      openEncoder({ format, sampleRate: rateOf(format) }).catch(() => undefined),
    );
  }

  return {
    prepare: replenish,
    async open(options) {
      const { format } = options;
      if (immediate.includes(format) || options.sampleRate !== rateOf(format)) return openEncoder(options);
      const waiting = spares.get(format);
      spares.delete(format);
      const encoder = (await waiting) ?? (await openEncoder(options));
      return {
        ...encoder,
        close() {
          encoder.close();
          replenish(format);
        },
      };
    },
    async close() {
      closed = true;
      const left = await Promise.all(spares.values());
      spares.clear();
      for (const encoder of left) encoder?.close();
    },
  };
}
