/** Speech and voices at the addresses of ElevenLabs. */

import type { Request, Response } from 'express';
import { z } from 'zod';
import { asLanguage } from '../../../engine/request-fields.ts';
import { SvcError } from '../../../errors.ts';
import { parse } from '../../../validation.ts';
import { clientSignal } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import { parseKnown, type UnknownFields, warnOfUnknown } from '../../http/unknown-fields.ts';
import { warningFields } from '../../http/warning-fields.ts';
import { withJobFor } from '../../jobs/jobs.ts';
import { withModel } from '../../jobs/model-context.ts';
import { jsonBody } from '../../middleware/bodies.ts';
import type { Answer, Contents, Operation } from '../../openapi/operation.ts';
import { audioContents, audioHeaders } from '../../routes/speech.ts';
import { listed } from '../../routes/voices.ts';
import { type SpeechBody, speechBody } from '../../schemas/speech.ts';
import type { TimestampLevel } from '../../schemas/timestamps.ts';
import { voiceExample } from '../../schemas/voices.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { type Delivery, sendSpeech } from '../../speech/send-audio.ts';
import { alignedLines, alignedObject } from './aligned-speech.ts';
import { chooseModel } from './choose-model.ts';
import { defaultOutputFormat, readOutputFormat } from './output-format.ts';
import {
  dialogueBody,
  type ElevenlabsBody,
  elevenlabsBody,
  elevenlabsQuery,
  foundVoices,
  normalizeOf,
  silentParameters,
  timedAnswer,
  voiceSearchQuery,
  warnOfUnused,
} from './schemas.ts';

const aligned = {
  characters: ['H', 'i', '.'],
  character_start_times_seconds: [0.08, 0.2, 0.32],
  character_end_times_seconds: [0.2, 0.32, 0.44],
};
const timedExample = { audio_base64: 'SUQzBAAAAAAA…', alignment: aligned, normalized_alignment: aligned };

const binary = z.string().meta({ format: 'binary' });
/** With those of `ulaw_8000` and `alaw_8000`. */
const elevenlabsContents: Contents = { ...audioContents, 'audio/basic': binary, 'audio/PCMA': binary };

/** Fields of the body with an effect. */
const used = [
  'text',
  'model_id',
  'seed',
  'language_code',
  'apply_text_normalization',
  'lora',
  'voice_settings.speed',
] as const;

type SpeechDelivery = Pick<Delivery, 'form' | 'stream'>;

export function speechOperations(context: ServerContext): readonly Operation[] {
  const speech = (
    path: string,
    texts: Pick<Operation, 'summary' | 'description'>,
    delivery: SpeechDelivery,
  ): Operation => ({
    method: 'post',
    path: `/v1/text-to-speech/:voice${path}`,
    tag: 'speech',
    ...texts,
    query: elevenlabsQuery,
    body: { 'application/json': elevenlabsBody },
    examples: { 'application/json': { text: 'Hello there.' }, query: { output_format: defaultOutputFormat } },
    answers: { 200: answerOf(delivery) },
    failures: [404, 413, 422, 429, 503],
    handlers: [...jsonBody(context), (request, response) => speak(context, request, response, delivery)],
  });
  const dialogue = (
    path: string,
    texts: Pick<Operation, 'summary' | 'description'>,
    delivery: SpeechDelivery,
  ): Operation => ({
    ...speech('', texts, delivery),
    path: `/v1/text-to-dialogue${path}`,
    body: { 'application/json': dialogueBody },
    examples: {
      'application/json': { inputs: [{ text: 'Good evening!', voice_id: 'default' }] },
      query: { output_format: defaultOutputFormat },
    },
    handlers: [...jsonBody(context), (request, response) => speak(context, request, response, delivery, dialogueOf)],
  });
  return [
    dialogue(
      '',
      {
        summary: 'Generate a dialogue as a complete file.',
        description: 'Compatible with ElevenLabs: turns of several voices. The file is sent when it is complete.',
      },
      { stream: false },
    ),
    dialogue(
      '/stream',
      {
        summary: 'Generate a dialogue as a stream.',
        description: 'Compatible with ElevenLabs: turns of several voices. Audio is sent while it is generated.',
      },
      { stream: true },
    ),
    speech(
      '',
      {
        summary: 'Generate speech as a complete file.',
        description: 'Compatible with ElevenLabs. The file is sent when it is complete, with its length.',
      },
      { stream: false },
    ),
    speech(
      '/stream',
      {
        summary: 'Generate speech as a stream.',
        description: 'Compatible with ElevenLabs. Audio is sent while it is generated.',
      },
      { stream: true },
    ),
    speech(
      '/with-timestamps',
      {
        summary: 'Generate speech with the times of its characters.',
        description: 'Compatible with ElevenLabs. Sends one JSON object with a complete file.',
      },
      { form: alignedObject },
    ),
    speech(
      '/stream/with-timestamps',
      {
        summary: 'Generate speech as a stream with the times of its characters.',
        description:
          'Compatible with ElevenLabs. Sends a line of JSON for each part of the text; the audio of all lines is one file.',
      },
      { form: alignedLines },
    ),
    voiceSearchOperation(context),
  ];
}

/** A list of voices by page. */
const voiceSearchOperation = (context: ServerContext): Operation => ({
  method: 'get',
  path: '/v2/voices',
  tag: 'voices',
  summary: 'List voices by page.',
  description:
    'Compatible with ElevenLabs: `GET /v1/voices` with a search and pages, and with `default`, the voice of the model itself. Without `page_size`, all voices are on one page.',
  query: voiceSearchQuery,
  answers: {
    200: {
      description: 'The voices.',
      contents: { 'application/json': foundVoices },
      example: { voices: [voiceExample], has_more: false, total_count: 1, next_page_token: null },
    },
  },
  handlers: [
    async (request, response) => {
      const query = parseKnown(voiceSearchQuery, request.query, { others: ['include_total_count'] });
      const warnings = warnOfUnknown(query.unknownFields, context.settings);
      const { search = '', category, voice_ids, page_size, next_page_token: token } = query;
      const ids = voice_ids === undefined ? undefined : [voice_ids].flat();
      const found = (await listed(context, response, 'with own')).filter(
        (voice) =>
          voice.id.toLowerCase().includes(search.toLowerCase()) &&
          (category === undefined || voice.category === category) &&
          (ids === undefined || ids.includes(voice.id)),
      );
      const start = token === undefined || token === '' ? 0 : Number(token);
      const end = page_size ? start + page_size : found.length;
      const hasMore = end < found.length;
      response.set(warningFields(warnings)).json({
        voices: found.slice(start, end),
        has_more: hasMore,
        total_count: found.length,
        next_page_token: hasMore ? String(end) : null,
      });
    },
  ],
});

function answerOf({ form }: SpeechDelivery): Answer {
  const description = 'The speech. An error after the first audio ends the connection.';
  if (form === undefined) return { description, contents: elevenlabsContents, headers: audioHeaders };
  return { description, contents: { [form.contentType]: timedAnswer }, example: timedExample, headers: audioHeaders };
}

async function speak(
  context: ServerContext,
  request: Request,
  response: Response,
  delivery: SpeechDelivery,
  read: ReadBody = textOf,
): Promise<void> {
  const { body, input, unknownFields, unused } = read(request, delivery.form === undefined ? 'none' : 'word');
  const { unknownFields: unknownParameters, ...query } = parseKnown(elevenlabsQuery, request.query, {
    others: silentParameters,
  });
  const { format, rate, coding, contentType } = readOutputFormat(query.output_format ?? defaultOutputFormat);
  const model = chooseModel(context, body.model_id);
  await withModel(context, { model }, request, response, async (context) => {
    const signal = clientSignal(request, response);
    const stated = { ...input, unknownFields };
    const accepted = await inText(() => acceptJson(context, stated, { output: { format, rate }, signal }));
    const warnings = [...accepted.warnings, ...warnOfUnknown(unknownParameters, context.settings), ...unused];
    const sent = { ...delivery, accepted: { ...accepted, warnings }, format, coding, contentType };
    await withJobFor(context, accepted, request, response, (job) => sendSpeech(context, response, sent, job));
  });
}

interface ReadRequest {
  readonly body: { readonly model_id?: string | null | undefined };
  /** The same request to the public API. */
  readonly input: SpeechBody;
  readonly unknownFields: UnknownFields | undefined;
  /** About fields without effect. */
  readonly unused: readonly string[];
}

type ReadBody = (request: Request, timestamps: TimestampLevel) => ReadRequest;

const textOf: ReadBody = ({ body: given, params }, timestamps) => {
  const { unknownFields, ...body } = parseKnown(elevenlabsBody, given ?? {});
  const input = speechOf(body, String(params.voice), timestamps);
  return { body, input, unknownFields, unused: warnOfUnused(body, used) };
};

const dialogueOf: ReadBody = ({ body: given }, timestamps) => {
  const { unknownFields, ...body } = parseKnown(dialogueBody, given ?? {});
  const { inputs, seed, apply_text_normalization, language_code, lora, settings, ...rest } = body;
  const input = parse(speechBody, {
    input: inputs.map(({ text, voice_id: voice }) => ({ text, voice })),
    seed,
    lora,
    language: asLanguage(language_code),
    normalize: normalizeOf(apply_text_normalization),
    timestamps,
  });
  return { body, input, unknownFields, unused: warnOfUnused({ ...rest, voice_settings: settings }, used, 'settings') };
};

/** The same request to the public API. */
const speechOf = (
  { text, seed, voice_settings, apply_text_normalization, language_code, lora }: ElevenlabsBody,
  voice: string,
  timestamps: TimestampLevel,
): SpeechBody =>
  parse(speechBody, {
    input: text,
    voice,
    seed,
    lora,
    speed: voice_settings?.speed,
    language: asLanguage(language_code),
    normalize: normalizeOf(apply_text_normalization),
    timestamps,
  });

/** Errors about the text name its field here. */
async function inText<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError) || error.param !== 'input') throw error;
    throw new SvcError(error.code, error.message.replace(/^input\b/, 'text'), { param: 'text', cause: error.cause });
  }
}
