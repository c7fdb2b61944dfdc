import { EventEmitter, getMaxListeners } from 'node:events';
import { expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { createLiveSocket } from '../../../src/server/context/live-socket.ts';

it('takes any number of listeners for its end, such as those of waiting utterances, without a warning', () => {
  const peer = new EventEmitter();
  const { signal } = createLiveSocket(peer as unknown as WebSocket, 60_000);
  expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY);
  peer.emit('close');
  expect(signal.aborted).toBe(true);
});
