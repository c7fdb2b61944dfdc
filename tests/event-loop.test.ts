import { expect, it, jest } from '@jest/globals';
import { atOnce, inTurns, itemsInTurns, type Steps, withoutSteps } from '../src/event-loop.ts';

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

it('lets one of many computations go on in each turn', async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const clock = jest.spyOn(performance, 'now');
  let now = 0;
  // A step takes long.
  clock.mockImplementation(() => {
    now += 100;
    return now;
  });
  const turns: number[] = [];
  const steps = 3;
  function* noting(): Steps<void> {
    for (let step = 0; step < steps; step += 1) {
      turns.push(turn);
      yield;
    }
  }
  const many = 20;
  await Promise.all(Array.from({ length: many }, () => inTurns(noting())));
  clock.mockRestore();
  clearImmediate(next);
  expect(turns).toHaveLength(many * steps);
  expect(new Set(turns).size).toBe(turns.length);
});
