import { describe, expect, it } from '@jest/globals';
import { loadTable } from '../../../src/cli/output/load-table.ts';

const report = {
  ...{ server: 'http://localhost:8000', streams: 1, seconds: 4.04, requests: 3, completed: 2 },
  ...{ failures: { 'status 503': 1 }, audioSeconds: 10.06, audioSecondsPerSecond: 2.516 },
  firstAudioMs: { p50: 100.4, p95: 200.6, p99: 1_234, most: null },
  longestGapMs: { p50: 1, p95: 2, p99: 3, most: 4 },
  ...{ withUnderruns: 1, underruns: 2, underrunSeconds: 0.256 },
} as unknown as Parameters<typeof loadTable>[0];

describe('loadTable', () => {
  it('shows a report in columns', () => {
    expect(loadTable(report).split('\n')).toEqual([
      'http://localhost:8000: 1 stream, 2 of 3 requests completed in 4.0 s',
      '10.1 s of audio, 2.52 per second',
      '',
      '                    50 %    95 %    99 %    most',
      'first audio, ms      100     201    1234       -',
      'longest gap, ms        1       2       3       4',
      '',
      'underruns: 2 in 1 requests, 0.26 s of silence',
      'failed: 1 × status 503',
      '',
    ]);
    expect(loadTable({ ...report, streams: 2 })).toContain('2 streams');
  });
});
