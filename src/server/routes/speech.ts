/** Speech from JSON: the public API with VoxCPM's own fields, raw samples, playback, and cancel. */

import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { type AudioFormatName, audioFormats } from '../../audio/encode/format.ts';
import { parse, requestError } from '../../validation.ts';
import type { ModelContext, ServerContext } from '../context.ts';
import { hasVoxcpmaneFields, isVoxcpmane, opusOfFamily } from '../dialects/voxcpmane/fields.ts';
import { clientSignal } from '../http/client.ts';
import { keyOf } from '../http/middleware/authorize.ts';
import { jsonBody, jsonWithRecording } from '../http/middleware/bodies.ts';
import { type Answer, type Contents, type Operation, serverSentEvent } from '../http/operation.ts';
import type { Dialect } from '../http/problem.ts';
import { parseKnown, type WithUnknown } from '../http/unknown-fields.ts';
import { isTextWritten, lingerAfter, readTextBody, type WrittenText } from '../live/text-body.ts';
import {
  cancelAnswer,
  cancelBody,
  playbackAnswer,
  type SpeechBody,
  speechBody,
  speechObject,
  speechQuery,
  textQuery,
} from '../schemas/speech.ts';
import { type AudioChoice, acceptJson, acceptLiveJson } from '../speech/accepted-request.ts';
import { withJobFor } from '../speech/jobs.ts';
import { withModel } from '../speech/model-context.ts';
import { outputRate } from '../speech/output-rate.ts';
import { type Delivery, sendSpeech } from '../speech/send-audio.ts';
import { openSpeech, type SpeechInProgress } from '../speech/speech.ts';
import { warningFields } from '../speech/warning-fields.ts';

const binary = z.string().meta({ format: 'binary' });

export const audioContents: Contents = Object.fromEntries(
  [...Object.values(audioFormats).map(({ mimeType }) => mimeType), 'audio/opus'].map((type) => [type, binary]),
);

/** Headers of all responses with audio. */
export const audioHeaders = {
  'X-Sample-Rate': 'Sample rate of the audio, in Hz.',
  'X-Seed': 'Seed of the speech, to generate the same audio again.',
  'X-Job-Id': 'Number of the request, by which it can be canceled.',
  'X-Request-Id': 'ID of the request in the log: the one that the client sent, or a new one.',
  Warning: 'How the speech differs from the request, such as an ignored voice.',
} as const;

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

type Texts = Pick<Operation, 'summary' | 'description' | 'examples' | 'samples' | 'failures'> & {
  readonly answer: Answer;
};

export function speechOperations(context: ServerContext, limitUploads: RequestHandler): readonly Operation[] {
  const body = { 'application/json': speechBody };
  const operation = (path: string, { answer, ...texts }: Texts, handler: RequestHandler): Operation => ({
    method: 'post',
    path,
    tag: 'speech',
    ...texts,
    body,
    answers: { 200: answer },
    handlers: [...jsonWithRecording(context, limitUploads).map(explainingText), handler],
  });
  const voxcpmane: typeof operation = (...described) => ({ ...operation(...described), dialect: 'voxcpmane' });
  const speech = operation(
    '/v1/audio/speech',
    {
      summary: 'Generate speech from text.',
      description:
        'Compatible with the OpenAI speech API. Audio is sent while it is generated, in any format: start playback with the first bytes. `"stream_format": "sse"` sends it as server-sent events instead, `"json"` as one object. Both have the times of sentences or words with `timestamps`.\n\nA body of `text/plain` that is sent in chunks (`Transfer-Encoding: chunked`) is spoken while it arrives; the other fields are then in the query.\n\n`input` may be a script: Markdown, SSML, text with tags such as `[pause:1.5s]` and `[voice:anna]`, or a dialogue as an array of turns.',
      samples: [
        { title: 'Example: play or save audio while it is generated', name: 'chunks' },
        { title: 'Example: server-sent events', name: 'events' },
        { title: 'Example: times of words', name: 'timestamps' },
        { title: 'Example: a dialogue', name: 'dialogue' },
      ],
      examples: { 'application/json': { input: 'Hello there.', voice: 'default', response_format: 'wav' } },
      answer: {
        description:
          'The speech. An error after the first audio ends the connection, or the event stream with an `error` event.',
        contents: {
          ...audioContents,
          'text/event-stream': serverSentEvent.meta({ examples: events }),
          'application/json': speechObject,
        },
        example: speechObjectExample,
        headers: audioHeaders,
      },
      failures: [400, 403, 404, 413, 503],
    },
    (request, response) => speak(context, takeBody(speechBody, request), request, response),
  );
  return [
    { ...speech, query: speechQuery, handlers: [speakWritten(context), ...speech.handlers] },
    voxcpmane(
      '/v1/audio/speech/stream',
      {
        summary: 'Generate speech as raw samples.',
        description:
          'Takes the same body as `/v1/audio/speech`. Sends 16-bit little-endian mono samples while they are generated, at the sample rate in the header `X-Sample-Rate`.',
        samples: [{ title: 'Example: read samples while they are generated', name: 'samples' }],
        examples: { 'application/json': { input: 'Hello there.' } },
        answer: {
          description: 'The samples. An error after the first audio ends the connection.',
          contents: { 'application/octet-stream': binary },
          headers: audioHeaders,
        },
        failures: [403, 404, 413, 422, 429, 503],
      },
      async (request, response) => {
        const input = bodyOfBytes(request);
        await withModel(context, input, request, response, async (context) => {
          const signal = clientSignal(request, response);
          const accepted = await acceptJson(context, input, { output: samplesOf(context), signal });
          const delivery = { accepted, format: 'pcm', form: 'bytes', contentType: 'application/octet-stream' } as const;
          await withJobFor(context, accepted, request, response, (job) => sendSpeech(context, response, delivery, job));
        });
      },
    ),
    voxcpmane(
      '/v1/audio/speech/playback',
      {
        summary: 'Play speech on the server.',
        description:
          'Takes the same body as `/v1/audio/speech`. Plays the speech on the audio output of the server, and responds when playback is over.',
        examples: { 'application/json': { input: 'Hello there.' } },
        answer: {
          description: 'The speech was played.',
          contents: { 'application/json': playbackAnswer },
          example: {
            status: 'success',
            message: 'Audio playback completed for Job 17',
            job_id: 17,
            chunks_played: 9,
            duration_seconds: 0.72,
            warnings: [],
          },
        },
        failures: [403, 404, 413, 422, 429, 501, 503],
      },
      async (request, response) => {
        const input = bodyOfBytes(request);
        await withModel(context, input, request, response, (context) => play(context, input, request, response));
      },
    ),
    {
      method: 'post',
      path: '/v1/audio/speech/cancel',
      tag: 'speech',
      summary: 'Cancel one request, or all.',
      description:
        'Running and waiting requests. `job_id` is the `X-Job-Id` or `X-Request-Id` of the request; an empty body or `{}` cancels all requests of the API key, other fields are refused. A request is also canceled when its client disconnects.',
      examples: { 'application/json': { job_id: 17 } },
      query: cancelBody,
      body: { 'application/json': cancelBody },
      answers: {
        200: {
          description: 'The requests were canceled, or there were none.',
          contents: { 'application/json': cancelAnswer },
          example: { status: 'success', message: 'Cancellation signal sent to Job 17', cancelled: [17] },
        },
      },
      failures: [400],
      handlers: [...jsonBody(context), (request, response) => cancel(context, request, response)],
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

/** A body that is the text, with the fields of the query. */
type WrittenBody = Settings & { readonly written: WrittenText };

/** Speaks a body in the form that it asks for. */
export async function speak(
  context: ServerContext,
  input: SpeechBody | WrittenBody,
  request: Request,
  response: Response,
): Promise<void> {
  if (!('written' in input) && hasVoxcpmaneFields(input)) response.locals.dialect = 'voxcpmane' satisfies Dialect;
  const form = formOf(context, request, input);
  if (form === 'bytes') refuseTimestamps(input, 'set stream_format to "sse" or "json"');
  const format = formatOf(input);
  await withModel(context, input, request, response, async (context) => {
    const { outputSampleRate } = context.engine.info;
    const rate = outputRate(format, outputSampleRate, isVoxcpmane(input) ? 'model' : context.settings.pcmRate);
    const extras = { output: { format, rate }, signal: clientSignal(request, response) };
    const timestamps = input.timestamps ?? 'none';
    const accepted =
      'written' in input
        ? await acceptLiveJson(context, input, { ...extras, text: input.written.text, timestamps })
        : await acceptJson(context, input, extras);
    const { stream } = input;
    const characters = 'written' in input ? input.written.characters : undefined;
    const delivery = {
      accepted,
      format,
      form,
      stream,
      characters,
      ...(isVoxcpmane(input) ? opusOfFamily(format) : {}),
    };
    await withJobFor(context, accepted, request, response, (job) => sendSpeech(context, response, delivery, job));
  });
}

/** Speaks a body of text while it arrives. */
const speakWritten =
  (context: ServerContext): RequestHandler =>
  async (request, response, next) => {
    if (!isTextWritten(request)) return next();
    lingerAfter(request, response, context.settings.limits.lingerMilliseconds);
    const written = readTextBody(request, context.settings.limits.inputCharacters);
    const settings = parseKnown(textQuery, request.query, { others: Object.keys(speechQuery.shape) });
    await speak(context, { ...settings, written }, request, response);
  };

/** Explains how to stream plain text: a text body with a length is read as JSON like any other. */
export const explainingText =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    handler(request, response, (error?: unknown) => {
      const { type, body } = Object(error) as { readonly type?: unknown; readonly body?: unknown };
      const isText = type === 'entity.parse.failed' && request.is('text/plain') && !/^\s*\{/.test(String(body));
      if (!isText) return next(error);
      next(requestError('the body is not valid JSON; to send text, add the header Transfer-Encoding: chunked'));
    });

/** The default is mp3 in the public API and wav in VoxCPMANE. */
const formatOf = (body: SpeechBody | WrittenBody): AudioFormatName =>
  body.response_format ?? (isVoxcpmane(body) ? 'wav' : 'mp3');

/** The body of a request whose answer has no place for timestamps. */
function bodyOfBytes(request: Request): SpeechBody {
  const body = takeBody(speechBody, request);
  refuseTimestamps(body, 'this endpoint sends audio alone, that of the public API has stream_format');
  return body;
}

function refuseTimestamps({ timestamps = 'none' }: Settings, remedy: string): void {
  if (timestamps === null || timestamps === 'none') return;
  throw requestError(`timestamps need server-sent events or JSON: ${remedy}`, 'timestamps');
}

function formOf({ settings }: ServerContext, request: Request, { stream, stream_format }: Settings): Delivery['form'] {
  const { events = settings.sseDialect } = parse(speechQuery, request.query);
  if (stream_format === 'json') return 'object';
  if (stream_format !== 'sse') return 'bytes';
  if (stream === false) throw requestError('stream must be true with the stream_format "sse", got false', 'stream');
  return events === 'native' ? 'native events' : 'public events';
}

/** Raw samples at the model's rate. */
export const samplesOf = ({ engine }: ModelContext): AudioChoice => ({
  format: 'pcm',
  rate: engine.info.outputSampleRate,
});

async function play(context: ModelContext, input: SpeechBody, request: Request, response: Response): Promise<void> {
  const signal = clientSignal(request, response);
  const accepted = await acceptJson(context, input, { output: samplesOf(context), signal });
  await withJobFor(context, accepted, request, response, async (job) => {
    const player = await context.openPlayer(accepted.sampleRate);
    const stop = (): void => void player.abort();
    job.signal.addEventListener('abort', stop, { once: true });
    let speech: SpeechInProgress | undefined;
    try {
      speech = await openSpeech(context, accepted, { job, arrived: response.locals.arrived });
      let [chunks, samples] = [0, 0];
      for await (const piece of speech.events) {
        await player.write(piece.samples);
        chunks += 1;
        samples += piece.samples.length;
      }
      await player.finish();
      job.signal.throwIfAborted();
      response.set(warningFields(speech.warnings())).json({
        status: 'success',
        message: `Audio playback completed for Job ${job.id}`,
        job_id: job.id,
        chunks_played: chunks,
        duration_seconds: Number((samples / accepted.sampleRate).toFixed(3)),
        warnings: speech.warnings(),
      });
    } finally {
      await speech?.close();
      await player.abort();
    }
  });
}

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
