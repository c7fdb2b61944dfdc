/**
 * The fields of a request with limits, defaults and help, in one table. The command line, batch lines, HTTP bodies and
 * forms use the same fields under other names. Defaults are from the official `VoxCPM.generate` (`voxcpm/core.py`),
 * limits from its command line.
 */
import type { z } from 'zod';
import { speedRange } from '../audio/resample/speed-range.ts';
import { numberIn, oneOf, type Range, text, truth, truthOrAuto } from '../validation.ts';
import { inputFormats } from './script/input-formats.ts';
import { isLanguageName, languageTagOf } from './text/language/language-tags.ts';

export type Field = { readonly help: string } & (
  | Range
  /** `auto`: as the model needs it; also a value then. */
  | { readonly kind: 'boolean'; readonly default: boolean | 'auto' }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default: string }
  /** `longest` in UTF-16 code units. */
  | { readonly kind: 'text'; readonly longest: number }
  /** A BCP 47 tag. */
  | { readonly kind: 'language' }
);

type Limits = readonly [minimum: number, maximum: number];
const integer = ([minimum, maximum]: Limits, byDefault: number, help: string) =>
  ({ kind: 'integer', minimum, maximum, default: byDefault, help }) as const;
const number = ([minimum, maximum]: Limits, byDefault: number, help: string) =>
  ({ kind: 'number', minimum, maximum, default: byDefault, help }) as const;
const words = (longest: number, help: string) => ({ kind: 'text', longest, help }) as const;
const yesOrNo = <Default extends boolean | 'auto'>(byDefault: Default, help: string) =>
  ({ kind: 'boolean', default: byDefault, help }) as const;

/** All fields except text and voice. */
export const requestFields = {
  control: words(4096, 'speaking style in words, such as "calm and slow" (VoxCPM 2; not with prompt audio)'),
  /** Empty for the model as it is. */
  lora: words(256, 'name of the LoRA adapter'),
  loraWeight: { kind: 'number', minimum: 0, maximum: 4, help: 'strength of the LoRA adapter; 1 is as trained' },
  cfg: number([0, 10], 2, 'guidance scale; higher follows text and voice more closely'),
  timesteps: integer([1, 100], 10, 'flow-matching steps; more steps are slower and finer'),
  seed: { kind: 'integer', minimum: 0, maximum: 0xffff_ffff, help: 'random seed; the same seed gives the same audio' },
  /** The model's stop counts after the patch with this 0-based number. */
  minLength: integer([0, 65_536], 2, 'minimum length in patches'),
  /** In any case at most `retryBadcaseRatioThreshold` patches per token plus ten. */
  maxLength: integer([1, 65_536], 4096, 'maximum length in patches, for each part of a long text'),
  /** Streams regenerate only silence. */
  retryBadcase: yesOrNo(true, 'regenerate speech that is far too long, silent, or fails a check below'),
  /** As `retry_badcase_max_times` of the official code. */
  retryBadcaseMaxTimes: integer([1, 100], 3, 'maximum attempts per part of a text, including the first'),
  /** As in the official code, also the maximum length, plus ten patches. */
  retryBadcaseRatioThreshold: number(
    [0.1, 1000],
    6,
    'patches per text token above which speech counts as far too long',
  ),
  retryShort: yesOrNo(false, 'also regenerate speech that is far too short for its text'),
  retryClipped: yesOrNo(false, 'also regenerate speech that is clipped'),
  /** Without effect unless the engine has a recognizer. */
  maxWordErrors: number([0, 1], 0.2, 'word error rate above which speech is regenerated'),
  /** `trim_silence_vad` of the official code, which trims recordings only. */
  trimSilence: yesOrNo(false, 'shorten leading and trailing silence to 0.2 s, in recordings and in the speech'),
  /** As a reference, the beginning leaves room for control; only a prompt keeps its pace and mood. */
  continueBy: {
    kind: 'choice',
    choices: ['prompt', 'reference'],
    default: 'prompt',
    help: 'how later parts of a long text keep the voice of its first part when none is given: "prompt" continues it, "reference" takes its timbre (VoxCPM 2)',
  },
  split: yesOrNo(true, 'speak a long text in parts, cut at the ends of sentences'),
  /** Unspeakable characters make models emit noise. */
  clean: yesOrNo(true, 'replace typographic characters and remove emoji and invisible characters'),
  /** A BCP 47 tag. */
  language: {
    kind: 'language',
    help: 'language of the text, such as "de" or "pt-BR", in which numbers are read; by default that of each paragraph, as it is detected',
  },
  normalize: yesOrNo(
    'auto',
    'read out numbers, dates, units, currencies and abbreviations; by default where the model needs it',
  ),
  /** `auto`: SSML if the text begins with `<speak`, else a script if `voices` is given, else Markdown if it has its structure. */
  inputFormat: {
    kind: 'choice',
    choices: inputFormats,
    default: 'auto',
    help: 'text format: "script" is plain text with tags such as [pause:1.5s] and [voice:anna], "turns" a dialogue as JSON',
  },
  /** Whether a text that is still being written begins with a clause. */
  firstClause: yesOrNo(true, 'start live text after its first clause instead of its first sentence'),
  readCode: yesOrNo(false, 'read Markdown code blocks aloud'),
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof requestFields;

/** Fields about the recordings of a voice, which apply when they are read, before an engine gets them. */
export const recordingFields = {
  /** As in the official code, before the loudness is set. */
  denoise: yesOrNo(false, 'denoise the recordings of a voice and normalize them to -20 LUFS (at 16 kHz)'),
} as const satisfies Record<string, Field>;

export const ranges = {
  threads: { kind: 'integer', minimum: 1, maximum: 1024 },
  maxBatch: { kind: 'integer', minimum: 1, maximum: 256, default: 8 },
  /** Speed of the speech, at the same pitch. */
  speed: { ...speedRange, default: 1 },
  /** Factor of the amplitude of the speech. */
  volume: { kind: 'number', minimum: 0, maximum: 10, default: 1 },
} as const satisfies Record<string, Range>;

type SchemaOf<Name extends FieldName> = (typeof requestFields)[Name] extends infer Of
  ? Of extends { readonly choices: readonly (infer Value extends string)[] }
    ? z.ZodType<Value, Value>
    : Of extends { readonly default: 'auto'; readonly kind: 'boolean' }
      ? z.ZodType<boolean | 'auto', boolean | 'auto'>
      : Of extends { readonly kind: 'boolean' }
        ? z.ZodBoolean
        : Of extends { readonly kind: 'text' | 'language' }
          ? z.ZodType<string, string>
          : z.ZodNumber
  : never;

const describeLanguage = 'a language tag such as de or pt-BR';
/** A BCP 47 tag, with a hyphen or, as in locales, an underscore, or an English name; `auto` as without it. */
export const languageField = text
  // A pattern without flags, as JSON Schema has none.
  .regex(/^[A-Za-z]{2,10}(?:[-_][A-Za-z0-9]{1,8}){0,4}$/, { error: describeLanguage, abort: true })
  .refine((tag) => /^(?:[a-z]{2,3}(?:[-_]|$)|auto$)/i.test(tag) || isLanguageName(tag), { error: describeLanguage });

/** The tag of a language that is kept: of a name its tag, and none of `auto`. */
export function statedLanguage(given: string | undefined): string | undefined {
  if (given === undefined || given.toLowerCase() === 'auto') return undefined;
  return isLanguageName(given) ? languageTagOf(given) : given;
}

/** A tag from a client that may send anything; undefined if it is none. */
export const asLanguage = (given: string | null | undefined): string | undefined =>
  languageField.safeParse(given?.trim()).data;

export function schemaOf<Name extends FieldName>(name: Name): SchemaOf<Name> {
  const field: Field = requestFields[name];
  const schema = (): z.ZodType => {
    switch (field.kind) {
      case 'text':
        return text.max(field.longest, { error: `a string of at most ${field.longest} characters` });
      case 'language':
        return languageField;
      case 'boolean':
        return field.default === 'auto' ? truthOrAuto : truth;
      case 'choice':
        return oneOf(field.choices);
      default:
        return numberIn(field);
    }
  };
  return schema() as SchemaOf<Name>;
}

/** Names of fields in one interface to the engine, such as HTTP. */
export type FieldNames = Readonly<Partial<Record<FieldName, string>>>;

/** Schemas of these fields under these names, created by `make`; null and undefined mean absent. */
export function shapeOf<const Names extends FieldNames>(names: Names, make: (name: FieldName) => z.ZodType) {
  const shape = Object.entries(names).map(([name, given]) => [given, make(name as FieldName)]);
  return Object.fromEntries(shape) as {
    readonly [Name in keyof Names & FieldName as Names[Name] & string]: z.ZodType<
      z.output<SchemaOf<Name>> | null | undefined
    >;
  };
}
