import { expect, it } from '@jest/globals';
import { countedCopy, growthOf, workOf } from './work.ts';
import { linear, quadratic } from './work-samples.ts';

const counted = await countedCopy<typeof import('./work-samples.ts')>('tests/support/work-samples.ts');

it.each(Object.keys(linear))('linear work: %s', async (name) => {
  const growth = await growthOf((size) => counted.linear[name]?.(size), 500, 2_000);
  expect(growth).toBeGreaterThan(3.5);
  expect(growth).toBeLessThan(4.5);
});

it.each(Object.keys(quadratic))('quadratic work: %s', async (name) => {
  expect(await growthOf((size) => counted.quadratic[name]?.(size), 500, 2_000)).toBeGreaterThan(10);
});

it('is counted alike each time', async () => {
  const work = () => workOf(() => counted.quadratic.loops?.(100));
  const first = await work();
  expect(first).toBeGreaterThan(100 ** 2 / 2);
  for (let round = 0; round < 5; round += 1) expect(await work()).toBe(first);
});

it('leaves the counted methods as they were', async () => {
  const methods = [String.prototype.indexOf, Array.prototype[Symbol.iterator], RegExp.prototype.exec];
  await expect(
    workOf(() => {
      throw new Error('own fault');
    }),
  ).rejects.toThrow('own fault');
  expect([String.prototype.indexOf, Array.prototype[Symbol.iterator], RegExp.prototype.exec]).toEqual(methods);
});
