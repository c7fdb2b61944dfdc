import { expect, it } from '@jest/globals';
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
  const turns: number[] = [];
  function* slow(): Steps<void> {
    for (let step = 0; step < 2; step += 1) {
      turns.push(turn);
      // Longer than a turn may take.
      for (const end = performance.now() + 11; performance.now() < end; );
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
