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
  .describe('Format of the audio.');

const input = text.regex(/\S/, { error: 'a text with at least one visible character' }).describe('What to say.');
const voiceName = text.describe('A voice; empty or `default` for the voice of the model itself.');

/** As in C, a format that is unknown is none. */
export const defaultFormat = 'mp3';
const tolerantFormat = responseFormat.catch(defaultFormat);

export const speechBody = z.object({
  model: text.nullish().describe('Name of the model.'),
  input,
  voice: z.union([voiceName, z.object({ id: voiceName })], { error: 'a text, or an object with an id,' }).nullish(),
  response_format: responseFormat,
  speed: jsonNumber(speedRange).nullish().describe('Above 1 is faster; the pitch stays.'),
  stream_format: z
    .enum(['audio', 'sse'], { error: 'audio or sse' })
    .nullish()
    .describe('Audio bytes, or server-sent events.'),
  instructions: text.nullish().describe('How to speak, in words. VoxCPM 2, with a voice that is no prompt.'),
  prompt_wav_path: text.nullish().describe('A recording on the server that the speech continues.'),
  prompt_text: text.nullish().describe('What is said in it.'),
  min_length: jsonNumber(ranges.minLength).nullish().describe('Patches before the model may stop.'),
  max_length: jsonNumber(ranges.maxLength).nullish().describe('Most patches of a part of the text.'),
  cfg_value: jsonNumber(ranges.cfg).nullish().describe('Guidance.'),
  inference_timesteps: jsonNumber(ranges.timesteps).nullish().describe('Euler steps of a patch.'),
  seed: jsonNumber(ranges.seed).nullish().describe('The same seed gives the same audio.'),
  retry_badcase: jsonBoolean
    .nullish()
    .describe('Make a part that babbles again; its audio is then sent part by part, not patch by patch.'),
  normalize: jsonBoolean.nullish().describe('Read numbers, dates, units and abbreviations out.'),
  sample_rate: jsonNumber(sampleRateRange).nullish().describe("Rate of the audio; the model's when left out."),
});

export const speechQuery = z.object({
  events: z
    .enum(sseDialects, { error: sseDialects.join(' or ') })
    .optional()
    .describe('Names of server-sent events.'),
});

export type SpeechBody = Readonly<z.output<typeof speechBody>>;

export const ttsForm = z.object({
  model: text.optional(),
  input,
  voice: voiceName.optional(),
  response_format: tolerantFormat,
  speed: formNumber(speedRange),
  prompt_text: text.optional().describe('What is said in the uploaded recording.'),
  min_len: formNumber(ranges.minLength),
  max_len: formNumber(ranges.maxLength),
  cfg_value: formNumber(ranges.cfg),
  inference_timesteps: formNumber(ranges.timesteps),
  seed: formNumber(ranges.seed),
  retry_badcase: formBoolean,
  normalize: formBoolean,
  sample_rate: formNumber(sampleRateRange),
});

export type TtsForm = Readonly<z.output<typeof ttsForm>>;

export const cancelBody = z.object({
  job_id: z
    .union([z.int(), z.string()], { error: 'the number of a job or the id of a request' })
    .nullish()
    .describe('`X-Job-Id` or `X-Request-Id` of the answer; all jobs when left out.'),
});

export const cancelAnswer = z.object({ status: z.string(), message: z.string(), cancelled: z.array(z.int()) });

export const playbackAnswer = z.object({
  status: z.string(),
  message: z.string(),
  job_id: z.int(),
  chunks_played: z.int(),
  duration_seconds: z.number(),
});
