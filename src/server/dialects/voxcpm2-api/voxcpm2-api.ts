import { z } from 'zod';
import type { ServerContext } from '../../context/context.ts';
import { outputRate } from '../../context/output-rate.ts';
import { fastApiErrors } from '../../http/problem.ts';
import { withModel } from '../../jobs/model-context.ts';
import { fieldsOf, jsonWithRecording } from '../../middleware/bodies.ts';
import { binary, jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { audioHeaders, takeBody } from '../../routes/speech.ts';
import { acceptJson } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';
import { jsonObject } from '../../speech/speech-json.ts';
import type { Dialect } from '../dialect.ts';
import { speechOf, synthesisBody } from './request.ts';
import { synthesisStream } from './stream.ts';

const answer = z.object({
  backend: z.string().describe('Always `svc`.'),
  device: z.string().describe('Where the model runs.'),
  sample_rate: z.int().describe('Sample rate of the audio, in Hz.'),
  language: z.string().describe('As it was sent, or `en`.'),
  audio_base64: z.string().describe('The WAV file, in base64.'),
});

export const synthesisOperation = (context: ServerContext): Operation => ({
  ...route('post', '/v1/speech', 'speech', 'Generate speech as a WAV file.'),
  description: 'Compatible with `voxcpm2-api`. The file is sent when it is complete.',
  ...jsonRequest(synthesisBody, { text: 'Hello there.', response_format: 'wav' }),
  answers: {
    200: {
      description: 'The speech.',
      contents: { 'audio/wav': binary, 'application/json': answer },
      example: { backend: 'svc', device: 'cpu', sample_rate: 48_000, language: 'en', audio_base64: 'UklGRiQ…' },
      headers: { ...audioHeaders, 'X-VoxCPM-Sample-Rate': 'Sample rate of the audio, in Hz.' },
    },
  },
  failures: [403, 413, 415, 422, 503],
  handlers: jsonWithRecording(context, fieldsOf('prompt_audio_base64', 'reference_audio_base64')),
  async handle(request, response) {
    const { response_format, ...body } = takeBody(synthesisBody, request);
    const input = speechOf(body);
    await withModel(context, input, response, async (context) => {
      const { info } = context.engine;
      const rate = outputRate('wav', info.outputSampleRate, 'model');
      const accepted = await acceptJson(context, input, { output: { format: 'wav', rate } });
      const fields = { backend: 'svc', device: info.device, sample_rate: rate, language: body.language ?? 'en' };
      response.set('X-VoxCPM-Sample-Rate', String(rate));
      const form = response_format === 'base64' ? jsonObject({ audio: 'audio_base64', last: () => fields }) : undefined;
      await answerSpeech(context, response, { accepted, format: 'wav', stream: false, form });
    });
  },
});

export const voxcpm2Api: Dialect = {
  errors: fastApiErrors,
  operations: (context) => [synthesisOperation(context)],
  sockets: (context) => [synthesisStream(context)],
};
