/**
 * Encoders that are ready before somebody asks. Most formats load a codec for each use, which takes longer than a step
 * of a small model; of each format that was asked for, one more is kept open.
 */
import { type AudioFormatName, type EncoderOptions, openEncoder } from '../audio/format.ts';
import type { Encoder } from '../audio/transform.ts';

export interface EncoderPool {
  /** As `openEncoder`. */
  open(options: EncoderOptions): Promise<Encoder>;
  /** Opens one of a format that nobody has asked for yet. */
  prepare(format: AudioFormatName): void;
  /** Frees the spare ones; no more are made. */
  close(): Promise<void>;
}

/** Opened in no time. */
const immediate: readonly AudioFormatName[] = ['wav', 'pcm'];

/** @param rateOf a format, Hz: of the encoders that are kept, which most requests want. */
export function createEncoderPool(rateOf: (format: AudioFormatName) => number): EncoderPool {
  const spares = new Map<AudioFormatName, Promise<Encoder | undefined>>();
  let closed = false;

  /** After an utterance, so that it takes no time from one. */
  function replenish(format: AudioFormatName): void {
    if (closed || spares.has(format)) return;
    // What can't be opened is told to the next one who asks.
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
