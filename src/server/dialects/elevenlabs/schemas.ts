/** Requests and answers of ElevenLabs' API. */
import { z } from 'zod';
import { ranges, schemaOf } from '../../../engine/request-fields.ts';
import { spokenText } from '../../../engine/script/turns.ts';
import { numberIn, oneOf, type Range, text, truth } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import type { WithUnknown } from '../../http/unknown-fields.ts';
import { describeSpeed, formNumber, ttsForm } from '../../schemas/speech.ts';
import { voiceRecord } from '../../schemas/voices.ts';
import { alignment } from './alignment.ts';
import { defaultOutputFormat, outputFormat } from './output-format.ts';

const normalizations = ['auto', 'on', 'off'] as const;

/** As our field `normalize`; undefined leaves it to the server and the model. */
export const normalizeOf = (given: (typeof normalizations)[number] | null | undefined): boolean | undefined =>
  given === 'on' ? true : given === 'off' ? false : undefined;

export const normalization = oneOf(normalizations)
  .nullish()
  .describe('`on` reads out numbers, dates, units, and abbreviations; `auto` and `off` leave them to the model.');

const unused = z.unknown().optional().describe('Has no effect.');

export const voiceSettings = z
  .looseObject({
    speed: numberIn(ranges.speed).nullish().meta(describeSpeed),
    ...{ stability: unused, similarity_boost: unused, style: unused, use_speaker_boost: unused },
    clone_strength: unused,
  })
  .nullish()
  .describe('Settings of the voice; only `speed` has an effect.');

const modelId = text
  .nullish()
  .describe('Model name or alias; names of ElevenLabs (`eleven_…`) are the first model unless they are aliases.');

/** The name for `ServedModels.resolve`; undefined for the first model, as ElevenLabs' clients always name one of its models. */
export function chooseModel({ models }: ServerContext, name: string | null | undefined): string | undefined {
  if (name === undefined || name === null) return undefined;
  return models.find(name) ?? (/^eleven_/.test(name) ? undefined : name);
}

export const elevenlabsBody = z.object({
  text: spokenText.describe('Text to speak, up to 65,536 characters.'),
  model_id: modelId,
  voice_settings: voiceSettings,
  seed: schemaOf('seed').nullish().describe('The same seed gives the same audio.'),
  apply_text_normalization: normalization,
  lora: schemaOf('lora').nullish().describe('Name of a LoRA adapter, which ElevenLabs does not have.'),
  language_code: text.nullish().describe('Language of the text, in which numbers are read, such as `de`.'),
  ...{ previous_text: unused, next_text: unused, previous_request_ids: unused, next_request_ids: unused },
  ...{ pronunciation_dictionary_locators: unused, apply_language_text_normalization: unused },
  ...{ use_pvc_as_ivc: unused, audio_effects: unused },
});

export type ElevenlabsBody = z.output<typeof elevenlabsBody>;

const describedTurns = 'an array of turns, each with text and voice_id';

export const dialogueBody = z.object({
  inputs: z
    .array(
      z.strictObject({
        text: spokenText.describe('Text of the turn.'),
        voice_id: text.describe('Voice name, or `default` for the model’s own voice.'),
      }),
      { error: describedTurns },
    )
    .min(1, { error: describedTurns })
    .describe('The turns, in order; their texts have up to 65,536 characters together.'),
  ...elevenlabsBody.omit({ text: true, voice_settings: true }).shape,
  settings: z.looseObject({ stability: unused }).nullish().describe('Has no effect.'),
  future_text: unused,
});

export const elevenlabsQuery = z.object({
  output_format: outputFormat.optional().meta({
    description: 'Codec, sample rate in Hz, and bit rate in kbit/s.',
    default: defaultOutputFormat,
  }),
});

export const silentParameters: readonly string[] = ['enable_logging', 'optimize_streaming_latency'];

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

const list = new Intl.ListFormat('en', { type: 'disjunction' });

/** Fields that were given and have no effect, as one warning. @param group what the client calls `voice_settings` */
export function warnOfUnused(body: object, used: readonly string[], group = 'voice_settings'): readonly string[] {
  const { voice_settings, ...fields } = body as Readonly<Record<string, unknown>>;
  const names = [
    ...Object.entries((voice_settings ?? {}) as object).map(([name, value]) => [`${group}.${name}`, value] as const),
    ...Object.entries(fields),
  ].flatMap(([name, value]) => (isGiven(value) && !used.includes(name) ? [name] : []));
  if (names.length === 0) return [];
  return [`VoxCPM has no ${list.format(names)}; ${names.length === 1 ? 'it is' : 'they are'} ignored`];
}

export const timedAnswer = z.object({
  audio_base64: z.string().describe('Audio in base64.'),
  alignment: alignment.nullable().describe('Times of each character, from the beginning of the speech.'),
  normalized_alignment: alignment.nullable().describe('Same as `alignment`.'),
});

const pageSize: Range = { kind: 'integer', minimum: 1, maximum: 1000 };

export const voiceSearchQuery = z.object({
  search: text.optional().describe('Part of a voice name, in any case.'),
  category: oneOf(['premade', 'cloned']).optional().describe('`premade` for voices that come with the server.'),
  voice_ids: z
    .union([text, z.array(text)], { error: 'names of voices' })
    .optional()
    .describe('Only these voices; may be repeated.'),
  page_size: formNumber(pageSize).describe('Voices of a page; by default, all.'),
  next_page_token: text
    .regex(/^\d{0,9}$/, { error: 'the token of another answer' })
    .optional()
    .describe('Of the answer with the page before.'),
});

export const foundVoices = z.object({
  voices: z.array(voiceRecord),
  has_more: z.boolean().describe('Whether there is another page.'),
  total_count: z.int().describe('Number of voices.'),
  next_page_token: z.string().nullable().describe('For the next page; `null` on the last.'),
});

const flag = z
  .string()
  .optional()
  .transform((value) => /^(true|1)$/i.test(value ?? ''));

const inactivity: Range = { kind: 'number', minimum: 1, maximum: 180 };

export const streamQuery = elevenlabsQuery.extend({
  model_id: modelId,
  seed: ttsForm.shape.seed,
  apply_text_normalization: normalization,
  /** Whether each message is a complete sentence or phrase, which needs no flush. */
  auto_mode: flag,
  /** Whether alignments count from the beginning of the speech, not of the message. */
  sync_alignment: flag,
  /** Seconds without a message or audio after which the connection is closed. */
  inactivity_timeout: formNumber(inactivity),
  language_code: elevenlabsBody.shape.language_code,
  enable_ssml_parsing: flag,
  apply_language_text_normalization: flag,
});

export type StreamQuery = WithUnknown<z.output<typeof streamQuery>>;

export const streamMessage = z.object({
  text: text.nullish(),
  flush: truth.nullish(),
  voice_settings: voiceSettings,
  pronunciation_dictionary_locators: unused,
  xi_api_key: text.nullish(),
  'xi-api-key': text.nullish(),
  authorization: text.nullish(),
  context_id: text.nullish(),
  close_context: truth.nullish(),
  close_socket: truth.nullish(),
});

export type StreamMessage = WithUnknown<z.output<typeof streamMessage>>;

/** Fields of messages about when text is spoken, which is always as early as it can be. */
export const silentMessageFields: readonly string[] = ['generation_config', 'try_trigger_generation'];
