/**
 * Keeps one spare encoder open for each requested format and usual sample rate: opening one loads a library or starts a
 * thread, which takes longer than a step of a small model.
 */
import { type AudioFormatName, type EncoderOptions, openEncoder } from '../../audio/encode/format.ts';
import type { Encoder } from '../../audio/transform.ts';

export type EncoderPool = ReturnType<typeof createEncoderPool>;

/** Formats that load no codec. */
const immediate: readonly AudioFormatName[] = ['wav', 'pcm'];

/** @param usualRates the sample rates in Hz that most requests for a format need: one for each model */
export function createEncoderPool(usualRates: (format: AudioFormatName) => readonly number[]) {
  const spares = new Map<string, Promise<Encoder | undefined>>();
  let closed = false;

  /** Called after an utterance, so that it delays none. */
  function replenish(format: AudioFormatName, sampleRate: number): void {
    const name = `${format} ${sampleRate}`;
    if (closed || spares.has(name)) return;
    // The next request reports the error.
    const opening = openEncoder({ format, sampleRate }).catch(() => undefined);
    spares.set(name, opening);
  }

  return {
    prepare(format: AudioFormatName): void {
      for (const rate of usualRates(format)) replenish(format, rate);
    },
    async open(options: EncoderOptions): Promise<Encoder> {
      const { format, sampleRate, bitRate } = options;
      const isUsual = bitRate === undefined && usualRates(format).includes(sampleRate);
      if (immediate.includes(format) || !isUsual) return openEncoder(options);
      const name = `${format} ${sampleRate}`;
      const waiting = spares.get(name);
      spares.delete(name);
      const encoder = (await waiting) ?? (await openEncoder(options));
      return {
        ...encoder,
        close() {
          encoder.close();
          replenish(format, sampleRate);
        },
      };
    },
    async close(): Promise<void> {
      closed = true;
      const left = await Promise.all(spares.values());
      spares.clear();
      for (const encoder of left) encoder?.close();
    },
  };
}
