import { afterEach, expect, it, jest } from '@jest/globals';
import { digestOf } from '../../../src/server/http/api-keys.ts';
import { createRateLimits } from '../../../src/server/http/rate-limits.ts';

const key = (rateLimit?: number, name = 'anna') => ({ name, digest: digestOf(name), rateLimit });

afterEach(() => {
  jest.restoreAllMocks();
});

it('counts the requests of each key for a minute from the first one', () => {
  let seconds = 1_000;
  const rates = createRateLimits(() => seconds);
  expect(rates.count(key())).toBeUndefined();
  expect(rates.count(key(2))).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, isExceeded: false });
  seconds += 59.5;
  expect(rates.count(key(2))).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, isExceeded: false });
  expect(rates.count(key(2))).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, isExceeded: true });
  expect(rates.count(key(2, 'ben'))).toMatchObject({ remaining: 1 });
  rates.refund(key(2));
  expect(rates.count(key(2))).toMatchObject({ remaining: 0, isExceeded: false });
  seconds += 0.5;
  expect(rates.count(key(2))).toMatchObject({ remaining: 1, resetSeconds: 60 });
});

it('keeps nobody out when the clock of the machine is set back', () => {
  const rates = createRateLimits();
  rates.count(key(1));
  const today = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(today - 86_400_000);
  expect(rates.count(key(1))).toMatchObject({ isExceeded: true });
  expect(rates.count(key(1))?.resetSeconds).toBeLessThanOrEqual(60);
});
