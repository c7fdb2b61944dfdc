/**
 * The fields of a request with limits, defaults and help, in one table. The command line, batch lines, HTTP bodies and
 * forms use the same fields under other names. Defaults are from the official `VoxCPM.generate` (`voxcpm/core.py`),
 * limits from its command line.
 */

import { z } from 'zod';
import type { Audio } from '../audio/audio.ts';
import { areFinite } from '../audio/finite-samples.ts';
import { speedRange } from '../audio/resample/speed-range.ts';
import type { SvcError } from '../errors.ts';
import { quote, show } from '../messages.ts';
import {
  invalid,
  numberIn,
  oneOf,
  parse,
  type Range,
  recordOf,
  requestError,
  text,
  truth,
  truthOrAuto,
} from '../validation.ts';
import type { ModelInfo } from './backend.ts';
import { type LexiconEntry, longestEntry } from './lexicon/lexicon.ts';
import { inputFormats } from './script/input-formats.ts';
import { isLanguageName, languageTagOf } from './text/language/language-tags.ts';
import { normalizeText, requireVisible } from './text/normalize.ts';

interface Truth {
  readonly kind: 'boolean';
  /** `auto`: as the model needs it; also a value then. */
  readonly default: boolean | 'auto';
}

interface Choice {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}

interface Words {
  readonly kind: 'text';
  /** In UTF-16 code units. */
  readonly longest: number;
}

/** A BCP 47 tag. */
interface Tag {
  readonly kind: 'language';
}

export type Field = (Range | Truth | Choice | Words | Tag) & { readonly help: string };

/** All fields except text and voice. */
export const requestFields = {
  control: {
    kind: 'text',
    longest: 4096,
    help: 'speaking style in words, such as "calm and slow" (VoxCPM 2; not with prompt audio)',
  },
  /** Empty for the model as it is. */
  lora: { kind: 'text', longest: 256, help: 'name of the LoRA adapter' },
  loraWeight: {
    kind: 'number',
    minimum: 0,
    maximum: 4,
    help: 'strength of the LoRA adapter; 1 is as trained',
  },
  cfg: {
    kind: 'number',
    minimum: 0,
    maximum: 10,
    default: 2,
    help: 'guidance scale; higher follows text and voice more closely',
  },
  timesteps: {
    kind: 'integer',
    minimum: 1,
    maximum: 100,
    default: 10,
    help: 'flow-matching steps; more steps are slower and finer',
  },
  seed: { kind: 'integer', minimum: 0, maximum: 0xffff_ffff, help: 'random seed; the same seed gives the same audio' },
  /** The model's stop counts after the patch with this 0-based number. */
  minLength: { kind: 'integer', minimum: 0, maximum: 65_536, default: 2, help: 'minimum length in patches' },
  /** In any case at most `retryBadcaseRatioThreshold` patches per token plus ten. */
  maxLength: {
    kind: 'integer',
    minimum: 1,
    maximum: 65_536,
    default: 4096,
    help: 'maximum length in patches, for each part of a long text',
  },
  /** Streams regenerate only silence. */
  retryBadcase: {
    kind: 'boolean',
    default: true,
    help: 'regenerate speech that is far too long, silent, or fails a check below',
  },
  /** As `retry_badcase_max_times` of the official code. */
  retryBadcaseMaxTimes: {
    kind: 'integer',
    minimum: 1,
    maximum: 100,
    default: 3,
    help: 'maximum attempts per part of a text, including the first',
  },
  /** As in the official code, also the maximum length, plus ten patches. */
  retryBadcaseRatioThreshold: {
    kind: 'number',
    minimum: 0.1,
    maximum: 1000,
    default: 6,
    help: 'patches per text token above which speech counts as far too long',
  },
  retryShort: { kind: 'boolean', default: false, help: 'also regenerate speech that is far too short for its text' },
  retryClipped: { kind: 'boolean', default: false, help: 'also regenerate speech that is clipped' },
  /** Without effect unless the engine has a recognizer. */
  maxWordErrors: {
    kind: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.2,
    help: 'word error rate above which speech is regenerated',
  },
  /** `trim_silence_vad` of the official code, which trims recordings only. */
  trimSilence: {
    kind: 'boolean',
    default: false,
    help: 'shorten leading and trailing silence to 0.2 s, in recordings and in the speech',
  },
  /** As a reference, the beginning leaves room for control; only a prompt keeps its pace and mood. */
  continueBy: {
    kind: 'choice',
    choices: ['prompt', 'reference'],
    default: 'prompt',
    help: 'how later parts of a long text keep the voice of its first part when none is given: "prompt" continues it, "reference" takes its timbre (VoxCPM 2)',
  },
  split: { kind: 'boolean', default: true, help: 'speak a long text in parts, cut at the ends of sentences' },
  /** Unspeakable characters make models emit noise. */
  clean: {
    kind: 'boolean',
    default: true,
    help: 'replace typographic characters and remove emoji and invisible characters',
  },
  /** A BCP 47 tag. */
  language: {
    kind: 'language',
    help: 'language of the text, such as "de" or "pt-BR", in which numbers are read; by default that of each paragraph, as it is detected',
  },
  normalize: {
    kind: 'boolean',
    default: 'auto',
    help: 'read out numbers, dates, units, currencies and abbreviations; by default where the model needs it',
  },
  /** `auto`: SSML if the text begins with `<speak`, else a script if `voices` is given, else Markdown if it has its structure. */
  inputFormat: {
    kind: 'choice',
    choices: inputFormats,
    default: 'auto',
    help: 'text format: "script" is plain text with tags such as [pause:1.5s] and [voice:anna], "turns" a dialogue as JSON',
  },
  /** Whether a text that is still being written begins with a clause. */
  firstClause: {
    kind: 'boolean',
    default: true,
    help: 'start live text after its first clause instead of its first sentence',
  },
  readCode: { kind: 'boolean', default: false, help: 'read Markdown code blocks aloud' },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof requestFields;

/** Fields about the recordings of a voice, which apply when they are read, before an engine gets them. */
export const recordingFields = {
  /** As in the official code, before the loudness is set. */
  denoise: {
    kind: 'boolean',
    default: false,
    help: 'denoise the recordings of a voice and normalize them to -20 LUFS (at 16 kHz)',
  },
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

/** The schema of one field. */
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

/** Renames values of another interface to request fields. */
export function fieldsFrom(values: object, names: FieldNames): Pick<SynthesisRequest, FieldName> {
  const given = Object.entries(names).map(([field, name]) => [field, (values as Record<string, unknown>)[name]]);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}

/** Encoded audio from `Engine.encode` with the same model: `n × patchSize × featureDim` values. */
export interface EncodedAudio {
  readonly role: 'prompt' | 'reference';
  readonly patches: Float32Array;
}

const describeAudio = 'non-empty finite samples with a sample rate, or encoded audio of this role';

const isFilled = (values: unknown): values is Float32Array =>
  values instanceof Float32Array && values.length > 0 && areFinite(values);

const isAudio = (value: unknown, role: EncodedAudio['role']): boolean => {
  const { samples, sampleRate, patches, role: given } = (value ?? {}) as Partial<Audio & EncodedAudio>;
  return given === undefined ? isFilled(samples) && Number(sampleRate) > 0 : given === role && isFilled(patches);
};

const audio = (role: EncodedAudio['role']) =>
  z.custom<Audio | EncodedAudio>((value) => isAudio(value, role), { error: describeAudio });

/** In UTF-16 code units: far more than anyone says in the longest recording. A longer one would take long to tokenize. */
const longestTranscript = 8192;

const describeTranscript = `a string of at most ${longestTranscript} characters`;

/** Words of a recording; may be empty. */
export const transcript = text
  .max(longestTranscript, { error: describeTranscript })
  // A store of voices may end a text there.
  .refine((value) => !value.includes('\0'), { error: 'text without NUL characters' });

const mostLexiconEntries = 100_000;

const isEntry = (entry: unknown): boolean => {
  const { written, spoken, ...rest } = (entry ?? {}) as Record<string, unknown>;
  const isWord = (word: unknown): boolean => typeof word === 'string' && word.length > 0 && word.length <= longestEntry;
  return isWord(written) && isWord(spoken) && Object.keys(rest).length === 0;
};

/** Pronunciations. */
export const lexiconField = z.custom<readonly LexiconEntry[]>(
  (entries) => Array.isArray(entries) && entries.length <= mostLexiconEntries && entries.every(isEntry),
  {
    error: `at most ${mostLexiconEntries} entries of two texts, "written" and "spoken", of 1 to ${longestEntry} characters`,
  },
);

/** Messages of the schemas complete `FIELD must be …`. */
const voiceFields = {
  /** Audio that the model continues, and its transcript; an empty transcript reduces similarity. */
  promptAudio: audio('prompt').optional(),
  promptText: transcript.regex(/^$|\S/, { error: 'text with at least one visible character' }).optional(),
  /** Audio that only sets the timbre. VoxCPM 2 only. */
  referenceAudio: audio('reference').optional(),
  /** Pronunciations of this voice; `lexicon` takes precedence. */
  voiceLexicon: lexiconField.optional(),
  /** Language of this voice, in which numbers are read unless the request or its script states one. */
  voiceLanguage: schemaOf('language').optional(),
};

/** Voices of one request besides its own. */
export const mostVoices = 64;

/** Length of the name of a voice in a script, in UTF-16 code units. */
export const longestVoiceName = 100;

/** Voices by the names that a script uses. */
export const voicesOf = <Voice extends z.ZodType>(voice: Voice) =>
  recordOf(voice, {
    most: mostVoices,
    longest: longestVoiceName,
    error: `an object of at most ${mostVoices} voices with names of 1 to ${longestVoiceName} characters`,
  });

/** All but the text. */
const fieldsSchema = z.strictObject({
  ...voiceFields,
  /** Voices by the names that a script uses. */
  voices: voicesOf(z.strictObject(voiceFields)).optional(),
  /** Pronunciations of all voices. */
  lexicon: lexiconField.optional(),
  control: schemaOf('control').optional(),
  lora: schemaOf('lora').optional(),
  /** Default: that of the adapter. */
  loraWeight: schemaOf('loraWeight').optional(),
  cfg: schemaOf('cfg').default(requestFields.cfg.default),
  timesteps: schemaOf('timesteps').default(requestFields.timesteps.default),
  /** Default: random. */
  seed: schemaOf('seed').optional(),
  minLength: schemaOf('minLength').default(requestFields.minLength.default),
  maxLength: schemaOf('maxLength').default(requestFields.maxLength.default),
  retryBadcase: truth.default(requestFields.retryBadcase.default),
  retryBadcaseMaxTimes: schemaOf('retryBadcaseMaxTimes').default(requestFields.retryBadcaseMaxTimes.default),
  retryBadcaseRatioThreshold: schemaOf('retryBadcaseRatioThreshold').default(
    requestFields.retryBadcaseRatioThreshold.default,
  ),
  retryShort: truth.default(requestFields.retryShort.default),
  retryClipped: truth.default(requestFields.retryClipped.default),
  maxWordErrors: schemaOf('maxWordErrors').default(requestFields.maxWordErrors.default),
  trimSilence: truth.default(requestFields.trimSilence.default),
  continueBy: schemaOf('continueBy').default(requestFields.continueBy.default),
  split: truth.default(requestFields.split.default),
  clean: truth.default(requestFields.clean.default),
  language: schemaOf('language').optional(),
  /** Language of a document or a server: of paragraphs that don't show theirs. */
  documentLanguage: schemaOf('language').optional(),
  normalize: schemaOf('normalize').default(requestFields.normalize.default),
  inputFormat: schemaOf('inputFormat').default(requestFields.inputFormat.default),
  readCode: truth.default(requestFields.readCode.default),
  firstClause: truth.default(requestFields.firstClause.default),
  /** Above 1 is faster, at the same pitch. */
  speed: numberIn(ranges.speed).default(ranges.speed.default),
});

const requestSchema = z.strictObject({
  /** The text to speak. */
  text,
  ...fieldsSchema.shape,
});

export type SynthesisRequest = Readonly<z.input<typeof requestSchema>>;
/** A request whose text is not known yet. */
export type UnwrittenRequest = Omit<SynthesisRequest, 'text'>;

/** The fields of a valid request but its text, with defaults. */
export type RequestFields = Readonly<z.output<typeof fieldsSchema>>;
/** A valid request, with defaults. */
export interface ResolvedRequest extends RequestFields {
  readonly text: string;
}

const defaults = fieldsSchema.parse({});

/** The voice fields of a request or of a voice in its script. */
export type VoiceFields = Pick<RequestFields, keyof typeof voiceFields>;

/** @throws SvcError INVALID_REQUEST with the names of the caller's interface when the lengths contradict each other */
export function checkLengths(
  { minLength, maxLength }: Pick<SynthesisRequest, 'minLength' | 'maxLength'>,
  names: FieldNames = {},
): void {
  const maximum = maxLength ?? requestFields.maxLength.default;
  // The default minimum gives way to a smaller maximum.
  if (minLength === undefined || minLength === requestFields.minLength.default || minLength <= maximum) return;
  const { minLength: shortest = 'minLength', maxLength: longest = 'maxLength' } = names;
  throw requestError(`${shortest} (${minLength}) must not exceed ${longest} (${maximum})`, shortest);
}

/**
 * Validates a request without a model and fills in defaults.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function parseRequest(input: unknown): ResolvedRequest {
  const request = parse(requestSchema, input);
  requireVisible(request.text);
  assertConsistent(request);
  return request;
}

/** Whether the transcript of prompt audio is part of a request, or a recognizer supplies it later. */
export type Transcript = 'given' | 'follows';

/** As `parseRequest`, without a text. @throws SvcError INVALID_REQUEST */
export function parseFields(input: unknown, transcript: Transcript = 'given'): RequestFields {
  const fields = parse(fieldsSchema, input);
  assertConsistent(fields, transcript);
  return fields;
}

/**
 * Fills in the defaults of fields that another schema has checked.
 *
 * @throws SvcError INVALID_REQUEST for fields that contradict each other
 */
export function resolveFields(checked: UnwrittenRequest): RequestFields {
  const given = Object.entries(checked).filter(([, value]) => value !== undefined);
  const fields: RequestFields = { ...defaults, ...Object.fromEntries(given) };
  assertConsistent(fields);
  return fields;
}

function assertConsistent(fields: RequestFields, transcript: Transcript = 'given'): void {
  checkLengths(fields);
  if (fields.loraWeight !== undefined && !fields.lora) {
    throw requestError('a LoRA weight needs the name of an adapter', 'loraWeight');
  }
  assertVoices(fields, transcript);
}

/** A voice whose recording may not be read yet. */
interface VoiceParts {
  readonly promptAudio?: unknown;
  readonly promptText?: string | undefined;
}

/**
 * Checks what a voice is made of.
 *
 * @throws SvcError INVALID_REQUEST for a prompt without its transcript, or with a control text
 */
export function assertVoices(
  own: VoiceParts & {
    readonly control?: string | undefined;
    readonly voices?: Readonly<Record<string, VoiceParts>> | undefined;
  },
  transcript: Transcript = 'given',
): void {
  const follows = transcript === 'follows' && own.promptAudio !== undefined;
  for (const voice of [own, ...Object.values(own.voices ?? {})]) {
    const { promptText = '' } = voice;
    if (promptText.length > longestTranscript) {
      throw invalid(describeTranscript, 'promptText', show(promptText), { param: 'promptText' });
    }
    if ((voice.promptAudio === undefined) === (voice.promptText === undefined)) continue;
    if (voice === own && follows) continue;
    const [given, missing] = voice.promptText === undefined ? ['audio', 'text'] : ['text', 'audio'];
    throw requestError(`prompt ${given} needs prompt ${missing}: give the recording and its transcript together`);
  }
  if (bareControl(own.control) !== '' && (own.promptText !== undefined || follows)) {
    throw requestError('control and prompt text cannot be combined');
  }
}

/** Checks the recordings of a voice that was loaded for a request. @throws SvcError INVALID_REQUEST */
export function assertRecordings(recordings: Pick<VoiceFields, 'promptAudio' | 'referenceAudio'>): void {
  for (const [name, role] of [
    ['promptAudio', 'prompt'],
    ['referenceAudio', 'reference'],
  ] as const) {
    const given = recordings[name];
    if (given !== undefined && !isAudio(given, role)) throw invalid(describeAudio, name, show(given), { param: name });
  }
}

/** @throws SvcError INVALID_REQUEST */
export const parseAudio = (input: unknown, role: EncodedAudio['role']): Audio | EncodedAudio =>
  parse(z.object({ audio: audio(role) }), { audio: input }, 'the audio').audio;

/** @throws SvcError INVALID_REQUEST if the model does not support a field of the request */
export function assertSupported(request: RequestFields, info: Pick<ModelInfo, 'architecture' | 'name'>): void {
  if (info.architecture === 'voxcpm2') return;
  for (const { referenceAudio } of [request, ...Object.values(request.voices ?? {})]) {
    if (referenceAudio !== undefined) throw needsModel2('reference audio', info);
  }
  if (controlOf(request) !== '') throw needsModel2('control', info);
  if (request.continueBy === 'reference') throw needsModel2('continuing by reference', info);
}

export const needsModel2 = (feature: string, { name }: Pick<ModelInfo, 'name'>, param?: string): SvcError =>
  requestError(`${feature} needs a VoxCPM 2 model; ${quote(name)} is not one`, param);

/** The text to tokenize, with the control text in front, like `build_final_text` of the official `voxcpm/cli.py`. */
export function targetText(request: Pick<ResolvedRequest, 'text' | 'control'>): string {
  const control = controlOf(request);
  return normalizeText(control === '' ? request.text : `(${control})${request.text}`);
}

/** The control text without parentheses, like the official `app.py`: the model expects one pair around all of it. */
const bareControl = (control: string | undefined): string => control?.replace(/[()（）]/gu, '').trim() ?? '';

const controlOf = ({ control }: Pick<RequestFields, 'control'>): string => bareControl(control);

/** Two control texts as one; undefined if both are empty. */
export const joinControls = (first: string | undefined, second: string | undefined): string | undefined =>
  [first, second].map(bareControl).filter(Boolean).join(', ') || undefined;
