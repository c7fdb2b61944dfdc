/** Speech from JSON: the public API with VoxCPM's own fields, raw samples, playback, and cancel. */
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { audioFormats } from '../../audio/encode/format.ts';
import { parse, requestError } from '../../validation.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { outputRate } from '../context/output-rate.ts';
import type { SpeechStyle } from '../context/speech-dialect.ts';
import { keyOf } from '../http/api-keys.ts';
import { parseKnown, type WithUnknown } from '../http/unknown-fields.ts';
import { withModel } from '../jobs/model-context.ts';
import { isTextWritten, lingerAfter, readTextBody, type WrittenText } from '../live/text-body.ts';
import { jsonBody, jsonWithRecording } from '../middleware/bodies.ts';
import {
  type Answer,
  answering,
  binary,
  type Contents,
  jsonRequest,
  type Operation,
  route,
  serverSentEvent,
} from '../openapi/operation.ts';
import {
  cancelAnswer,
  cancelBody,
  defaultFormat,
  type SpeechBody,
  speechBody,
  speechObject,
  speechQuery,
  textQuery,
} from '../schemas/speech.ts';
import { type AudioChoice, acceptJson, acceptLiveJson } from '../speech/accepted-request.ts';
import { answerSpeech, speechJson } from '../speech/send-audio.ts';
import { nativeEvents, publicEvents } from '../speech/speech-events.ts';
import type { AnswerForm } from '../speech/speech-output.ts';

export const audioContents: Contents = Object.fromEntries(
  [...Object.values(audioFormats).map(({ mimeType }) => mimeType), 'audio/opus'].map((type) => [type, binary]),
);

export const audioHeaders = {
  'X-Sample-Rate': 'Sample rate of the audio, in Hz.',
  'X-Seed': 'Seed of the speech, to generate the same audio again.',
  'X-Job-Id': 'Number of the request, by which it can be canceled.',
  'X-Request-Id': 'ID of the request in the log: the one that the client sent, or a new one.',
  Warning: 'How the speech differs from the request, such as an ignored voice.',
} as const;

/** An answer with audio, which is sent while it is generated. */
export const audioAnswer = (
  contents = audioContents,
  example?: unknown,
  description = 'The speech. An error after the first audio ends the connection.',
): Answer => ({ description, contents, example, headers: audioHeaders });

const events = [
  { data: '{"type":"speech.audio.delta","audio":"SUQzBAAAAAAA…"}' },
  { data: '{"type":"speech.audio.timestamps","items":[{"text":"Hello","start":0.08,"end":0.41,"level":"word"},…]}' },
  {
    data: '{"type":"speech.audio.done","usage":{"input_tokens":12,"output_tokens":9,"total_tokens":21},"warnings":[]}',
  },
];

const hello = { level: 'word', sentence: 0, method: 'estimated' } as const;
const speechObjectExample = {
  audio_format: 'audio/mpeg',
  sample_rate: 48_000,
  seed: 7,
  audio: 'SUQzBAAAAAAA…',
  timestamps: {
    sample_rate: 48_000,
    backend: 'svc',
    level: 'word',
    text: 'Hello there.',
    items: [
      { text: 'Hello', start: 0.08, end: 0.41, ...hello },
      { text: 'there.', start: 0.41, end: 0.72, ...hello },
    ],
  },
  warnings: [],
};

const speechAnswer = audioAnswer(
  {
    ...audioContents,
    'text/event-stream': serverSentEvent.meta({ examples: events }),
    'application/json': speechObject,
  },
  speechObjectExample,
  'The speech. An error after the first audio ends the connection, or the event stream with an `error` event.',
);

export const speechBodies = (context: ServerContext): readonly RequestHandler[] =>
  jsonWithRecording(context).map(explainingText);

export function speechOperations(context: ServerContext): readonly Operation[] {
  return [
    {
      ...route('post', '/v1/audio/speech', 'speech', 'Generate speech from text.'),
      description:
        'Compatible with the OpenAI speech API. Audio is sent while it is generated, in any format: start playback with the first bytes. `"stream_format": "sse"` sends it as server-sent events instead, `"json"` as one object. Both have the times of sentences or words with `timestamps`.\n\nA body of `text/plain` that is sent in chunks (`Transfer-Encoding: chunked`) is spoken while it arrives; the other fields are then in the query.\n\n`input` may be a script: Markdown, SSML, text with tags such as `[pause:1.5s]` and `[voice:anna]`, or a dialogue as an array of turns.',
      samples: [
        { title: 'Example: play or save audio while it is generated', name: 'chunks' },
        { title: 'Example: server-sent events', name: 'events' },
        { title: 'Example: times of words', name: 'timestamps' },
        { title: 'Example: a dialogue', name: 'dialogue' },
      ],
      query: speechQuery,
      ...jsonRequest(speechBody, { input: 'Hello there.', voice: 'default', response_format: 'wav' }),
      answers: { 200: speechAnswer },
      failures: [400, 403, 404, 413, 503],
      handlers: [speakWritten(context), ...speechBodies(context)],
      handle: (request, response) => speak(context, takeBody(speechBody, request), response),
    },
    {
      ...route('post', '/v1/audio/speech/cancel', 'speech', 'Cancel one request, or all.'),
      isWork: false,
      description:
        'Running and waiting requests. `job_id` is the `X-Job-Id` or `X-Request-Id` of the request; an empty body or `{}` cancels all requests of the API key, other fields are refused. A request is also canceled when its client disconnects.',
      query: cancelBody,
      ...jsonRequest(cancelBody, { job_id: 17 }),
      ...answering('The requests were canceled, or there were none.', cancelAnswer, {
        ...{ status: 'success', message: 'Cancellation signal sent to Job 17', cancelled: [17] },
      }),
      failures: [400],
      handlers: jsonBody(context),
      handle: (request, response) => cancel(context, request, response),
    },
  ];
}

/** Parses a body and forgets its JSON: a recording in it has megabytes. */
export function takeBody<Schema extends z.ZodObject>(schema: Schema, request: Request): WithUnknown<z.output<Schema>> {
  const body = parseKnown(schema, request.body ?? {});
  request.body = undefined;
  return body;
}

type Settings = Omit<SpeechBody, 'input'>;

type WrittenBody = Settings & { readonly written: WrittenText };

const publicStyle: SpeechStyle = { format: defaultFormat };

/** How the dialect that has such a body answers it, else the public API. */
function styleOf({ dialects }: ServerContext, input: SpeechBody): SpeechStyle {
  for (const { speechStyle } of dialects) {
    const style = speechStyle?.(input);
    if (style !== undefined) return style;
  }
  return publicStyle;
}

export async function speak(
  context: ServerContext,
  input: SpeechBody | WrittenBody,
  response: Response,
): Promise<void> {
  const style = 'written' in input ? publicStyle : styleOf(context, input);
  if (style.errors) response.locals.errors = style.errors;
  const form = formOf(context, response.req, input);
  if (form === undefined) refuseTimestamps(input, 'set stream_format to "sse" or "json"');
  const format = input.response_format ?? style.format;
  await withModel(context, input, response, async (context) => {
    const { outputSampleRate } = context.engine.info;
    const rate = outputRate(format, outputSampleRate, style.pcmRate ?? context.settings.pcmRate);
    const output = { format, rate };
    const timestamps = input.timestamps ?? 'none';
    const accepted =
      'written' in input
        ? await acceptLiveJson(context, input, { output, text: input.written.text, timestamps })
        : await acceptJson(context, input, { output });
    const { stream } = input;
    const characters = 'written' in input ? input.written.characters : undefined;
    const delivery = { accepted, format, form, stream, characters, contentType: style.contentTypes?.[format] };
    await answerSpeech(context, response, delivery);
  });
}

const speakWritten =
  (context: ServerContext): RequestHandler =>
  async (request, response, next) => {
    if (!isTextWritten(request)) return next();
    lingerAfter(response, context.settings.limits.lingerMilliseconds);
    const written = readTextBody(request, context.settings.limits.inputCharacters);
    const settings = parseKnown(textQuery, request.query, { others: Object.keys(speechQuery.shape) });
    await speak(context, { ...settings, written }, response);
  };

/** Explains how to stream plain text: a text body with a length is read as JSON like any other. */
const explainingText =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    handler(request, response, (error?: unknown) => {
      const { type, body } = Object(error) as { readonly type?: unknown; readonly body?: unknown };
      const isText = type === 'entity.parse.failed' && request.is('text/plain') && !/^\s*\{/.test(String(body));
      if (!isText) return next(error);
      next(requestError('the body is not valid JSON; to send text, add the header Transfer-Encoding: chunked'));
    });

export function refuseTimestamps({ timestamps = 'none' }: Settings, remedy: string): void {
  if (timestamps === null || timestamps === 'none') return;
  throw requestError(`timestamps need server-sent events or JSON: ${remedy}`, 'timestamps');
}

/** @returns undefined for the bytes of the audio */
function formOf(
  { settings }: ServerContext,
  request: Request,
  { stream, stream_format }: Settings,
): AnswerForm | undefined {
  const { events = settings.sseDialect } = parse(speechQuery, request.query);
  if (stream_format === 'json') return speechJson;
  if (stream_format !== 'sse') return;
  if (stream === false) throw requestError('stream must be true with the stream_format "sse", got false', 'stream');
  return events === 'native' ? nativeEvents : publicEvents;
}

export const samplesOf = ({ engine }: ModelContext): AudioChoice => ({
  format: 'pcm',
  rate: engine.info.outputSampleRate,
});

async function cancel({ queue }: ServerContext, request: Request, response: Response): Promise<void> {
  if (request.is('multipart/form-data')) throw requestError('the body must be a JSON object, got a form');
  const input = parse(cancelBody, { ...request.query, ...(request.body as object | undefined) });
  const named = input.job_id ?? undefined;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : named;
  const cancelled = await queue.cancel(id, keyOf(response)?.name);
  const jobs = cancelled.length === 1 ? `Job ${cancelled[0]}` : `Jobs ${cancelled.join(', ')}`;
  const message = cancelled.length === 0 ? 'No generation in progress' : `Cancellation signal sent to ${jobs}`;
  response.json({ status: 'success', message, cancelled });
}
