/** Bodies, forms and queries to checked values; messages in the one grammar. */
import type { z } from 'zod';
import { SvcError } from '../../errors.ts';

/**
 * Messages of the schema are the X of `expected X for Y, received Z`.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  if (issue.path.length === 0) throw invalid('an object', 'the request', show(input));
  const received = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], input);
  throw invalid(issue.message, issue.path.join('.'), show(received));
}

export const invalid = (expected: string, subject: string, received: string): SvcError =>
  new SvcError('INVALID_REQUEST', `expected ${expected} for ${subject}, received ${received}`);

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}…` : JSON.stringify(value);
}
