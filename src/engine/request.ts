/**
 * What callers may ask for: the one table of fields with limits, defaults and help. The command line, lines of a batch,
 * HTTP bodies and forms have the same fields by other names. Defaults are those of the official `VoxCPM.generate`
 * (`voxcpm/core.py`), limits those of its command line.
 */

import { z } from 'zod';
import type { Audio } from '../audio/wav.ts';
import type { SvcError } from '../errors.ts';
import { numberIn, oneOf, parse, type Range, requestError, text, truth } from '../validation.ts';
import type { ModelInfo } from './backend.ts';
import { normalizeText } from './text/normalize.ts';

interface Truth {
  readonly kind: 'boolean';
  readonly default: boolean;
}

export type Field = (Range | Truth | { readonly kind: 'text' }) & { readonly help: string };

/** Fields beside text and voice. */
export const requestFields = {
  control: {
    kind: 'text',
    help: 'style of the speech in words, such as "calm and slow" (VoxCPM 2; not with a prompt)',
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
    help: 'flow-matching steps; more are finer and slower',
  },
  seed: { kind: 'integer', minimum: 0, maximum: 0xffff_ffff, help: 'random seed; the same seed gives the same audio' },
  /** The model's stop counts from the patch with a larger 0-based number. */
  minLength: { kind: 'integer', minimum: 0, maximum: 65_536, default: 2, help: 'minimum length in patches' },
  /** Six patches for a token of text and ten more are never exceeded. */
  maxLength: {
    kind: 'integer',
    minimum: 1,
    maximum: 65_536,
    default: 4096,
    help: 'maximum length in patches, for each part of a long text',
  },
  /** Streams do so only while nothing was heard. */
  retryBadcase: {
    kind: 'boolean',
    default: true,
    help: 'regenerate speech that is far too long or silent (three attempts at most)',
  },
  split: { kind: 'boolean', default: true, help: 'speak a long text in parts, cut at the ends of sentences' },
  /** What can't be spoken makes models emit noise. */
  clean: {
    kind: 'boolean',
    default: true,
    help: 'replace typographic characters and remove emoji and invisible characters',
  },
  normalize: {
    kind: 'boolean',
    default: false,
    help: 'read out numbers, dates, units, currencies and abbreviations (English, Chinese)',
  },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof requestFields;

export const ranges = {
  threads: { kind: 'integer', minimum: 1, maximum: 1024 },
  maxBatch: { kind: 'integer', minimum: 1, maximum: 256, default: 8 },
  /** Of playing; what is asked of an encoder's caller, not of the engine. */
  speed: { kind: 'number', minimum: 0.25, maximum: 4, default: 1 },
} as const satisfies Record<string, Range>;

type SchemaOf<Name extends FieldName> = (typeof requestFields)[Name]['kind'] extends 'boolean'
  ? z.ZodBoolean
  : (typeof requestFields)[Name]['kind'] extends 'text'
    ? z.ZodString
    : z.ZodNumber;

/** Schema of one field of the table. */
export function schemaOf<Name extends FieldName>(name: Name): SchemaOf<Name> {
  const field: Field = requestFields[name];
  const schema = field.kind === 'text' ? text : field.kind === 'boolean' ? truth : numberIn(field);
  return schema as z.ZodType as SchemaOf<Name>;
}

/** What one door to the engine calls the fields that it offers. */
export type FieldNames = Readonly<Partial<Record<FieldName, string>>>;

/** Schemas of these fields by these names, each made by `make`, where null and undefined are as good as left out. */
export function shapeOf<const Names extends FieldNames>(names: Names, make: (name: FieldName) => z.ZodType) {
  const shape = Object.entries(names).map(([name, given]) => [given, make(name as FieldName)]);
  return Object.fromEntries(shape) as {
    readonly [Name in keyof Names & FieldName as Names[Name] & string]: z.ZodType<
      z.output<SchemaOf<Name>> | null | undefined
    >;
  };
}

/** Values that came by other names, as fields of a request. */
export function fieldsFrom(values: object, names: FieldNames): Pick<SynthesisRequest, FieldName> {
  const given = Object.entries(names).map(([field, name]) => [field, (values as Record<string, unknown>)[name]]);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}

export const backendNames = ['cpu', 'cuda', 'vulkan', 'metal', 'coreml', 'webgpu', 'auto'] as const;
export type BackendName = (typeof backendNames)[number];

/** Audio that is encoded already, from `Engine.encode`: `n × patchSize × featureDim` values of the same model. */
export interface EncodedAudio {
  readonly role: 'prompt' | 'reference';
  readonly patches: Float32Array;
}

const describeAudio = 'audio (finite, non-empty samples and a sample rate) or encoded audio of the same role';

const isFilled = (values: unknown): values is Float32Array =>
  values instanceof Float32Array && values.length > 0 && values.every(Number.isFinite);

const isAudio = (value: unknown, role: EncodedAudio['role']): boolean => {
  const { samples, sampleRate, patches, role: given } = (value ?? {}) as Partial<Audio & EncodedAudio>;
  return given === undefined ? isFilled(samples) && Number(sampleRate) > 0 : given === role && isFilled(patches);
};

const audio = (role: EncodedAudio['role']) =>
  z.custom<Audio | EncodedAudio>((value) => isAudio(value, role), { error: describeAudio });
const describeTranscript = 'a string with at least one visible character';

/** Error messages of the schemas complete `FIELD must be …`. */
const requestSchema = z.strictObject({
  /** What to say. */
  text,
  /** Audio that the model continues, and its transcript; empty when nobody knows it, which costs likeness. */
  promptAudio: audio('prompt').optional(),
  promptText: text.regex(/^$|\S/, { error: describeTranscript }).optional(),
  /** Audio that gives the timbre only. VoxCPM 2. */
  referenceAudio: audio('reference').optional(),
  control: schemaOf('control').optional(),
  cfg: schemaOf('cfg').default(requestFields.cfg.default),
  timesteps: schemaOf('timesteps').default(requestFields.timesteps.default),
  /** Random when left out. */
  seed: schemaOf('seed').optional(),
  minLength: schemaOf('minLength').default(requestFields.minLength.default),
  maxLength: schemaOf('maxLength').default(requestFields.maxLength.default),
  retryBadcase: truth.default(requestFields.retryBadcase.default),
  split: truth.default(requestFields.split.default),
  clean: truth.default(requestFields.clean.default),
  normalize: truth.default(requestFields.normalize.default),
});

const engineSchema = z.strictObject({
  /** One `.gguf` file or a folder with an ONNX model; the demo model that comes with the package when left out. */
  modelPath: z
    .string({ error: 'the path of a .gguf file or an ONNX folder' })
    .min(1, { error: 'the path of a .gguf file or an ONNX folder' })
    .optional(),
  backend: oneOf(backendNames).default('auto'),
  /** CPU threads; the runtime's choice when left out. */
  threads: numberIn(ranges.threads).optional(),
  /** Most utterances that share one pass over the weights. */
  maxBatch: numberIn(ranges.maxBatch).default(ranges.maxBatch.default),
});

export type SynthesisRequest = Readonly<z.input<typeof requestSchema>>;
export type ResolvedRequest = Readonly<z.output<typeof requestSchema>>;
export type EngineOptions = Readonly<z.input<typeof engineSchema>>;
export type ResolvedEngineOptions = Readonly<z.output<typeof engineSchema>>;

/**
 * Checks all that can be checked without a model, and fills in the defaults.
 *
 * @throws SvcError INVALID_REQUEST, one line.
 */
export function parseRequest(input: unknown): ResolvedRequest {
  const request = parse(requestSchema, input);
  normalizeText(request.text);
  if ((request.promptAudio === undefined) !== (request.promptText === undefined)) {
    const [given, missing] = request.promptText === undefined ? ['audio', 'text'] : ['text', 'audio'];
    throw requestError(`prompt ${given} needs prompt ${missing}: give the recording and its transcript together`);
  }
  if (controlOf(request) !== '' && request.promptText !== undefined) {
    throw requestError('control and prompt text cannot be combined');
  }
  return request;
}

/** @throws SvcError INVALID_REQUEST, one line. */
export const parseAudio = (input: unknown, role: EncodedAudio['role']): Audio | EncodedAudio =>
  parse(z.object({ audio: audio(role) }), { audio: input }, 'the audio').audio;

/** @throws SvcError INVALID_REQUEST, one line. */
export const parseEngineOptions = (input: unknown): ResolvedEngineOptions => parse(engineSchema, input, 'the engine');

/** @throws SvcError INVALID_REQUEST when the model lacks a feature that the request uses */
export function assertSupported(request: ResolvedRequest, info: ModelInfo): void {
  if (info.architecture === 'voxcpm2') return;
  if (request.referenceAudio !== undefined) throw needsModel2('reference audio', info);
  if (controlOf(request) !== '') throw needsModel2('control', info);
}

export const needsModel2 = (feature: string, { name, architecture }: ModelInfo): SvcError =>
  requestError(`${feature} needs a VoxCPM 2 model; ${name} is ${architecture}`);

/** The text to tokenize: the control text in front, as `build_final_text` of the official `voxcpm/cli.py` puts it. */
export function targetText(request: ResolvedRequest): string {
  const control = controlOf(request);
  return normalizeText(control === '' ? request.text : `(${control})${request.text}`);
}

/** Without parentheses, which the official `app.py` removes too: the model expects one pair around all of it. */
const controlOf = ({ control }: ResolvedRequest): string => control?.replace(/[()（）]/gu, '').trim() ?? '';
