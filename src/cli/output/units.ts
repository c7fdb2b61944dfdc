/** Numbers rounded to what a person reads; JSON has them in full. */

/** `0.42 s`, `12.3 s`, `125 s`. */
export const formatSeconds = (seconds: number): string => `${rounded(seconds)} s`;

/** Real-time factor: seconds of computing per second of audio. */
export const formatRtf = (factor: number): string => `RTF ${rounded(factor)}`;

/** `37 MB`, `1.2 GB`; decimal units, rounded up to whole megabytes. */
export function formatBytes(bytes: number): string {
  const megabytes = Math.ceil(bytes / 1e6);
  return megabytes < 1000 ? `${megabytes} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `12 MB of 1.2 GB`. */
export const formatShare = (done: number, total: number): string => `${formatBytes(done)} of ${formatBytes(total)}`;

/** Three digits, counting a zero before the point, but all of an integer. */
function rounded(value: number): string {
  const integerDigits = Math.trunc(value).toString().length;
  return String(Number(value.toFixed(Math.max(0, 3 - integerDigits))));
}
