/** Requests for speech: one schema for JSON, and one for forms and queries, where numbers are strings. */
import { z } from 'zod';
import { audioFormatNames } from '../../audio/encode/format.ts';
import { liveFormats } from '../../engine/live/live-request.ts';
import { languageSources } from '../../engine/plan/preview.ts';
import {
  type Field,
  type FieldName,
  type FieldNames,
  ranges,
  recordingFields,
  requestFields,
  schemaOf,
  shapeOf,
} from '../../engine/request-fields.ts';
import { turnFormats } from '../../engine/script/input-formats.ts';
import { describeTurn, listOf, spokenText, turnPause } from '../../engine/script/turns.ts';
import { transcript, voicesOf } from '../../engine/voice-fields.ts';
import { attempt } from '../../errors.ts';
import { keepAliveField } from '../../model-pool/keep-alive.ts';
import { numberIn, oneOf, path, type Range, readTruth, text, truth, truthOrAuto } from '../../validation.ts';
import { sseDialects } from '../http/sse-dialects.ts';
import type { WithUnknown } from '../http/unknown-fields.ts';
import { encodedRecording } from './encoded-recording.ts';
import { respellings } from './respellings.ts';
import { speechTimestamps, timestampLevels } from './timestamps.ts';

const sampleRateRange: Range = { kind: 'integer', minimum: 8_000, maximum: 48_000 };
const sampleRateHelp = 'Sample rate in Hz; the default depends on the format and the model.';
export const describeSpeed = {
  description: 'Speed, at the same pitch; 2 is twice as fast.',
  default: ranges.speed.default,
};

const adapterNames = { lora: 'lora', loraWeight: 'lora_weight' } as const satisfies FieldNames;

const commonNames = {
  cfg: 'cfg_value',
  timesteps: 'inference_timesteps',
  seed: 'seed',
  retryBadcase: 'retry_badcase',
  retryBadcaseMaxTimes: 'retry_badcase_max_times',
  retryBadcaseRatioThreshold: 'retry_badcase_ratio_threshold',
  retryShort: 'retry_short',
  retryClipped: 'retry_clipped',
  maxWordErrors: 'max_word_errors',
  trimSilence: 'trim_silence_vad',
  continueBy: 'continue_by',
  language: 'language',
  normalize: 'normalize',
  inputFormat: 'input_format',
  readCode: 'read_code',
} as const satisfies FieldNames;

export const bodyNames = {
  control: 'instructions',
  ...adapterNames,
  minLength: 'min_length',
  maxLength: 'max_length',
  ...commonNames,
  firstClause: 'first_clause',
} as const satisfies FieldNames;

export const formNames = {
  ...adapterNames,
  minLength: 'min_len',
  maxLength: 'max_len',
  ...commonNames,
} as const satisfies FieldNames;

/** Converts a form's string to a number or boolean; an empty field counts as omitted. */
function unwrapped(schema: z.ZodType): z.ZodType {
  const isTruth = schema === truth || schema === truthOrAuto;
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    if (value === '') return undefined;
    if (isTruth) return readTruth(value) ?? value;
    return readNumber(value);
  }, schema.nullish());
}

/** Numbers in strings, such as `"1.0"`, which the public API accepts in JSON. */
const readNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value.trim()) ? Number(value) : value;

const jsonNumber = (range: Range) =>
  z.preprocess(readNumber, numberIn(range).nullish()) as unknown as z.ZodType<number | null | undefined>;

export const formNumber = (range: Range) => unwrapped(numberIn(range)) as z.ZodType<number | null | undefined>;

const asSentence = (help: string): string => `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;

const describeField = (name: FieldName): { readonly description: string; readonly default?: unknown } => {
  const { help, ...field } = requestFields[name];
  const description = asSentence(help);
  return 'default' in field && name !== 'retryBadcase' ? { description, default: field.default } : { description };
};

const describeDenoise = {
  description: asSentence(recordingFields.denoise.help),
  default: recordingFields.denoise.default,
};
export const denoiseField = truth.nullish().meta(describeDenoise);
export const formTruth = unwrapped(truth) as z.ZodType<boolean | null | undefined>;
export const formDenoise = formTruth.meta(describeDenoise);

const bodyShape = shapeOf(bodyNames, (name) => {
  const field: Field = requestFields[name];
  const isNumber = field.kind === 'number' || field.kind === 'integer';
  return (isNumber ? jsonNumber(field) : schemaOf(name).nullish()).meta(describeField(name));
});
const formShape = shapeOf(formNames, (name) => unwrapped(schemaOf(name)).meta(describeField(name)));

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() || undefined : value);
const responseFormat = z
  .preprocess(lowerCase, oneOf(audioFormatNames).nullish())
  .describe('Audio format; `pcm` is 16-bit little-endian mono without a header.');

export const keepAliveHelp =
  'How long the model stays loaded after the request, such as `10m`, or seconds; `0` unloads it at once, `-1` never. No effect on a model that is always loaded.';

const voiceName = text.describe(
  'Voice name; empty or `default` for the model’s own voice. A mix such as `anna(2)+ben(1)` needs VoxCPM 2.',
);

/** A voice by another name. Kokoro-FastAPI's has a pace. */
const voiceAlias = z.union([voiceName, z.strictObject({ voice: voiceName, rate: z.number().nullish() })], {
  error: 'the name of a voice',
});
const loraName = text.nullish().describe('Same as `lora`, for clients of nano-vLLM.');
const script = spokenText.describe(
  'Text to speak, up to 65,536 characters: plain text, or a script of the kind that `input_format` states.',
);

const turn = z
  .strictObject(
    {
      text: spokenText.describe('Text of the turn, of the kind that `format` states.'),
      voice: text.nullish().describe('Name of a voice, or one of `voices`; by default, the voice of the request.'),
      pause: turnPause.nullish().describe('Silence after the turn, in seconds.'),
      format: oneOf(turnFormats).nullish().describe('Format of the text; by default, `input_format`, else `plain`.'),
    },
    { error: describeTurn },
  )
  .describe('One turn of a dialogue.');

const scriptOrTurns = z
  .union([script, listOf(turn)], { error: 'a string with at least one visible character, or an array of turns' })
  .meta({
    description:
      'Text to speak, up to 65,536 characters: plain text, or a script of the kind that `input_format` states; or a dialogue as an array of turns.',
    examples: [
      'Hello there.',
      'One moment. [pause:1.5s] [voice:anna] Good evening!',
      [{ voice: 'anna', text: 'Good evening!', pause: 0.5 }, { text: 'Hello.' }],
    ],
  });

export type ScriptInput = z.output<typeof scriptOrTurns>;

/** Also for unknown formats, as in VoxCPM-ONNX. */
export const defaultFormat = 'mp3';
const tolerantFormat = responseFormat.catch(defaultFormat);

const streamHelp =
  '`false` for a complete file with its length, `true` for audio while it is generated, also for a short WAV or FLAC, which by default is complete if that takes at most 2 seconds.';

/** As in VoxCPMANE 2. */
export const voiceModes = ['reference', 'reference_plus_prompt', 'high_similarity'] as const;

export const speechBody = z.object({
  model: text
    .nullish()
    .describe(
      'Model name or alias. A server with a single model takes any, unless it was started with `--model-name`.',
    ),
  keep_alive: keepAliveField.nullish().describe(keepAliveHelp),
  input: scriptOrTurns,
  voice: z
    .union([voiceName, z.strictObject({ id: voiceName })], { error: 'a string or an object with an id' })
    .nullish()
    .describe('Voice name, or an object with it as `id`; by default, the model’s own voice.'),
  speaker: text.nullish().describe('Same as `voice`, for clients of vLLM-Omni.'),
  response_format: responseFormat,
  speed: jsonNumber(ranges.speed).meta(describeSpeed),
  stream_format: oneOf(['audio', 'sse', 'json'])
    .nullish()
    .describe(
      '`audio` (the default) for the bytes of a file, `sse` for server-sent events, `json` for an object with the file and its timestamps.',
    ),
  stream: truth.nullish().describe(streamHelp),
  timestamps: oneOf(timestampLevels).nullish().meta({
    description:
      'Times of each sentence or word, in server-sent events or a JSON object (`stream_format`). Audio is then sent part by part.',
    default: 'none',
  }),
  prompt_wav_path: path
    .nullish()
    .describe('Recording on the server to clone, in place of `voice`: a path in its voice folder (`--voice-dir`).'),
  prompt_text: transcript.nullish().describe('Transcript of that recording, or of `prompt_audio`.'),
  reference_wav_path: path
    .nullish()
    .describe(
      'Recording on the server whose timbre is taken, in place of `voice` (VoxCPM 2); may be combined with `prompt_wav_path`.',
    ),
  voice_mode: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim().replaceAll('-', '_') || undefined : value),
      oneOf(voiceModes).nullish(),
    )
    .describe(
      'How `voice` is used (VoxCPM 2): `reference` takes its timbre alone, `high_similarity` continues its recording, `reference_plus_prompt` takes its timbre and continues `prompt_wav_path`; by default, as the voice was added.',
    ),
  prompt_audio: encodedRecording.meta({
    description:
      'Recording to continue, up to 25 MiB: base64 or a data URL. Needs `prompt_text`; with `ref_audio`, which then sets the timbre, it needs VoxCPM 2. Takes precedence over `voice`.',
  }),
  ref_audio: encodedRecording,
  ref_text: transcript.nullish().describe('Transcript of `ref_audio`; without it, VoxCPM 2 takes only the timbre.'),
  x_vector_only_mode: truth.nullish().describe('Take only the timbre of `ref_audio`: ignore `ref_text`.'),
  denoise: denoiseField,
  ...bodyShape,
  control_instruction: schemaOf('control').nullish().describe('Same as `instructions`, for clients of VoxCPMANE 2.'),
  lora_name: loraName,
  volume_multiplier: jsonNumber(ranges.volume).meta({
    description: 'Factor of the amplitude, for clients of Kokoro-FastAPI. Louder samples are clipped.',
    default: ranges.volume.default,
  }),
  allow_voice_tags: truth.nullish().meta({
    description: 'Same as `"input_format": "script"`, for clients of Kokoro-FastAPI.',
    default: false,
  }),
  ssml: truth.nullish().meta({
    description: 'Same as `"input_format": "ssml"`, for clients of Kokoro-FastAPI.',
    default: false,
  }),
  voice_aliases: voicesOf(voiceAlias)
    .nullish()
    .meta({
      description:
        'Short names of voices, for `voice` and, with `allow_voice_tags`, tags, whatever the case of letters; for clients of Kokoro-FastAPI.',
      examples: [{ narrator: 'anna(2)+ben' }],
    }),
  voices: voicesOf(voiceName)
    .meta({ additionalProperties: { type: 'string' } })
    .nullish()
    .meta({
      description: 'Voice names by the names that a script uses, for lines such as `Anna: Hello.`',
      examples: [{ Anna: 'anna', Ben: 'ben' }],
    }),
  lexicon: respellings.nullish().meta({
    description: 'Respellings by the words that they replace; a word in lower case matches any case.',
    examples: [{ gif: 'jif', 重庆: '{chong2}庆' }],
  }),
  sample_rate: jsonNumber(sampleRateRange).describe(sampleRateHelp),
});

export const speechObject = z.object({
  audio_format: z.string().describe('Content type of the audio.'),
  sample_rate: z.int().describe('Sample rate of the audio, in Hz.'),
  seed: z.int().describe('Seed of the speech, to generate the same audio again.'),
  audio: z.string().describe('The file, in base64.'),
  timestamps: speechTimestamps.optional().describe('As in the file of the official `--timestamps`.'),
  warnings: z.array(z.string()).describe('How the speech differs from the request.'),
});

export const speechQuery = z.object({
  events: z
    .enum(sseDialects, { error: sseDialects.join(' or ') })
    .optional()
    .describe('Server-sent events of the OpenAI API (`public`) or of VoxCPM.cpp (`native`).'),
});

export type SpeechBody = WithUnknown<Readonly<z.output<typeof speechBody>>>;

const liveFormat = oneOf(liveFormats).nullish().meta(describeField('inputFormat'));

/** Speech whose text is still being written: the same fields, without the text and the form of an HTTP answer. */
export const liveBody = speechBody
  .omit({ input: true, stream_format: true, stream: true, timestamps: true, ssml: true })
  .extend({ input_format: liveFormat as typeof speechBody.shape.input_format });

/** A value of a query: a string, or the JSON of another value. */
const inQuery = (schema: z.ZodType): z.ZodType =>
  z.preprocess((value) => {
    if (typeof value !== 'string' || schema.safeParse(value).success) return value;
    const read: unknown = attempt(() => JSON.parse(value));
    return read === undefined ? value : read;
  }, schema);

const { input: _, ssml: _s, ...queryShape } = { ...speechBody.shape, input_format: liveBody.shape.input_format };

export const textQuery = z.object(
  Object.fromEntries(Object.entries(queryShape).map(([name, schema]) => [name, inQuery(schema)])) as typeof queryShape,
);

export type LiveBody = WithUnknown<Readonly<z.output<typeof liveBody>>>;

export const ttsForm = z.object({
  model: text.optional().describe('Model name or alias; unknown names are ignored.'),
  keep_alive: (unwrapped(keepAliveField) as z.ZodType<string | number | null | undefined>).describe(keepAliveHelp),
  input: script,
  voice: voiceName.optional(),
  response_format: tolerantFormat,
  speed: formNumber(ranges.speed).meta(describeSpeed),
  stream: formTruth.describe(streamHelp),
  prompt_text: transcript.optional().describe('Transcript of the uploaded recording.'),
  denoise: formDenoise,
  ...formShape,
  lora_name: loraName,
  voices: text.optional().describe('Voices by the names that a script uses, as in `Anna=anna,Ben=ben`.'),
  lexicon: text.optional().describe('Pronunciations: lines such as `gif = jif`, or a PLS document.'),
  sample_rate: formNumber(sampleRateRange).describe(sampleRateHelp),
});

export type TtsForm = WithUnknown<Readonly<z.output<typeof ttsForm>>>;

/** Strict: a misspelled `job_id` must not cancel the requests of others. */
export const cancelBody = z.strictObject({
  job_id: z
    .union([z.int(), z.string()], { error: 'a job number or a request id' })
    .nullish()
    .describe('`X-Job-Id` or `X-Request-Id` of the request; all requests of the API key if left out.'),
});

export const cancelAnswer = z.object({
  status: z.string().describe('`success`.'),
  message: z.string().describe('The same in words.'),
  cancelled: z.array(z.int()).describe('Numbers of the canceled requests.'),
});

const passagePreview = z.object({
  language: z
    .string()
    .nullable()
    .describe('Language in which numbers are read; `null` if unknown, or if nothing is read out.'),
  language_by: z
    .enum(languageSources)
    .describe(
      'How it was found: `stated` by the request or its script, by the `voice`, `detected` from the words, that of the `document` or the server, of `neighbours`, or the only one of the `model` in these letters; else `none`.',
    ),
  written: z.string().describe('As in `input`, with its mark-up.'),
  spoken: z.string().describe('As the model gets it.'),
  style: z.string().nullable().describe('Style in parentheses in front of it, which the model gets as instructions.'),
  voice: z.string().nullable().describe('Name of its voice in a script.'),
  left_out: z.array(z.string()).describe('What of the written text is not spoken, such as mark-up and emoji.'),
  unreadable: z
    .array(z.string())
    .nullable()
    .describe('Letters and signs that the model cannot read; `null` if a worker speaks, as only it knows.'),
});

export const previewAnswer = z.object({
  model: z.string().describe('Name of the model.'),
  normalize: z.boolean().describe('Whether numbers, dates and units are read out as words.'),
  passages: z.array(passagePreview).describe('What the model speaks in one piece each; none for a text without words.'),
  warnings: z.array(z.string()).describe('How the speech would differ from the request.'),
});
