import { expect, it } from '@jest/globals';
import { wordErrorRate } from '../../../src/engine/text/word-errors.ts';
import { countedCopy, growthOf } from '../../support/work.ts';
import { cases } from '../cases.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/word-errors.ts')>(
  'src/engine/text/word-errors.ts',
);

it.each(cases('word errors'))('$given heard as $expected: $case', async ({ case: rate, given, expected }) => {
  expect(await wordErrorRate(given, expected)).toBeCloseTo(Number(rate), 10);
});

it('measures only the beginning of a transcript that goes on and on', async () => {
  const measure = (count: number): Promise<number> => counted.wordErrorRate('one two', 'one two '.repeat(count));
  expect(await measure(150_000)).toBeGreaterThan(100);
  expect(await growthOf(measure, 500, 150_000)).toBeCloseTo(1, 2);
});
