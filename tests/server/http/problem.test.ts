import { expect, it } from '@jest/globals';
import { SvcError } from '../../../src/errors.ts';
import { problemOf } from '../../../src/server/http/problem.ts';

it('cuts what a library quotes without a bound', () => {
  const { message } = problemOf(new SvcError('INVALID_REQUEST', `cannot read ${'/a'.repeat(20_000)}`));
  expect(message.length).toBeLessThanOrEqual(4000);
});

it('cuts a message before any pattern sees it', () => {
  const seen: number[] = [];
  const message = new Proxy(new String('/a'.repeat(20_000)), {
    get(text, name) {
      if (name === 'slice') return (from: number, to: number) => text.slice(from, to);
      seen.push(text.length);
      return Reflect.get(text, name);
    },
  });
  problemOf(Object.assign(new SvcError('INVALID_REQUEST', ''), { message }));
  expect(seen).toEqual([]);
});
