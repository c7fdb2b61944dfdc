/** The report of `svc bench --server` as a table. */
import type { LoadReport } from '../../bench/load.ts';

const cell = (value: number | null): string => (value === null ? '-' : value.toFixed(0)).padStart(8);

export function loadTable(report: LoadReport): string {
  const { firstAudioMs, longestGapMs, failures, requests, completed } = report;
  const row = (name: string, { p50, p95, p99, most }: LoadReport['firstAudioMs']): string =>
    `${name.padEnd(16)}${[p50, p95, p99, most].map(cell).join('')}`;
  const lines = [
    `${report.server}: ${report.streams} ${report.streams === 1 ? 'stream' : 'streams'}, ${completed} of ${requests} requests completed in ${report.seconds.toFixed(1)} s`,
    `${report.audioSeconds.toFixed(1)} s of audio, ${report.audioSecondsPerSecond.toFixed(2)} per second`,
    '',
    `${''.padEnd(16)}${['50 %', '95 %', '99 %', 'most'].map((name) => name.padStart(8)).join('')}`,
    row('first audio, ms', firstAudioMs),
    row('longest gap, ms', longestGapMs),
    '',
    `underruns: ${report.underruns} in ${report.withUnderruns} requests, ${report.underrunSeconds.toFixed(2)} s of silence`,
    ...Object.entries(failures).map(([reason, count]) => `failed: ${count} × ${reason}`),
  ];
  return `${lines.join('\n')}\n`;
}
