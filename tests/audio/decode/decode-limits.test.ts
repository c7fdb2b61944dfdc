import { expect, it } from '@jest/globals';
import { assertWithin } from '../../../src/audio/decode/decode-limits.ts';

const limits = { seconds: 2, samples: 150, values: 200, milliseconds: 1_000 };

it.each([
  ['seconds', { samples: 100, channels: 1, sampleRate: 50 }],
  ['samples', { samples: 150, channels: 1, sampleRate: 100 }],
  ['values in all channels', { samples: 100, channels: 2, sampleRate: 100 }],
])('takes as many %s as the limit, and no more', (_what, extent) => {
  assertWithin(limits, extent);
  const more = { ...extent, samples: extent.samples + 1 };
  expect(() => assertWithin(limits, more)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }));
});
