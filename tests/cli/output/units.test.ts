import { expect, it } from '@jest/globals';
import {
  formatBytes,
  formatDuration,
  formatRate,
  formatRtf,
  formatSeconds,
  formatShare,
} from '../../../src/cli/output/units.ts';

it.each([
  [0, '0 s'],
  [0.4213, '0.42 s'],
  [1.6949, '1.69 s'],
  [12.345, '12.3 s'],
  [125.4, '125 s'],
  [4321.9, '4322 s'],
])('rounds %d seconds to %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

it('rounds factors and sizes', () => {
  expect([0.4142, 1.26, 15.4].map(formatRtf)).toEqual(['RTF 0.41', 'RTF 1.26', 'RTF 15.4']);
  expect([1, 36_500_000, 1_234_000_000].map(formatBytes)).toEqual(['1 MB', '37 MB', '1.2 GB']);
  expect(formatShare(12_000_000, 1_234_000_000)).toBe('12 MB of 1.2 GB');
});

it('durations and rates are rounded to what is left to wait', () => {
  expect([0.2, 89, 90, 600, 3_600, 11_100, 187_300].map(formatDuration)).toEqual([
    '1 s',
    '89 s',
    '2 min',
    '10 min',
    '1 h 0 min',
    '3 h 5 min',
    '2 d 4 h',
  ]);
  expect(formatRate(3.217, 'lines')).toBe('3.22 lines/s');
});
