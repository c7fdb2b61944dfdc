/** Values from outside: schemas of single fields, and the one line that says what is wrong with a value. */
import { z } from 'zod';
import { SvcError } from './errors.ts';

export interface Range {
  readonly kind: 'integer' | 'number';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

/** The X of `expected X for Y`. */
export const describeRange = ({ kind, minimum, maximum }: Range): string =>
  `${kind === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;

export function numberIn(range: Range): z.ZodNumber {
  const error = describeRange(range);
  const base = range.kind === 'integer' ? z.int({ error }) : z.number({ error });
  return base.min(range.minimum, { error }).max(range.maximum, { error });
}

export const truth = z.boolean({ error: 'true or false' });

export const text = z.string({ error: 'a text' });

export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `one of ${names.join(', ')}` });

/**
 * Messages of the schema are the X of `expected X for Y, received Z`.
 *
 * @param subject what the value is, such as `the request`
 * @throws SvcError INVALID_REQUEST with the field as `param`
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  subject = 'the request',
): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  if (issue.code === 'unrecognized_keys') throw invalid('known fields only', subject, issue.keys.join(', '));
  if (issue.path.length === 0) throw invalid('an object', subject, show(input));
  const received = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], input);
  const field = issue.path.join('.');
  throw invalid(issue.message, field, show(received), { param: field, cause: result.error });
}

/** `expected X for Y, received Z`. */
export const invalid = (
  expected: string,
  subject: string,
  received: string,
  options?: { readonly param?: string; readonly cause?: unknown },
): SvcError => new SvcError('INVALID_REQUEST', `expected ${expected} for ${subject}, received ${received}`, options);

/** The same of a field that clients know by this name. */
export const invalidField = (expected: string, field: string, received: string): SvcError =>
  invalid(expected, field, received, { param: field });

const shownLength = 40;

/** A value as a message quotes it. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
  return value.length > shownLength ? `${JSON.stringify(value.slice(0, shownLength))}…` : JSON.stringify(value);
}
