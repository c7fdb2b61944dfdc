import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { SvcError } from '../../../src/errors.ts';
import { problemOf } from '../../../src/server/http/problem.ts';

it('cuts what a library quotes without a bound', () => {
  const { message } = problemOf(new SvcError('INVALID_REQUEST', `cannot read ${'a'.repeat(40_000)}`));
  expect(message.length).toBeLessThanOrEqual(4000);
});

it('locates the validation errors of FastAPI by names and numbers', () => {
  const { error } = z.object({ list: z.array(z.string()) }).safeParse({ list: ['a', 5] }, { reportInput: true });
  const refused = new SvcError('INVALID_REQUEST', 'list is wrong', { cause: error });
  const { status, detail } = problemOf(refused, { dialect: 'voxcpm-onnx', place: 'query' });
  expect([status, detail]).toMatchObject([422, [{ type: 'value_error', loc: ['query', 'list', 1] }]]);
  expect(problemOf(refused)).toMatchObject({ status: 400, detail: undefined });
});
