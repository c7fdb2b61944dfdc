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

it('cuts off a client with too much unread, which sent messages are not', async () => {
  const peer = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    sent: [] as (() => void)[],
    isCut: false,
    send: (_text: string, _options: object, done: () => void) => void peer.sent.push(done),
    terminate: () => {
      peer.isCut = true;
    },
  });
  const socket = createLiveSocket(peer as unknown as WebSocket, 60_000);
  const message = 'x'.repeat(600 * 1024);
  const sending = async () => {
    const end = socket.send(message);
    await Promise.resolve();
    peer.sent.pop()?.();
    await end;
  };
  await sending();
  await sending();
  expect(peer.isCut).toBe(false);
  void socket.send(message);
  void socket.send(message);
  expect(peer.isCut).toBe(true);
  peer.emit('close');
});
