import { expect, it } from '@jest/globals';
import { roomFor } from '../../../src/broker/front/front-load.ts';

it.each([
  ['has nothing to do', 0, 0, 64],
  ['has time left', 0.5, 100, 16],
  ['has time left beside many requests', 0.8, 1000, 100],
  ['is full', 0.9, 1000, 0],
  ['is kept from work by something else', 1, 3, 61],
])('a front end that %s', (_, busyShare, requests, room) => {
  expect(roomFor(busyShare, requests)).toBe(room);
});
