import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { atOnce, inTurns, itemsInTurns, noteArrival, type Steps, withoutSteps } from '../src/event-loop.ts';

function* countTo(most: number): Steps<number> {
  for (let count = 0; count < most; count += 1) yield;
  return most;
}

it('gives the same result at once and in turns', async () => {
  expect(atOnce(countTo(5))).toBe(5);
  expect(await inTurns(countTo(5))).toBe(5);
  expect([...withoutSteps([1, undefined, 2])]).toEqual([1, 2]);
  const items: number[] = [];
  for await (const item of itemsInTurns([1, undefined, 2])) items.push(item);
  expect(items).toEqual([1, 2]);
});

it('lets other work go first', async () => {
  function* endless(): Steps<string> {
    while (!isDone) yield;
    return 'done';
  }
  let isDone = false;
  setImmediate(() => {
    isDone = true;
  });
  // It would never end if nothing else could run.
  expect(await inTurns(endless())).toBe('done');
});

/** Takes longer than a turn may. */
function spin(): void {
  for (const end = performance.now() + 11; performance.now() < end; );
}

it('lets one of many computations go on in each turn', async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const turns: number[] = [];
  function* slow(): Steps<void> {
    for (let step = 0; step < 2; step += 1) {
      turns.push(turn);
      spin();
      yield;
    }
  }
  await Promise.all([1, 2, 3, 4, 5].map(() => inTurns(slow())));
  clearImmediate(next);
  // All of them have begun at once.
  const later = turns.slice(5);
  expect(later).toHaveLength(5);
  expect(new Set(later).size).toBe(later.length);
});

it('lets all clients come in that are waiting for a connection', async () => {
  const clients = 40;
  let arrived = 0;
  let steps = 0;
  let stepsBefore = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined).destroy();
    noteArrival();
    arrived += 1;
    if (arrived === clients) stepsBefore = steps;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const program = `let left = ${clients};
    const connected = () => { left -= 1; if (left === 0) process.exit(); };
    for (let count = left; count > 0; count -= 1) require('net').connect(${port}, '127.0.0.1', connected);`;
  // The system completes the connections, which this process has yet to accept.
  execFileSync(process.execPath, ['--eval', program]);
  function* slow(): Steps<void> {
    while (arrived < clients) {
      steps += 1;
      spin();
      yield;
    }
  }
  await Promise.all([1, 2, 3].map(() => inTurns(slow())));
  server.close();
  expect(stepsBefore).toBeLessThan(10);
});

it('stops when its signal is aborted', async () => {
  const gone = new AbortController();
  function* endless(): Steps<never> {
    for (;;) yield;
  }
  setImmediate(() => gone.abort(new Error('gone')));
  await expect(inTurns(endless(), gone.signal)).rejects.toThrow('gone');
});
