/** Speech and voices at the addresses of ElevenLabs. */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { asLanguage } from '../../../engine/request-fields.ts';
import { SvcError } from '../../../errors.ts';
import { parse } from '../../../validation.ts';
import type { ServerContext } from '../../context/context.ts';
import { parseKnown, type UnknownFields, warnOfUnknown } from '../../http/unknown-fields.ts';
import { warningFields } from '../../http/warning-fields.ts';
import { withOtherErrors } from '../../http/with-error-param.ts';
import { withModel } from '../../jobs/model-context.ts';
import { jsonBody } from '../../middleware/bodies.ts';
import { type Answer, answering, binary, type Contents, type Operation, route } from '../../openapi/operation.ts';
import { audioAnswer, audioContents } from '../../routes/speech.ts';
import { listed } from '../../routes/voices.ts';
import { type SpeechBody, speechBody } from '../../schemas/speech.ts';
import type { TimestampLevel } from '../../schemas/timestamps.ts';
import { voiceExample } from '../../schemas/voices.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { answerSpeech, type Delivery } from '../../speech/send-audio.ts';
import { alignedLines, alignedObject } from './alignment.ts';
import { defaultOutputFormat, readOutputFormat } from './output-format.ts';
import {
  chooseModel,
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

const elevenlabsContents: Contents = { ...audioContents, 'audio/basic': binary, 'audio/PCMA': binary };

/** Fields of the body with an effect. */
const used = ['text', 'model_id', 'seed', 'language_code', 'apply_text_normalization', 'lora', 'voice_settings.speed'];

/** The summary of an operation, and what its description says behind `Compatible with ElevenLabs`. */
type Texts = readonly [summary: string, about: string];
type SpeechDelivery = Pick<Delivery, 'form' | 'stream'>;

export function speechOperations(context: ServerContext): readonly Operation[] {
  const operation = (
    path: string,
    [summary, about]: Texts,
    delivery: SpeechDelivery,
    { schema, example, read }: ReadableBody,
  ): Operation => ({
    ...route('post', path, 'speech', summary),
    description: `Compatible with ElevenLabs${about}`,
    query: elevenlabsQuery,
    body: { 'application/json': schema },
    examples: { 'application/json': example, query: { output_format: defaultOutputFormat } },
    answers: { 200: answerOf(delivery) },
    failures: [404, 413, 422, 429, 503],
    handlers: jsonBody(context),
    handle: (_request, response) => speak(context, response, delivery, read),
  });
  const speech = (path: string, texts: Texts, delivery: SpeechDelivery): Operation =>
    operation(`/v1/text-to-speech/:voice${path}`, texts, delivery, textBody);
  const dialogue = (path: string, texts: Texts, delivery: SpeechDelivery): Operation =>
    operation(`/v1/text-to-dialogue${path}`, texts, delivery, turnsBody);
  const turns = ': turns of several voices.';
  const generated = 'Audio is sent while it is generated.';
  const lines = 'Sends a line of JSON for each part of the text; the audio of all lines is one file.';
  return [
    dialogue('', ['Generate a dialogue as a complete file.', `${turns} The file is sent when it is complete.`], {
      stream: false,
    }),
    dialogue('/stream', ['Generate a dialogue as a stream.', `${turns} ${generated}`], { stream: true }),
    speech('', ['Generate speech as a complete file.', '. The file is sent when it is complete, with its length.'], {
      stream: false,
    }),
    speech('/stream', ['Generate speech as a stream.', `. ${generated}`], { stream: true }),
    speech(
      '/with-timestamps',
      ['Generate speech with the times of its characters.', '. Sends one JSON object with a complete file.'],
      { form: alignedObject },
    ),
    speech('/stream/with-timestamps', ['Generate speech as a stream with the times of its characters.', `. ${lines}`], {
      form: alignedLines,
    }),
    voiceSearchOperation(context),
  ];
}

const foundExample = { voices: [voiceExample], has_more: false, total_count: 1, next_page_token: null };

const voiceSearchOperation = (context: ServerContext): Operation => ({
  ...route('get', '/v2/voices', 'voices', 'List voices by page.'),
  description:
    'Compatible with ElevenLabs: `GET /v1/voices` with a search and pages, and with `default`, the voice of the model itself. Without `page_size`, all voices are on one page.',
  query: voiceSearchQuery,
  ...answering('The voices.', foundVoices, foundExample),
  async handle(request, response) {
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
});

const answerOf = ({ form }: SpeechDelivery): Answer =>
  form === undefined ? audioAnswer(elevenlabsContents) : audioAnswer({ [form.contentType]: timedAnswer }, timedExample);

async function speak(
  context: ServerContext,
  response: Response,
  delivery: SpeechDelivery,
  read: ReadBody,
): Promise<void> {
  const { body, input, unknownFields, unused } = read(response.req, delivery.form === undefined ? 'none' : 'word');
  const { unknownFields: unknownParameters, ...query } = parseKnown(elevenlabsQuery, response.req.query, {
    others: silentParameters,
  });
  const { format, rate, coding, contentType } = readOutputFormat(query.output_format ?? defaultOutputFormat);
  const model = chooseModel(context, body.model_id);
  await withModel(context, { model }, response, async (context) => {
    const stated = { ...input, unknownFields };
    const accepted = await inText(() => acceptJson(context, stated, { output: { format, rate } }));
    const warnings = [...accepted.warnings, ...warnOfUnknown(unknownParameters, context.settings), ...unused];
    const sent = { ...delivery, accepted: { ...accepted, warnings }, format, coding, contentType };
    await answerSpeech(context, response, sent);
  });
}

interface ReadRequest {
  readonly body: { readonly model_id?: string | null | undefined };
  readonly input: SpeechBody;
  readonly unknownFields: UnknownFields | undefined;
  readonly unused: readonly string[];
}

type ReadBody = (request: Request, timestamps: TimestampLevel) => ReadRequest;

/** Fields of the public API that texts and dialogues have in common. */
const settingsOf = ({ seed, lora, language_code, apply_text_normalization }: Omit<ElevenlabsBody, 'text'>) => ({
  seed,
  lora,
  language: asLanguage(language_code),
  normalize: normalizeOf(apply_text_normalization),
});

const textOf: ReadBody = ({ body: given, params }, timestamps) => {
  const { unknownFields, ...body } = parseKnown(elevenlabsBody, given ?? {});
  const input = parse(speechBody, {
    input: body.text,
    voice: String(params.voice),
    speed: body.voice_settings?.speed,
    timestamps,
    ...settingsOf(body),
  });
  return { body, input, unknownFields, unused: warnOfUnused(body, used) };
};

const dialogueOf: ReadBody = ({ body: given }, timestamps) => {
  const { unknownFields, ...body } = parseKnown(dialogueBody, given ?? {});
  const { inputs, settings, ...rest } = body;
  const turns = inputs.map(({ text, voice_id: voice }) => ({ text, voice }));
  const input = parse(speechBody, { input: turns, timestamps, ...settingsOf(body) });
  return { body, input, unknownFields, unused: warnOfUnused({ ...rest, voice_settings: settings }, used, 'settings') };
};

interface ReadableBody {
  readonly schema: z.ZodObject;
  readonly example: Readonly<Record<string, unknown>>;
  readonly read: ReadBody;
}

const textBody: ReadableBody = { schema: elevenlabsBody, example: { text: 'Hello there.' }, read: textOf };
const turnsBody: ReadableBody = {
  schema: dialogueBody,
  example: { inputs: [{ text: 'Good evening!', voice_id: 'default' }] },
  read: dialogueOf,
};

const inText = <Result>(work: () => Promise<Result>): Promise<Result> =>
  withOtherErrors(work, (error) => {
    const { code, message, param, cause } = error;
    return param !== 'input'
      ? error
      : new SvcError(code, message.replace(/^input\b/, 'text'), { param: 'text', cause });
  });
