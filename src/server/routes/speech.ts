/** Speech from JSON: the public API with VoxCPMANE's fields, raw stream, playback and cancellation. */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { type AudioFormatName, audioFormats } from '../../audio/format.ts';
import { parse } from '../../validation.ts';
import type { ServerContext } from '../context.ts';
import { clientSignal, withOrder } from '../jobs.ts';
import { jsonBody } from '../middleware/bodies.ts';
import type { Contents, Operation } from '../operation.ts';
import { outputRate } from '../output-rate.ts';
import type { Dialect } from '../problem.ts';
import {
  cancelAnswer,
  cancelBody,
  playbackAnswer,
  type SpeechBody,
  speechBody,
  speechQuery,
} from '../schemas/speech.ts';
import { type Delivery, sendSpeech } from '../send-audio.ts';
import { type OpenSpeech, openSpeech } from '../speech.ts';
import { orderOfBody } from '../speech-order.ts';
import { warningFields } from '../warning-fields.ts';

const binary = z.string().meta({ format: 'binary' });

export const audioContents: Contents = Object.fromEntries(
  [...Object.values(audioFormats).map(({ mimeType }) => mimeType), 'audio/opus'].map((type) => [type, binary]),
);

type Texts = Pick<Operation, 'summary' | 'description' | 'example'>;

export function speechOperations(context: ServerContext): readonly Operation[] {
  const modelRate = context.engine.info.outputSampleRate;
  const samples = { format: 'pcm', rate: modelRate } as const;
  const body = { 'application/json': speechBody };
  const operation = (path: string, texts: Texts, contents: Contents, handler: RequestHandler): Operation => ({
    method: 'post',
    path,
    tag: 'speech',
    ...texts,
    body,
    answers: { 200: { description: 'The speech.', contents } },
    handlers: [jsonBody(context), handler],
  });
  const voxcpmane: typeof operation = (...described) => ({ ...operation(...described), dialect: 'voxcpmane' });
  return [
    {
      ...operation(
        '/v1/audio/speech',
        {
          summary: 'Generate speech.',
          description:
            'Compatible with the OpenAI speech API. Audio is sent while it is generated. `stream_format: "sse"` sends it as server-sent events.',
          example: { input: 'Hello there.', voice: 'default', response_format: 'wav' },
        },
        { ...audioContents, 'text/event-stream': z.string() },
        async (request, response) => {
          const input = parse(speechBody, request.body ?? {});
          if (hasVoxcpmaneFields(input)) response.locals.dialect = 'voxcpmane' satisfies Dialect;
          const form = formOf(context, request, input);
          const format = formatOf(input);
          const rate = outputRate(format, modelRate, isVoxcpmane(input) ? 'model' : context.settings.pcmRate);
          const signal = clientSignal(request, response);
          const order = await orderOfBody(context, input, { output: { format, rate }, signal });
          const delivery = { order, format, form, ...(isVoxcpmane(input) ? opusOfFamily(format) : {}) };
          await withOrder(context, order, request, response, (job) => sendSpeech(context, response, delivery, job));
        },
      ),
      query: speechQuery,
    },
    voxcpmane(
      '/v1/audio/speech/stream',
      {
        summary: 'Generate speech as raw samples.',
        description:
          '16-bit little-endian mono samples at the rate in the header `X-Sample-Rate`, sent while they are generated.',
        example: { input: 'Hello there.' },
      },
      { 'application/octet-stream': binary },
      async (request, response) => {
        const signal = clientSignal(request, response);
        const order = await orderOfBody(context, parse(speechBody, request.body ?? {}), { output: samples, signal });
        const delivery = { order, format: 'pcm', form: 'bytes', contentType: 'application/octet-stream' } as const;
        await withOrder(context, order, request, response, (job) => sendSpeech(context, response, delivery, job));
      },
    ),
    voxcpmane(
      '/v1/audio/speech/playback',
      {
        summary: 'Play speech on the server.',
        description:
          'Plays on the audio output of the machine that the server runs on, and answers when playback is over.',
        example: { input: 'Hello there.' },
      },
      { 'application/json': playbackAnswer },
      (request, response) => play(context, request, response),
    ),
    {
      method: 'post',
      path: '/v1/audio/speech/cancel',
      tag: 'speech',
      summary: 'Cancel one request, or all.',
      description: '`job_id` is the header `X-Job-Id` or `X-Request-Id` of the answer to be cancelled.',
      example: { job_id: 1 },
      query: cancelBody,
      body: { 'application/json': cancelBody },
      answers: {
        200: {
          description: 'Numbers of the requests that were cancelled.',
          contents: { 'application/json': cancelAnswer },
        },
      },
      handlers: [jsonBody(context), (request, response) => cancel(context, request, response)],
    },
  ];
}

/** Whether the body has fields of VoxCPMANE only. */
function hasVoxcpmaneFields(body: SpeechBody): boolean {
  const own = [body.prompt_wav_path, body.prompt_text, body.max_length, body.cfg_value, body.inference_timesteps];
  return own.some((value) => value !== undefined);
}

/** The public API requires a voice and has no fields of VoxCPMANE. */
const isVoxcpmane = (body: SpeechBody): boolean =>
  body.voice === undefined || body.voice === null || hasVoxcpmaneFields(body);

/** Content type of Ogg Opus in VoxCPMANE and VoxCPM-ONNX; VoxCPM.cpp and browsers use `audio/ogg; codecs=opus`. */
export const opusOfFamily = (format: AudioFormatName): { readonly contentType?: string } =>
  format === 'opus' ? { contentType: 'audio/opus' } : {};

/** The default is mp3 in the public API and wav in VoxCPMANE. */
const formatOf = (body: SpeechBody): AudioFormatName => body.response_format ?? (isVoxcpmane(body) ? 'wav' : 'mp3');

function formOf({ settings }: ServerContext, request: Request, { stream_format }: SpeechBody): Delivery['form'] {
  const { events = settings.sseDialect } = parse(speechQuery, request.query);
  if (stream_format !== 'sse') return 'bytes';
  return events === 'native' ? 'native events' : 'public events';
}

async function play(context: ServerContext, request: Request, response: Response): Promise<void> {
  const samples = { format: 'pcm', rate: context.engine.info.outputSampleRate } as const;
  const signal = clientSignal(request, response);
  const order = await orderOfBody(context, parse(speechBody, request.body ?? {}), { output: samples, signal });
  await withOrder(context, order, request, response, async (job) => {
    const player = await context.openPlayer(order.sampleRate);
    const stop = (): void => void player.abort();
    job.signal.addEventListener('abort', stop, { once: true });
    let speech: OpenSpeech | undefined;
    try {
      speech = await openSpeech(context, order, { job, arrived: response.locals.arrived });
      let [chunks, samples] = [0, 0];
      for await (const piece of speech.audio) {
        await player.write(piece);
        chunks += 1;
        samples += piece.length;
      }
      await player.finish();
      job.signal.throwIfAborted();
      response.set(warningFields(speech.warnings())).json({
        status: 'success',
        message: `Audio playback completed for Job ${job.id}`,
        job_id: job.id,
        chunks_played: chunks,
        duration_seconds: Number((samples / order.sampleRate).toFixed(3)),
        warnings: speech.warnings(),
      });
    } finally {
      await speech?.close();
      await player.abort();
    }
  });
}

async function cancel({ queue }: ServerContext, request: Request, response: Response): Promise<void> {
  const input = parse(cancelBody, { ...request.query, ...(request.body as object | undefined) });
  const named = input.job_id ?? undefined;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : named;
  const cancelled = await queue.cancel(id);
  const jobs = cancelled.length === 1 ? `Job ${cancelled[0]}` : `Jobs ${cancelled.join(', ')}`;
  const message = cancelled.length === 0 ? 'No generation in progress' : `Cancellation signal sent to ${jobs}`;
  response.json({ status: 'success', message, cancelled });
}
