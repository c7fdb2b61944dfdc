/** Speech from a form or a query, as in VoxCPM-ONNX. */
import type { Request, RequestHandler, Response } from 'express';
import { clientSignal } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import { outputRate } from '../../context/output-rate.ts';
import { parseKnown } from '../../http/unknown-fields.ts';
import { withModel } from '../../jobs/model-context.ts';
import { formBody, onUploads, requireRoom, urlencodedBody } from '../../middleware/bodies.ts';
import { sendProblem } from '../../middleware/failure.ts';
import { type Operation, route } from '../../openapi/operation.ts';
import { readUpload } from '../../recordings/recordings.ts';
import { audioContents, audioHeaders } from '../../routes/speech.ts';
import { defaultFormat, ttsForm } from '../../schemas/speech.ts';
import { recordingFile } from '../../schemas/voices.ts';
import { acceptForm } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';

const example = { input: 'Hello there.', response_format: 'mp3' };

export function ttsOperations(context: ServerContext, limitUploads: RequestHandler): readonly Operation[] {
  const answers = { 200: { description: 'The speech.', contents: audioContents, headers: audioHeaders } };
  return [
    {
      ...route('get', '/tts', 'speech', 'Generate speech from a URL.'),
      isWork: true,
      description:
        'Compatible with VoxCPM-ONNX, and short enough for the `src` of an audio element. Audio is sent while it is generated.',
      query: ttsForm,
      examples: { query: example },
      answers,
      failures: [404, 422, 503],
      handlers: [
        (request, response, next) => {
          if (request.method === 'GET') return next();
          // Express would handle HEAD like GET and generate speech for nothing.
          const message = `${request.method} is not allowed for "/tts"; use GET or POST`;
          sendProblem(response, {
            status: 405,
            message,
            type: 'invalid_request_error',
            code: 'method_not_allowed',
            headers: { Allow: 'GET, POST' },
          });
        },
      ],
      handle: (request, response) => speak(context, request, response, request.query),
    },
    {
      ...route('post', '/tts', 'speech', 'Generate speech from a form.'),
      description:
        'Compatible with VoxCPM-ONNX. A multipart form may upload a recording of the voice to clone, `prompt_audio`, with its transcript, `prompt_text`.',
      examples: { 'application/x-www-form-urlencoded': example, 'multipart/form-data': example },
      body: {
        'application/x-www-form-urlencoded': ttsForm,
        'multipart/form-data': ttsForm.extend({ prompt_audio: recordingFile.optional() }),
      },
      answers,
      failures: [404, 413, 415, 422, 503],
      handlers: [
        ...urlencodedBody(context),
        // Other forms are small.
        ...[requireRoom(context), limitUploads].map((handler) => onUploads(isMultipart, handler)),
        formBody(context, 'prompt_audio'),
      ],
      handle: (request, response) => speak(context, request, response, request.body),
    },
  ];
}

const isMultipart = (request: Request): boolean => Boolean(request.is('multipart/form-data'));

async function speak(context: ServerContext, request: Request, response: Response, input: unknown): Promise<void> {
  const form = parseKnown(ttsForm, input ?? {});
  const recording =
    request.file === undefined
      ? undefined
      : await readUpload(request.file, 'prompt_audio', context.settings, {
          signal: clientSignal(response),
          denoise: form.denoise,
        });
  const format = form.response_format ?? defaultFormat;
  // Clients of these forms send names of other models.
  const model = context.models.find(form.model ?? '');
  await withModel(context, { ...form, model }, response, async (context) => {
    const rate = outputRate(format, context.engine.info.outputSampleRate, 'model');
    const accepted = await acceptForm(context, form, recording, { format, rate });
    // Players ask for ranges, some of them before anything else.
    const ranges = request.method === 'GET' && typeof form.seed === 'number' ? 'bytes' : 'none';
    const contentType = format === 'opus' ? 'audio/opus' : undefined;
    const delivery = { accepted, format, stream: form.stream, ranges, contentType } as const;
    await answerSpeech(context, response, delivery);
  });
}
