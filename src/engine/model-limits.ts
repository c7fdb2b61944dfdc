import { z } from 'zod';
import { attempt, SvcError } from '../errors.ts';
import type { ModelLimits } from './backend.ts';

/** Metadata keys of a GGUF file. `general.languages` is defined by the GGUF format. */
export const limitKeys = {
  maxTextCharacters: 'svc.limits.max_text_characters',
  languages: 'general.languages',
} as const;

const characters = z.int().min(1).max(1_000_000);
const isLanguage = (tag: string): boolean => attempt(() => new Intl.Locale(tag).language !== 'und') === true;
/** A BCP 47 tag. */
export const languageTag = z.string().refine(isLanguage, { error: 'expected a language tag such as en or zh-Hant' });
const languages = z.array(languageTag).min(1).max(1000);

/** The `svc` field of a checkpoint's `config.json`. */
const cardSchema = z.object({ max_text_characters: characters.optional(), languages: languages.optional() });

/** Reads the limits of a `config.json`; empty without an `svc` field. @throws SvcError MODEL_INVALID */
export function limitsOfConfig(config: unknown, source: string): ModelLimits {
  const parsed = z.object({ svc: cardSchema.default({}) }).safeParse(config);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SvcError('MODEL_INVALID', `${source}: invalid ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { max_text_characters: maxTextCharacters, languages: spoken } = parsed.data.svc;
  return withoutAbsent({ maxTextCharacters, languages: spoken });
}

/** The `svc` field for a `config.json`. */
export const configOfLimits = ({ maxTextCharacters, languages: spoken }: ModelLimits): object =>
  withoutAbsent({ max_text_characters: maxTextCharacters, languages: spoken });

/** Reads the limits of a GGUF file. Values of other types, which other converters may write, are ignored. */
export function limitsOfMetadata(metadata: (key: string) => unknown): ModelLimits {
  const value = <Value>(key: string, schema: z.ZodType<Value>): Value | undefined =>
    schema.safeParse(metadata(key)).data;
  return withoutAbsent({
    maxTextCharacters: value(limitKeys.maxTextCharacters, characters),
    languages: value(limitKeys.languages, languages),
  });
}

/** Merges limits; `given` override those of the checkpoint. */
export const mergeLimits = (given: ModelLimits, own: ModelLimits = {}): ModelLimits =>
  withoutAbsent({
    maxTextCharacters: given.maxTextCharacters ?? own.maxTextCharacters,
    languages: given.languages ?? own.languages,
  });

const withoutAbsent = (limits: object): object =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
