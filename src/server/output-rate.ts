/** What rate audio is made at when a request names none. */
import { type AudioFormat, type AudioFormatName, audioFormats } from '../audio/format.ts';

/** Whose clients ask: those of the public speech API know no other rate of raw samples than its own. */
export type RateDialect = 'public' | 'model';

/** Of `pcm` in the public speech API, which has no field for it (LiveKit and the examples of the SDKs play it as that). */
const publicPcmRate = 24_000;
/** Rates at which the first patch of any model is more than MPEG's codecs hold back. */
const mpegRates: readonly number[] = [44_100, 48_000];

/**
 * Hz. Raw samples have no header that says the rate, so it has to be what the client takes for granted. MP3 and AAC work in
 * frames of so many samples: at 16 kHz two or three patches would be made before anything of the first one is heard.
 */
export function outputRate(format: AudioFormatName, modelRate: number, dialect: RateDialect): number {
  if (format === 'pcm' && dialect === 'public') return publicPcmRate;
  if (format === 'mp3' || format === 'aac') return mpegRates.includes(modelRate) ? modelRate : 48_000;
  const { sampleRate }: AudioFormat = audioFormats[format];
  return sampleRate ?? modelRate;
}
