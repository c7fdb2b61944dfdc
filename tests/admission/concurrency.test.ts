import { expect, it } from '@jest/globals';
import { createConcurrency } from '../../src/admission/concurrency.ts';

it('counts the requests of each client', () => {
  const { enter } = createConcurrency();
  const leave = enter('anna', 2);
  enter('anna', 2);
  expect(() => enter('anna', 2)).toThrow('this API key is limited to 2 requests at once; retry when one has finished');
  expect(() => enter('ben', 1)).not.toThrow();
  leave();
  // Twice is once.
  leave();
  expect(() => enter('anna', 2)).not.toThrow();
  expect(() => enter('anna', 2)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', status: 429 }));
  expect(() => enter('anna', 3)).not.toThrow();
});
