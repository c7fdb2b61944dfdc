/** Bodies, forms and queries to checked values; messages in the one grammar. */
import type { z } from 'zod';
import { SvcError } from '../../errors.ts';

/**
 * Messages of the schema are the X of `expected X for Y, received Z`.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  if (issue.path.length === 0) throw new SvcError('INVALID_REQUEST', describe('an object', 'the request', show(input)));
  const received = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], input);
  const param = issue.path.join('.');
  throw new SvcError('INVALID_REQUEST', describe(issue.message, param, show(received)), {
    param,
    cause: result.error,
  });
}

export const invalid = (expected: string, subject: string, received: string): SvcError =>
  new SvcError('INVALID_REQUEST', describe(expected, subject, received), { param: subject });

const describe = (expected: string, subject: string, received: string): string =>
  `expected ${expected} for ${subject}, received ${received}`;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}…` : JSON.stringify(value);
}
