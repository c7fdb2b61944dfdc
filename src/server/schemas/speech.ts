/** What requests for speech may hold: one shape for JSON, and one for forms and queries, where numbers are texts. */
import { z } from 'zod';
import { audioFormatNames } from '../../audio/format.ts';
import { describeRange, type Range, ranges } from '../../engine/request.ts';
import { sseDialects } from '../settings.ts';

const speedRange: Range = { kind: 'number', minimum: 0.25, maximum: 4, default: 1 };
const sampleRateRange: Range = { kind: 'integer', minimum: 8_000, maximum: 48_000 };

const jsonNumber = (range: Range) => {
  const error = describeRange(range);
  const base = range.kind === 'integer' ? z.int({ error }) : z.number({ error });
  return base.min(range.minimum, { error }).max(range.maximum, { error });
};

/** An empty field of a form is one that was not filled in. */
const formNumber = (range: Range) =>
  z.preprocess((value) => {
    if (value === '') return undefined;
    return typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim()) ? Number(value) : value;
  }, jsonNumber(range).nullish());

const truths: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

const jsonBoolean = z.boolean({ error: 'true or false' });
const formBoolean = z.preprocess(
  (value) => (value === '' ? undefined : typeof value === 'string' ? (truths[value.toLowerCase()] ?? value) : value),
  jsonBoolean.nullish(),
);

const text = z.string({ error: 'a text' });

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() || undefined : value);
const responseFormat = z
  .preprocess(lowerCase, z.enum(audioFormatNames, { error: `one of ${audioFormatNames.join(', ')}` }).nullish())
  .describe('Audio format.');

const input = text.regex(/\S/, { error: 'a text with at least one visible character' }).describe('Text to speak.');
const voiceName = text.describe('Name of a voice; empty or `default` for the voice of the model.');

/** As in C, a format that is unknown is none. */
export const defaultFormat = 'mp3';
const tolerantFormat = responseFormat.catch(defaultFormat);

export const speechBody = z.object({
  model: text.nullish().describe('Name of the model.'),
  input,
  voice: z
    .union([voiceName, z.object({ id: voiceName })], { error: 'a text, or an object with an id,' })
    .nullish()
    .describe('Name of a voice, or an object with its `id`.'),
  response_format: responseFormat,
  speed: jsonNumber(speedRange).nullish().describe('Speaking rate; above 1 is faster, at the same pitch.'),
  stream_format: z
    .enum(['audio', 'sse'], { error: 'audio or sse' })
    .nullish()
    .describe('`audio` for bytes, `sse` for server-sent events.'),
  instructions: text
    .nullish()
    .describe(
      'Style of the speech in words, such as `calm and slow`. VoxCPM 2 only, and not with a voice that has a transcript.',
    ),
  prompt_wav_path: text.nullish().describe('Path of a recording on the server to clone.'),
  prompt_text: text.nullish().describe('Transcript of that recording.'),
  min_length: jsonNumber(ranges.minLength).nullish().describe('Minimum length in patches.'),
  max_length: jsonNumber(ranges.maxLength)
    .nullish()
    .describe('Maximum length in patches, for each part of a long text.'),
  cfg_value: jsonNumber(ranges.cfg).nullish().describe('Guidance scale; higher follows text and voice more closely.'),
  inference_timesteps: jsonNumber(ranges.timesteps)
    .nullish()
    .describe('Flow-matching steps; more are finer and slower.'),
  seed: jsonNumber(ranges.seed).nullish().describe('Random seed; the same seed gives the same audio.'),
  retry_badcase: jsonBoolean
    .nullish()
    .describe('Regenerate parts that run far too long. Audio is then sent part by part.'),
  normalize: jsonBoolean.nullish().describe('Read out numbers, dates, units and abbreviations.'),
  sample_rate: jsonNumber(sampleRateRange)
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
  speed: formNumber(speedRange).describe('Speaking rate; above 1 is faster, at the same pitch.'),
  prompt_text: text.optional().describe('Transcript of the uploaded recording.'),
  min_len: formNumber(ranges.minLength).describe('Minimum length in patches.'),
  max_len: formNumber(ranges.maxLength).describe('Maximum length in patches.'),
  cfg_value: formNumber(ranges.cfg).describe('Guidance scale.'),
  inference_timesteps: formNumber(ranges.timesteps).describe('Flow-matching steps.'),
  seed: formNumber(ranges.seed).describe('Random seed.'),
  retry_badcase: formBoolean.describe('Regenerate parts that run far too long.'),
  normalize: formBoolean.describe('Read out numbers, dates, units and abbreviations.'),
  sample_rate: formNumber(sampleRateRange).describe('Sample rate in Hz.'),
});

export type TtsForm = Readonly<z.output<typeof ttsForm>>;

export const cancelBody = z.object({
  job_id: z
    .union([z.int(), z.string()], { error: 'the number of a job or the id of a request' })
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
