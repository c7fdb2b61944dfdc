/** Requests for speech: one schema for JSON, and one for forms and queries, where numbers are strings. */
import { z } from 'zod';
import { audioFormatNames } from '../../audio/format.ts';
import { type FieldName, type FieldNames, ranges, requestFields, schemaOf, shapeOf } from '../../engine/request.ts';
import { keepAliveField } from '../../model-pool/keep-alive.ts';
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
  inputFormat: 'input_format',
  readCode: 'read_code',
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
  inputFormat: 'input_format',
  readCode: 'read_code',
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

const describeField = (name: FieldName): { readonly description: string; readonly default?: unknown } => {
  const { help, ...field } = requestFields[name];
  const description = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
  return 'default' in field && name !== 'retryBadcase' ? { description, default: field.default } : { description };
};

const bodyShape = shapeOf(bodyNames, (name) => schemaOf(name).nullish().meta(describeField(name)));
const formShape = shapeOf(formNames, (name) => unwrapped(schemaOf(name)).meta(describeField(name)));

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() || undefined : value);
const responseFormat = z
  .preprocess(lowerCase, oneOf(audioFormatNames).nullish())
  .describe('Audio format; `pcm` is 16-bit little-endian mono without a header.');

export const keepAliveHelp =
  'How long the model stays loaded after the request, such as `10m`, or seconds; `0` unloads it at once, `-1` never. No effect on a model that is always loaded.';

const input = text
  .regex(/\S/, { error: 'a string with at least one visible character' })
  .describe('Text to speak, up to 65,536 characters.');
const voiceName = text.describe('Voice name; empty or `default` for the model’s own voice.');

/** Also for unknown formats, as in VoxCPM-ONNX. */
export const defaultFormat = 'mp3';
const tolerantFormat = responseFormat.catch(defaultFormat);

export const speechBody = z.object({
  model: text
    .nullish()
    .describe(
      'Model name or alias. A server with a single model takes any, unless it was started with `--model-name`.',
    ),
  keep_alive: keepAliveField.nullish().describe(keepAliveHelp),
  input,
  voice: z
    .union([voiceName, z.object({ id: voiceName })], { error: 'a string or an object with an id' })
    .nullish()
    .describe('Voice name, or an object with it as `id`; by default, the model’s own voice.'),
  response_format: responseFormat,
  speed: numberIn(ranges.speed)
    .nullish()
    .meta({ description: 'Speed, at the same pitch; 2 is twice as fast.', default: ranges.speed.default }),
  stream_format: z
    .enum(['audio', 'sse'], { error: 'audio or sse' })
    .nullish()
    .describe('`audio` (the default) for the bytes of a file, `sse` for server-sent events.'),
  prompt_wav_path: text
    .nullish()
    .describe('Recording on the server to clone, in place of `voice`: a path in its voice folder (`--voice-dir`).'),
  prompt_text: text.nullish().describe('Transcript of that recording.'),
  ...bodyShape,
  voices: z
    .record(text, voiceName)
    .nullish()
    .describe('Voice names by the names that a script uses, for lines such as `Anna: Hello.`'),
  lexicon: z
    .record(text, text)
    .nullish()
    .describe('Respellings by the words that they replace; a word in lower case stands for any case.'),
  sample_rate: numberIn(sampleRateRange)
    .nullish()
    .describe('Sample rate in Hz; the default depends on the format and the model.'),
});

export const speechQuery = z.object({
  events: z
    .enum(sseDialects, { error: sseDialects.join(' or ') })
    .optional()
    .describe('Server-sent events of the OpenAI API (`public`) or of VoxCPM.cpp (`native`).'),
});

export type SpeechBody = Readonly<z.output<typeof speechBody>>;

export const ttsForm = z.object({
  model: text.optional().describe('Model name or alias; unknown names are ignored.'),
  keep_alive: keepAliveField.optional().describe(keepAliveHelp),
  input,
  voice: voiceName.optional(),
  response_format: tolerantFormat,
  speed: formNumber(ranges.speed).meta({
    description: 'Speed, at the same pitch; 2 is twice as fast.',
    default: ranges.speed.default,
  }),
  prompt_text: text.optional().describe('Transcript of the uploaded recording.'),
  ...formShape,
  sample_rate: formNumber(sampleRateRange).describe(
    'Sample rate in Hz; the default depends on the format and the model.',
  ),
});

export type TtsForm = Readonly<z.output<typeof ttsForm>>;

/** Strict: a misspelled `job_id` must not cancel the requests of others. */
export const cancelBody = z.strictObject({
  job_id: z
    .union([z.int(), z.string()], { error: 'a job number or a request id' })
    .nullish()
    .describe('`X-Job-Id` or `X-Request-Id` of the request; all requests if left out.'),
});

export const cancelAnswer = z.object({
  status: z.string().describe('`success`.'),
  message: z.string().describe('The same in words.'),
  cancelled: z.array(z.int()).describe('Numbers of the canceled requests.'),
});

export const playbackAnswer = z.object({
  status: z.string().describe('`success`.'),
  message: z.string().describe('The same in words.'),
  job_id: z.int().describe('Number of the request.'),
  chunks_played: z.int().describe('Pieces of audio.'),
  duration_seconds: z.number().describe('Length of the audio, in seconds.'),
  warnings: z.array(z.string()).describe('How the speech differs from the request.'),
});
