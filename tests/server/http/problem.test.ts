import { expect, it } from '@jest/globals';
import { SvcError } from '../../../src/errors.ts';
import { problemOf } from '../../../src/server/http/problem.ts';

it('cuts what a library quotes without a bound', () => {
  const { message } = problemOf(new SvcError('INVALID_REQUEST', `cannot read ${'a'.repeat(40_000)}`));
  expect(message.length).toBeLessThanOrEqual(4000);
});
