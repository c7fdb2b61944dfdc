/** Numbers rounded to what a person reads; JSON has them in full. */

/** `0.42 s`, `12.3 s`, `125 s`. */
export const formatSeconds = (seconds: number): string => `${rounded(seconds)} s`;

/** `42 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 2) return `${Math.ceil(seconds)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `3.2 lines/s`. */
export const formatRate = (perSecond: number, unit: string): string => `${rounded(perSecond)} ${unit}/s`;

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

/** Rounds a number of a report to so many decimal places. */
export const round = (value: number, digits: number): number => Number(value.toFixed(digits));
