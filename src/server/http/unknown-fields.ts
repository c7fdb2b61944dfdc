/**
 * Fields of requests that this server does not know. They are never ignored in silence: a client that asks for a voice by a name
 * of another API would get another voice.
 */
import type { Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { didYouMean, listed, mostListed, show } from '../../messages.ts';
import { parse, requestError } from '../../validation.ts';
import { warningFields } from './warning-fields.ts';

/** Fields without effect on sound, which clients of the public API send for their own books. */
const silentFields = 'metadata prompt_cache_key safety_identifier service_tier store user'.split(' ');

/** The part of the settings that is needed here; schemas import this file, and settings import schemas. */
export interface Strictness {
  /** Whether what the server, the model or the voice can't follow is refused, or ignored with a warning. */
  readonly strictness: 'strict' | 'lenient';
}

/** A body of a known schema, with the names of the fields that the schema lacks. */
export type WithUnknown<Body> = Body & { readonly unknownFields?: UnknownFields | undefined };

export interface UnknownFields {
  readonly names: readonly string[];
  readonly known: readonly string[];
}

/**
 * Parses a body like `parse`, and names the fields that its schema does not know. A field without a value is none.
 *
 * @param options `others`: fields that are read elsewhere, or have no effect on sound; `subject`: as for `parse`
 * @throws SvcError INVALID_REQUEST
 */
export function parseKnown<Schema extends z.ZodObject>(
  schema: Schema,
  input: unknown,
  { others = [], subject }: { readonly others?: readonly string[]; readonly subject?: string } = {},
): WithUnknown<z.output<Schema>> {
  const body = parse(schema, input, subject);
  const known = Object.keys(schema.shape);
  const names = Object.entries(Object(input)).flatMap(([name, value]) =>
    known.includes(name) || others.includes(name) || silentFields.includes(name) || isNothing(value) ? [] : [name],
  );
  return names.length === 0 ? body : { ...body, unknownFields: { names, known } };
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The warning about unknown fields, if there are any. @throws SvcError INVALID_REQUEST if the server is strict */
export function warnOfUnknown(unknown: UnknownFields | undefined, { strictness }: Strictness): readonly string[] {
  if (unknown === undefined) return [];
  const { names, known } = unknown;
  const isOne = names.length === 1;
  const [name = ''] = names;
  const hint = isOne ? didYouMean(name, known) : '';
  const shown = `unknown ${isOne ? 'field' : 'fields'} ${listed(names.slice(0, mostListed).map(show), names.length)}`;
  if (strictness === 'strict') throw requestError(`${shown} in the request${hint}`, isOne ? name : undefined);
  return [`${shown} ${isOne ? 'is' : 'are'} ignored${hint}`];
}

/** Parses the body of a request that makes no speech; unknown fields are in the `Warning` header and in the log. */
export function parseOrWarn<Schema extends z.ZodObject>(
  schema: Schema,
  input: unknown,
  { settings, logger }: { readonly settings: Strictness; readonly logger: Pick<Logger, 'warn'> },
  response: Response,
): z.output<Schema> {
  const { unknownFields, ...body } = parseKnown(schema, input);
  const warnings = warnOfUnknown(unknownFields, settings);
  if (warnings.length > 0) {
    response.set(warningFields(warnings));
    logger.warn({ warnings }, 'request had warnings');
  }
  return body as z.output<Schema>;
}
