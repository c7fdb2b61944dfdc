import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { openLineIndex } from '../../../src/cli/batch/line-index.ts';

const keyOf = (number: number): Buffer => createHash('sha256').update(String(number)).digest().subarray(0, 16);

it('keeps the last value of each key', async () => {
  await using index = await openLineIndex();
  for (let number = 0; number < 2_000; number += 1) index.set(keyOf(number), Buffer.from(String(number)));
  index.set(keyOf(7), Buffer.from('again'));
  index.delete(keyOf(8));
  expect([7, 8, 9, 2_000].map((number) => index.get(keyOf(number))?.toString())).toEqual([
    'again',
    undefined,
    '9',
    undefined,
  ]);
});

it('is one of several at the same time', async () => {
  await using one = await openLineIndex();
  await using other = await openLineIndex();
  one.set(keyOf(1), Buffer.from('one'));
  expect(other.get(keyOf(1))).toBeUndefined();
});
