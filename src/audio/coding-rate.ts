/** What the lossy formats of MPEG are coded at. */
import { SvcError } from '../errors.ts';

/** Rates of the MPEG standards, Hz. */
const sampleRates: Readonly<Record<string, readonly number[]>> = {
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  aac: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
};

/**
 * Formats that have no rates of their own can be at any.
 *
 * @throws SvcError UNSUPPORTED_AUDIO
 */
export function assertCodingRate(format: string, sampleRate: number): void {
  const rates = sampleRates[format];
  if (rates === undefined || rates.includes(sampleRate)) return;
  throw new SvcError(
    'UNSUPPORTED_AUDIO',
    `expected one of ${rates.join(', ')} Hz for ${format}, received ${sampleRate} Hz`,
  );
}

/** Mono speech; transparent enough, and allowed at every rate of the standards. */
export const bitsPerSecond = (sampleRate: number): number => (sampleRate < 32_000 ? 64_000 : 96_000);
