/** Values from outside: schemas for single fields, and the one-line error for a value that does not fit. */
import { z } from 'zod';
import { SvcError } from './errors.ts';
import { didYouMean, isPlain, listed, mostListed, shorten, show, shownLength } from './messages.ts';

export interface Range {
  readonly kind: 'integer' | 'number';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

/** Completes `FIELD must be …`. */
export const describeRange = ({ kind, minimum, maximum }: Range): string =>
  `${kind === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`;

export function numberIn(range: Range): z.ZodNumber {
  const error = describeRange(range);
  const base = range.kind === 'integer' ? z.int({ error }) : z.number({ error });
  return base.min(range.minimum, { error }).max(range.maximum, { error });
}

export const truth = z.boolean({ error: 'true or false' });
/** Leaves the decision to the program. */
export const truthOrAuto = z.union([z.boolean(), z.literal('auto')], { error: 'true, false or auto' });

const truths = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

/** Meaning of `true`, `1`, `false` and `0` in forms, tables and environment variables, in any case. */
export const readTruth = (given: string): boolean | undefined => truths.get(given.toLowerCase());

export const text = z.string({ error: 'a string' });

/** A path on this machine; no system has longer ones. */
export const path = text.max(4096, { error: 'a path of at most 4096 characters' });

export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `one of ${names.join(', ')}` });

export interface RecordLimits {
  readonly most: number;
  /** Length of a name, in UTF-16 code units. */
  readonly longest: number;
  /** Completes `FIELD must be …`. */
  readonly error: string;
  /** Whether a value fits, if that is known without its schema, which takes microseconds for each of thousands. */
  readonly fits?: (value: unknown) => boolean;
}

/**
 * A record of which nothing is read beyond its first fault, and no value if there are too many: `z.record` lists every fault of
 * any number of values.
 *
 * @param value is checked only: what it transforms stays as it was
 */
export function recordOf<Value extends z.ZodType>(value: Value, { most, longest, error, fits }: RecordLimits) {
  const isName = (name: string): boolean => name.length > 0 && name.length <= longest;
  const schema = z.unknown().check(({ value: input, issues }) => {
    const names = typeof input === 'object' && !Array.isArray(input) ? Object.keys(input ?? {}) : undefined;
    if (!input || !names || names.length > most || !names.every(isName)) {
      issues.push({ code: 'custom', message: error, input });
      return;
    }
    for (const [name, given] of Object.entries(input)) {
      if (fits?.(given)) continue;
      const [issue] = value.safeParse(given, { reportInput: true }).error?.issues ?? [];
      if (issue === undefined) continue;
      issues.push({ ...issue, path: [name, ...issue.path], input: given });
      return;
    }
  });
  const described = schema.meta({ type: 'object', maxProperties: most });
  return described as unknown as z.ZodType<Record<string, z.output<Value>>, Record<string, z.input<Value>>>;
}

/**
 * Parses a value from outside; the schema's messages complete `FIELD must be …`.
 *
 * @param subject names the whole value, such as `the request`
 * @param names of fields, to suggest one for a misspelled field
 * @throws SvcError INVALID_REQUEST with the field as `param`
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  subject = 'the request',
  names: readonly string[] = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const issue = innermost(mostTelling(result.error.issues) as z.core.$ZodIssue);
  if (issue.code === 'unrecognized_keys') {
    const { keys } = issue;
    const place = issue.path.length === 0 ? subject : placeOf(issue.path);
    const hint = keys.length === 1 && issue.path.length === 0 ? didYouMean(keys[0] as string, names) : '';
    throw requestError(
      `unknown ${keys.length === 1 ? 'field' : 'fields'} ${listed(keys.slice(0, mostListed).map(show), keys.length)} in ${place}${hint}`,
    );
  }
  if (issue.path.length === 0) throw invalid('an object', subject, show(input));
  if (issue.code === 'invalid_key') {
    const field = fieldOf(issue.path.slice(0, -1));
    const expected = issue.issues[0]?.message ?? issue.message;
    throw invalid(expected, `each key of ${placeOf(issue.path.slice(0, -1))}`, show(issue.path.at(-1)), {
      param: field,
    });
  }
  const received = valueAt(input, issue.path);
  const param = fieldOf(issue.path);
  const place = placeOf(issue.path);
  if (received === undefined) {
    const parent = issue.path.slice(0, -1);
    const name = String(issue.path.at(-1));
    const misspelled = similarKey(valueAt(input, parent), name, parent.length === 0 ? names : []);
    const message =
      misspelled === undefined
        ? `${place} is required`
        : `unknown field ${show(misspelled)} in ${parent.length === 0 ? subject : placeOf(parent)}${didYouMean(misspelled, [name])}`;
    throw new SvcError('INVALID_REQUEST', message, { param, cause: result.error });
  }
  const choices = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const hint = typeof received === 'string' ? didYouMean(received, choices) : '';
  throw invalid(expectedBy(issue), place, `${show(received)}${hint}`, { param, cause: result.error });
}

/** Types by the names that zod has for them. */
const types: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  ...{ object: 'an object', record: 'an object', array: 'a list', string: 'a string' },
  ...{ number: 'a number', int: 'an integer', boolean: 'true or false' },
};

/** Completes `FIELD must be …`, also for a schema that states no message of its own. */
export function expectedBy(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (!/^Invalid input(?:: expected \w+, received \w+)?$/.test(message)) return message;
  return (issue.code === 'invalid_type' ? types[issue.expected] : undefined) ?? 'of another kind';
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], input);

/** The first issue; but a misspelled field rather than that the field of the right name is missing. */
function mostTelling(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [first] = issues;
  if (first === undefined || first.input !== undefined) return first;
  const parent = first.path.slice(0, -1).join();
  const unknown = issues.find(({ code, path }) => code === 'unrecognized_keys' && path.join() === parent);
  return unknown ?? first;
}

/** Most keys that are looked at, the first. */
const mostKeys = 100;

/** A key that is no known field and similar to a missing one. */
function similarKey(value: unknown, field: string, known: readonly string[]): string | undefined {
  if (!isPlain(value)) return undefined;
  const keys = Object.keys(value).slice(0, mostKeys);
  return keys.find((key) => !known.includes(key) && key.length <= shownLength && didYouMean(key, [field]) !== '');
}

/** Names a value by the way to it, such as `input.0.text`. */
const fieldOf = (path: readonly PropertyKey[]): string => path.map((key) => shorten(String(key))).join('.');

const turnLists: readonly string[] = ['input', 'turns'];

/** Names a value in a sentence, and counts from 1: `text of turn 1`, `id of item 3 of names`. */
function placeOf(path: readonly PropertyKey[]): string {
  const at = path.findLastIndex((key) => typeof key === 'number');
  if (at === -1) return fieldOf(path);
  const list = placeOf(path.slice(0, at));
  const number = (path[at] as number) + 1;
  const item = turnLists.includes(list) ? `turn ${number}` : `item ${number} of ${list}`;
  const inside = fieldOf(path.slice(at + 1));
  return inside === '' ? item : `${inside} of ${item}`;
}

/** The problem inside the kind that a value of several possible kinds almost is. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inside = issue.errors
    .map(mostTelling)
    .find(
      (first) =>
        first !== undefined && (first.path.length > 0 || first.code === 'too_small' || first.code === 'too_big'),
    );
  return inside === undefined ? issue : innermost({ ...inside, path: [...issue.path, ...inside.path] });
}

/** An error of the request that the grammar of `invalid` does not fit. */
export const requestError = (message: string, param?: string): SvcError =>
  new SvcError('INVALID_REQUEST', message, { param });

/** `SUBJECT must be EXPECTED, got RECEIVED`. */
export const invalid = (
  expected: string,
  subject: string,
  received: string,
  options?: { readonly param?: string; readonly cause?: unknown },
): SvcError => new SvcError('INVALID_REQUEST', `${subject} must be ${expected}, got ${received}`, options);

/** Environment variables, such as those of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable without white space around it; undefined if nothing is left, as if it were not set. */
export const variableOf = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;
