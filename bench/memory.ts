/** Memory of this process, in megabytes of 10^6 bytes. */

const megabytes = (bytes: number): number => bytes / 1e6;

/** A process's high-water mark; `maxRSS` is in KiB on every platform. */
export const peakMemory = (): number => megabytes(process.resourceUsage().maxRSS * 1024);

export const residentMemory = (): number => megabytes(process.memoryUsage.rss());
