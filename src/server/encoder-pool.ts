/**
 * Encoders that are ready before somebody asks. Most formats load a codec for each use, which takes longer than a step
 * of a small model; of each format that was asked for, one more is kept open.
 */
import type { AudioEncoder, WriteBytes } from '../audio/audio-encoder.ts';
import { type AudioFormatName, createEncoder, type EncoderOptions } from '../audio/format.ts';

export interface EncoderPool {
  /** As `createEncoder`. */
  open(options: EncoderOptions, write: WriteBytes): Promise<AudioEncoder>;
  /** Opens one of a format that nobody has asked for yet. */
  prepare(format: AudioFormatName): void;
  /** Frees the spare ones; no more are made. */
  close(): Promise<void>;
}

/** An encoder whose bytes go where they are wanted later. */
interface Spare {
  readonly encoder: AudioEncoder;
  target: WriteBytes;
}

/** Opened in no time. */
const immediate: readonly AudioFormatName[] = ['wav', 'pcm'];

/** @param rateOf a format, Hz: of the encoders that are kept, which most requests want. */
export function createEncoderPool(rateOf: (format: AudioFormatName) => number): EncoderPool {
  const spares = new Map<AudioFormatName, Promise<Spare | undefined>>();
  let closed = false;

  /** After an utterance, so that it takes no time from one. */
  function replenish(format: AudioFormatName): void {
    if (closed || spares.has(format)) return;
    // What can't be opened is told to the next one who asks.
    spares.set(
      format,
      openSpare({ format, sampleRate: rateOf(format) }).catch(() => undefined),
    );
  }

  return {
    prepare: replenish,
    async open(options, write) {
      const { format } = options;
      if (immediate.includes(format) || options.sampleRate !== rateOf(format)) return createEncoder(options, write);
      const waiting = spares.get(format);
      spares.delete(format);
      const spare = await waiting;
      if (spare !== undefined) spare.target = write;
      const encoder = spare?.encoder ?? (await createEncoder(options, write));
      return {
        write: encoder.write,
        async finish() {
          const patches = await encoder.finish();
          replenish(format);
          return patches;
        },
        async close() {
          await encoder.close();
          replenish(format);
        },
      };
    },
    async close() {
      closed = true;
      const left = await Promise.all(spares.values());
      spares.clear();
      await Promise.all(left.map((spare) => spare?.encoder.close()));
    },
  };
}

async function openSpare(options: EncoderOptions): Promise<Spare> {
  let spare: Spare | undefined;
  const encoder = await createEncoder(options, async (bytes) => spare?.target(bytes));
  spare = { encoder, target: () => Promise.resolve() };
  return spare;
}
