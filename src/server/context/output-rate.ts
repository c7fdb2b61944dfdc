/** Default sample rate of each output format. */
import { type AudioFormat, type AudioFormatName, audioFormats } from '../../audio/encode/format.ts';

/** Clients of the public speech API assume its own rate for raw samples. */
export type RateDialect = 'public' | 'model';

/** Hz of `pcm` in the public speech API, which has no field for it; LiveKit and the SDK examples assume it. */
const publicPcmRate = 24_000;
/** Rates at which the first patch of any model is longer than the delay of MPEG codecs. */
const mpegRates: readonly number[] = [44_100, 48_000];

/**
 * Sample rate in Hz. Raw samples have no header, so their rate must be the one that clients assume. MP3 and AAC frames
 * have a fixed number of samples: at 16 kHz, the first would be complete only after two or three patches.
 */
export function outputRate(format: AudioFormatName, modelRate: number, dialect: RateDialect): number {
  if (format === 'pcm' && dialect === 'public') return publicPcmRate;
  if (format === 'mp3' || format === 'aac') return mpegRates.includes(modelRate) ? modelRate : 48_000;
  const { sampleRate }: AudioFormat = audioFormats[format];
  return sampleRate ?? modelRate;
}
