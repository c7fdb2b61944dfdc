import { expect, it } from '@jest/globals';
import { estimateMost } from '../../src/broker/front-load.ts';

it.each([
  ['nothing is known', [], Number.POSITIVE_INFINITY],
  ['there is time left', [{ busyShare: 0.4, requests: 900 }], Number.POSITIVE_INFINITY],
  ['most time is used', [{ busyShare: 0.6, requests: 600 }], 850],
  ['there is too much to do', [{ busyShare: 1, requests: 1000 }], 850],
  [
    'it changes',
    [
      { busyShare: 0.5, requests: 500 },
      { busyShare: 1, requests: 1000 },
    ],
    850,
  ],
  ['something else takes the time', [{ busyShare: 1, requests: 3 }], 64],
])('estimates what a front end carries when %s', (_, samples, most) => {
  expect(estimateMost(samples)).toBe(most);
});
