/** Sample rates and bit rates of MP3 and AAC. */
import { SvcError } from '../../errors.ts';

/** Sample rates of the MPEG standards, in Hz. */
const sampleRates: Readonly<Record<string, readonly number[]>> = {
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  aac: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
};

/** Checks the sample rate of a format; formats not listed support any rate. @throws SvcError UNSUPPORTED_AUDIO */
export function assertCodingRate(format: string, sampleRate: number): void {
  const rates = sampleRates[format];
  if (rates === undefined || rates.includes(sampleRate)) return;
  throw new SvcError(
    'UNSUPPORTED_AUDIO',
    `${format} does not support ${sampleRate} Hz (supported: ${rates.join(', ')})`,
  );
}

/** Bit rate for mono speech: transparent enough, and allowed at every sample rate of the standards. */
export const bitsPerSecond = (sampleRate: number): number => (sampleRate < 32_000 ? 64_000 : 96_000);
