import { expect, it } from '@jest/globals';
import { parseKeepAlive, readKeepAlive } from '../../src/model-pool/keep-alive.ts';

it.each([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['90', 90_000],
  [90, 90_000],
  ['0', 0],
  [0, 0],
  ['0s', 0],
  ['-1', Number.POSITIVE_INFINITY],
  [-1, Number.POSITIVE_INFINITY],
  ['-1m', Number.POSITIVE_INFINITY],
])('reads %j as Ollama does', (value, milliseconds) => {
  expect(readKeepAlive(value)).toBe(milliseconds);
});

it.each(['', 'm', '10 m', 'forever', '1d', '--1', '1m-'])('refuses %j', (text) => {
  expect(() => parseKeepAlive(text, '--keep-alive')).toThrow(
    `--keep-alive must be a duration such as 10m or 1h30m, seconds, 0 to unload at once, or -1 to stay loaded, got "${text}"`,
  );
});
