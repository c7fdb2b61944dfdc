/** Speech from a form or a query, and voices from a form, as in VoxCPM-ONNX. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { transcript } from '../../../engine/voice-fields.ts';
import { parseNewVoiceId } from '../../../voices/voice-id.ts';
import { clientSignal } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import { outputRate } from '../../context/output-rate.ts';
import { fastApiErrors } from '../../http/problem.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { warningFields } from '../../http/warning-fields.ts';
import { withErrorParam } from '../../http/with-error-param.ts';
import { withJob } from '../../jobs/jobs.ts';
import { withModel } from '../../jobs/model-context.ts';
import { admitUpload, formBody, onUploads, uploadBody, urlencodedBody } from '../../middleware/bodies.ts';
import { sendProblem } from '../../middleware/failure.ts';
import { answering, formRequest, type Operation, route } from '../../openapi/operation.ts';
import { storeVoice } from '../../recordings/create-voice.ts';
import { readUpload } from '../../recordings/recordings.ts';
import { canBeReference, lexiconOf } from '../../recordings/voice-recordings.ts';
import { audioContents, audioHeaders } from '../../routes/speech.ts';
import { defaultFormat, formDenoise, ttsForm } from '../../schemas/speech.ts';
import { formVoiceLanguage, lexiconText, recordingFile, voiceId } from '../../schemas/voices.ts';
import { acceptForm } from '../../speech/accepted-request.ts';
import { answerSpeech } from '../../speech/send-audio.ts';
import type { Dialect } from '../dialect.ts';

const example = { input: 'Hello there.', response_format: 'mp3' };

export function ttsOperations(context: ServerContext): readonly Operation[] {
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
        onUploads(isMultipart, admitUpload(context)),
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

const featureTexts = z.object({
  feat_id: voiceId,
  prompt_text: transcript.optional().describe('Transcript of the recording; optional with VoxCPM 2.'),
  denoise: formDenoise,
  lexicon: lexiconText,
  language: formVoiceLanguage,
});
const featureForm = featureTexts.extend({ prompt_audio: recordingFile });
/** With the upload as one of the fields. */
const featureFields = featureTexts.extend({
  prompt_audio: z.custom((file) => file !== undefined, { error: 'an audio file' }),
});

const featureAnswer = z.object({
  feat_id: z.string().describe('Voice name.'),
  patches_shape: z.array(z.int()).describe('Patches, frames per patch, and feature size.'),
});

export const featureOperation = (context: ServerContext): Operation => ({
  ...route('post', '/ref_feat', 'voices', 'Add or replace a voice.'),
  description:
    'Compatible with VoxCPM-ONNX. Replaces a voice of the same name. Without a transcript, VoxCPM 2 takes only the timbre of the recording.',
  ...formRequest(featureForm, { feat_id: 'anna', prompt_text: 'The words of the recording.' }),
  ...answering('The voice is stored.', featureAnswer, { feat_id: 'anna', patches_shape: [63, 2, 64] }),
  failures: [413, 415, 422, 503],
  handlers: uploadBody(context, 'prompt_audio'),
  handle: (request, response) => storeFeatures(context, request, response),
});

async function storeFeatures(context: ServerContext, request: Request, response: Response): Promise<void> {
  const fields = { ...request.body, prompt_audio: request.file };
  const { feat_id, prompt_text = '', lexicon, language, denoise, unknownFields } = parseKnown(featureFields, fields);
  const unknown = warnOfUnknown(unknownFields, context.settings);
  const id = await withErrorParam('feat_id', () => parseNewVoiceId(feat_id));
  const text = prompt_text.trim();
  const words = await lexiconOf(lexicon);
  const audio = await readUpload(request.file, 'prompt_audio', context.settings, {
    signal: clientSignal(response),
    denoise,
  });
  await withModel(context, {}, response, (context) => {
    // Without a transcript, VoxCPM 2 uses the recording as a reference; VoxCPM 1 continues it.
    const isReference = text === '' && canBeReference(context.engine.info);
    const recording = {
      id,
      audio,
      language: language ?? undefined,
      ...words,
      ...(isReference ? { roles: ['reference' as const] } : { text }),
    };
    return withJob(context, response, async ({ signal }) => {
      const voice = await storeVoice(context, recording, { mode: 'replace', signal });
      const warnings = [...unknown, ...(recording.warnings ?? [])];
      if (warnings.length > 0) context.logger.warn({ voice: id, warnings }, 'voice had warnings');
      response
        .set(warningFields(warnings))
        .json({ feat_id: id, patches_shape: [voice.patchCount, voice.patchSize, voice.featureDim] });
    });
  });
}

export const voxcpmOnnx: Dialect = {
  errors: fastApiErrors,
  operations: (context) => [...ttsOperations(context), featureOperation(context)],
};
