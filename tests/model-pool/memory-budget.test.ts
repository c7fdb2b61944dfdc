import { expect, it } from '@jest/globals';
import { makeRoom, type Resident } from '../../src/model-pool/memory-budget.ts';

const budget = { limit: 100, own: 10, resident: 0 };
const resident = (bytes: number, users: number, usedAt: number, state: Resident['state'] = 'loaded') => ({
  ...{ bytes, users, usedAt, state },
});
const [old, recent] = [resident(30, 0, 1), resident(30, 0, 2)];
const used = resident(40, 1, 3);
const closing = resident(40, 0, 0, 'closing');

it.each([
  ['next to one in use', 50, [used], budget, true, []],
  ['by unloading the one that was used longest ago', 40, [recent, old], budget, false, [old]],
  ['by unloading as many as it needs', 70, [recent, old], budget, false, [old, recent]],
  ['not at all, so that none is unloaded in vain', 60, [used, old], budget, false, []],
  ['only once one that closes is closed', 60, [closing], budget, false, []],
  ['by what the process takes, where that is more', 30, [old], { ...budget, resident: 90 }, false, [old]],
  ['alone, whatever it takes', 200, [], budget, true, []],
] as const)('a model fits %s', (_, needed, instances, given, fits, unload) => {
  expect(makeRoom(needed, instances, given)).toEqual({ fits, unload });
});
