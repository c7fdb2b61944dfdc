/** Requests: their schema, their defaults, and what contradicts itself or the model. */
import { z } from 'zod';
import type { SvcError } from '../errors.ts';
import { quote } from '../messages.ts';
import { numberIn, parse, requestError, text, truth } from '../validation.ts';
import type { ModelInfo } from './backend.ts';
import { type FieldName, type FieldNames, ranges, requestFields, schemaOf } from './request-fields.ts';
import { normalizeText, requireVisible } from './text/normalize.ts';
import { assertVoices, bareControl, lexiconField, type Transcript, voiceFields, voicesOf } from './voice-fields.ts';

/** Renames values of another interface to request fields. */
export function fieldsFrom(values: object, names: FieldNames): Pick<SynthesisRequest, FieldName> {
  const given = Object.entries(names).map(([field, name]) => [field, (values as Record<string, unknown>)[name]]);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}

const fieldsSchema = z.strictObject({
  ...voiceFields,
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

const requestSchema = z.strictObject({ text, ...fieldsSchema.shape });

export type SynthesisRequest = Readonly<z.input<typeof requestSchema>>;
export type UnwrittenRequest = Omit<SynthesisRequest, 'text'>;

/** The fields of a valid request but its text, with defaults. */
export type RequestFields = Readonly<z.output<typeof fieldsSchema>>;
/** A valid request, with defaults. */
export interface ResolvedRequest extends RequestFields {
  readonly text: string;
}

const defaults = fieldsSchema.parse({});

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

/** Validates a request without a model and fills in defaults. @throws SvcError INVALID_REQUEST */
export function parseRequest(input: unknown): ResolvedRequest {
  const request = parse(requestSchema, input);
  requireVisible(request.text);
  assertConsistent(request);
  return request;
}

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
  if (fields.loraWeight !== undefined && !fields.lora)
    throw requestError('a LoRA weight needs the name of an adapter', 'loraWeight');
  assertVoices(fields, transcript);
}

/** @throws SvcError INVALID_REQUEST if the model does not support a field of the request */
export function assertSupported(request: RequestFields, info: Pick<ModelInfo, 'architecture' | 'name'>): void {
  if (info.architecture === 'voxcpm2') return;
  for (const { referenceAudio } of [request, ...Object.values(request.voices ?? {})]) {
    if (referenceAudio !== undefined) throw needsModel2('reference audio', info);
  }
  if (bareControl(request.control) !== '') throw needsModel2('control', info);
  if (request.continueBy === 'reference') throw needsModel2('continuing by reference', info);
}

export const needsModel2 = (feature: string, { name }: Pick<ModelInfo, 'name'>, param?: string): SvcError =>
  requestError(`${feature} needs a VoxCPM 2 model; ${quote(name)} is not one`, param);

/** The text to tokenize, with the control text in front, like `build_final_text` of the official `voxcpm/cli.py`. */
export function targetText(request: Pick<ResolvedRequest, 'text' | 'control'>): string {
  const control = bareControl(request.control);
  return normalizeText(control === '' ? request.text : `(${control})${request.text}`);
}
