/** Schemas of speech requests: one for JSON, one for forms and queries, where numbers are strings. */
import { z } from 'zod';
import { audioFormatNames } from '../../audio/format.ts';
import { type FieldNames, ranges, requestFields, schemaOf, shapeOf } from '../../engine/request.ts';
import { numberIn, oneOf, type Range, text, truth } from '../../validation.ts';
import { sseDialects } from '../settings.ts';

const sampleRateRange: Range = { kind: 'integer', minimum: 8_000, maximum: 48_000 };

/** Names of request fields in JSON bodies. */
export const bodyNames = {
  control: 'instructions',
  minLength: 'min_length',
  maxLength: 'max_length',
  cfg: 'cfg_value',
  timesteps: 'inference_timesteps',
  seed: 'seed',
  retryBadcase: 'retry_badcase',
  normalize: 'normalize',
} as const satisfies FieldNames;

/** Names of request fields in forms and queries. */
export const formNames = {
  minLength: 'min_len',
  maxLength: 'max_len',
  cfg: 'cfg_value',
  timesteps: 'inference_timesteps',
  seed: 'seed',
  retryBadcase: 'retry_badcase',
  normalize: 'normalize',
} as const satisfies FieldNames;

const truths: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Converts a form's string to a number or boolean; an empty field counts as omitted. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const isTruth = schema === truth;
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    if (value === '') return undefined;
    if (isTruth) return truths[value.toLowerCase()] ?? value;
    return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim()) ? Number(value) : value;
  }, schema.nullish());
}

const formNumber = (range: Range) => unwrapped(numberIn(range)) as z.ZodType<number | null | undefined>;

const sentence = (help: string): string => `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;

const bodyShape = shapeOf(bodyNames, (name) => schemaOf(name).nullish().describe(sentence(requestFields[name].help)));
const formShape = shapeOf(formNames, (name) => unwrapped(schemaOf(name)).describe(sentence(requestFields[name].help)));

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() || undefined : value);
const responseFormat = z.preprocess(lowerCase, oneOf(audioFormatNames).nullish()).describe('Audio format.');

const input = text.regex(/\S/, { error: 'a string with at least one visible character' }).describe('Text to speak.');
const voiceName = text.describe('Name of a voice; empty or `default` for the voice of the model.');

/** Also for unknown formats, as in VoxCPM-ONNX. */
export const defaultFormat = 'mp3';
const tolerantFormat = responseFormat.catch(defaultFormat);

export const speechBody = z.object({
  model: text.nullish().describe('Name of the model.'),
  input,
  voice: z
    .union([voiceName, z.object({ id: voiceName })], { error: 'a string or an object with an id' })
    .nullish()
    .describe('Name of a voice, or an object with its `id`.'),
  response_format: responseFormat,
  speed: numberIn(ranges.speed).nullish().describe('Speaking rate; above 1 is faster, at the same pitch.'),
  stream_format: z
    .enum(['audio', 'sse'], { error: 'audio or sse' })
    .nullish()
    .describe('`audio` for bytes, `sse` for server-sent events.'),
  prompt_wav_path: text.nullish().describe('Path of a recording on the server to clone.'),
  prompt_text: text.nullish().describe('Transcript of that recording.'),
  ...bodyShape,
  sample_rate: numberIn(sampleRateRange)
    .nullish()
    .describe('Sample rate in Hz; by default that of the format or the model.'),
});

export const speechQuery = z.object({
  events: z
    .enum(sseDialects, { error: sseDialects.join(' or ') })
    .optional()
    .describe('Names of the server-sent events.'),
});

export type SpeechBody = Readonly<z.output<typeof speechBody>>;

export const ttsForm = z.object({
  model: text.optional().describe('Ignored.'),
  input,
  voice: voiceName.optional(),
  response_format: tolerantFormat,
  speed: formNumber(ranges.speed).describe('Speaking rate; above 1 is faster, at the same pitch.'),
  prompt_text: text.optional().describe('Transcript of the uploaded recording.'),
  ...formShape,
  sample_rate: formNumber(sampleRateRange).describe('Sample rate in Hz.'),
});

export type TtsForm = Readonly<z.output<typeof ttsForm>>;

export const cancelBody = z.object({
  job_id: z
    .union([z.int(), z.string()], { error: 'a job number or a request id' })
    .nullish()
    .describe('Header `X-Job-Id` or `X-Request-Id` of an answer; all requests when left out.'),
});

export const cancelAnswer = z.object({ status: z.string(), message: z.string(), cancelled: z.array(z.int()) });

export const playbackAnswer = z.object({
  status: z.string(),
  message: z.string(),
  job_id: z.int(),
  chunks_played: z.int(),
  duration_seconds: z.number(),
  warnings: z.array(z.string()),
});
