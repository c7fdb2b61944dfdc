/** The events that clients send, with the fields that matter here. */
import { z } from 'zod';
import { asLanguage } from '../engine/request-fields.ts';
import { parse, text } from '../validation.ts';
import type { WyomingEvent } from './events.ts';

const voice = z
  .object({ name: text.nullish(), language: text.nullish() })
  .nullish()
  // No voice has several speakers.
  .transform((given) => ({ name: given?.name ?? '', language: asLanguage(given?.language) }));
const textFormat = text.nullish();

const schemas = {
  describe: z.object({}),
  ping: z.object({ text: text.nullish() }),
  'select-program': z.object({ name: text }),
  synthesize: z.object({ text, voice, text_format: textFormat }),
  'synthesize-start': z.object({ voice, text_format: textFormat }),
  'synthesize-chunk': z.object({ text }),
  'synthesize-stop': z.object({}),
} as const;

type Schemas = typeof schemas;

export type WyomingRequest = {
  [Type in keyof Schemas]: { readonly type: Type } & Readonly<z.output<Schemas[Type]>>;
}[keyof Schemas];

/**
 * @returns undefined for other events, such as those of speech recognition, which the protocol says to ignore
 * @throws SvcError INVALID_REQUEST
 */
export function parseRequest({ type, data }: WyomingEvent): WyomingRequest | undefined {
  if (!Object.hasOwn(schemas, type)) return undefined;
  const known = type as keyof Schemas;
  return { type: known, ...parse(schemas[known], data ?? {}) } as WyomingRequest;
}
