/**
 * Voices by upload, at the addresses of OpenAI (`audio.voices`) and of vLLM-Omni, which has the same.
 */
import type { Request, RequestHandler, Response } from 'express';
import { requestError } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { idOfName } from '../../voices/voice-id.ts';
import { clientOf } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { parseKnown, warnOfUnknown } from '../http/unknown-fields.ts';
import { warningFields } from '../http/warning-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { formBody, requireForm, requireRoom } from '../middleware/bodies.ts';
import type { Operation } from '../openapi/operation.ts';
import { createVoice } from '../recordings/create-voice.ts';
import { readUpload } from '../recordings/recordings.ts';
import { lexiconOf, type NamedRecording } from '../recordings/voice-recordings.ts';
import {
  audioVoice,
  audioVoiceExample,
  audioVoiceFields,
  audioVoiceForm,
  createdAudioVoice,
  deletedAudioVoice,
  silentVoiceFields,
} from '../schemas/audio-voices.ts';
import { refuseTaken } from './voices.ts';

export function audioVoiceOperations(context: ServerContext, limitUploads: RequestHandler): readonly Operation[] {
  const { allVoices } = context;
  const upload = (form: RequestHandler, handler: RequestHandler) => [
    requireRoom(context),
    limitUploads,
    requireForm,
    form,
    handler,
  ];
  const example = { name: 'anna', consent: 'cons_1234', ref_text: 'The words of the recording.' };
  return [
    {
      method: 'post',
      path: '/v1/audio/voices',
      tag: 'voices',
      summary: 'Add a voice, cloned from an uploaded recording.',
      description:
        'Compatible with OpenAI (`audio.voices.create`) and with vLLM-Omni, whose `ref_text` is the transcript. `consent` is written to the log with the name of the voice. Characters that names of voices cannot have become hyphens.',
      body: { 'multipart/form-data': audioVoiceForm },
      examples: { 'multipart/form-data': example },
      answers: {
        200: {
          description: 'The voice is stored.',
          contents: { 'application/json': createdAudioVoice },
          example: {
            ...audioVoiceExample,
            success: true,
            voice: {
              name: 'anna',
              consent: 'cons_1234',
              created_at: 1_763_640_000,
              mime_type: 'audio/wav',
              file_size: 161_280,
            },
            quality: {},
            warnings: [],
          },
        },
      },
      failures: [400, 409, 413, 415, 503],
      handlers: upload(formBody(context, 'audio_sample', 'audio'), (request, response) =>
        addAudioVoice(context, request, response).catch((error) => refuseTaken(error, response, 'name')),
      ),
    },
    {
      method: 'get',
      path: '/v1/audio/voices/:id',
      tag: 'voices',
      summary: 'Get a voice, as OpenAI describes it.',
      description: 'Compatible with OpenAI (`audio.voices.retrieve`). `GET /v1/voices/{id}` has more.',
      answers: {
        200: { description: 'The voice.', contents: { 'application/json': audioVoice }, example: audioVoiceExample },
      },
      failures: [404],
      handlers: [
        async (request, response) => {
          const voice = await withErrorParam('id', () => allVoices().get(String(request.params.id)));
          response.json(audioVoiceOf(voice));
        },
      ],
    },
    {
      method: 'delete',
      path: '/v1/audio/voices/:id',
      tag: 'voices',
      summary: 'Delete a voice, as in the API of OpenAI.',
      description: 'Compatible with OpenAI (`audio.voices.delete`) and vLLM-Omni. Same as `DELETE /v1/voices/{id}`.',
      answers: {
        200: {
          description: 'The voice was deleted.',
          contents: { 'application/json': deletedAudioVoice },
          example: {
            id: 'anna',
            object: 'audio.voice',
            deleted: true,
            success: true,
            message: "Voice 'anna' deleted successfully",
          },
        },
      },
      failures: [403, 404],
      handlers: [
        async (request, response) => {
          const id = await withErrorParam('id', () => allVoices().remove(String(request.params.id)));
          const message = `Voice '${id}' deleted successfully`;
          response.json({ id, object: 'audio.voice', deleted: true, success: true, message });
        },
      ],
    },
  ];
}

const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

const audioVoiceOf = (voice: CatalogVoice) => ({
  id: voice.id,
  object: 'audio.voice' as const,
  created_at: unixSeconds(voice.createdAt),
  name: voice.id,
  type: 'audio_sample' as const,
});

interface NewName {
  readonly id: string;
  readonly warnings: readonly string[];
}

/** The name that a voice gets. @throws SvcError INVALID_REQUEST */
export function nameFor(given: string): NewName {
  const id = idOfName(given);
  const warnings =
    id === given.normalize('NFC')
      ? []
      : [`the voice is called ${JSON.stringify(id)}: names have letters, digits, dots, hyphens and underscores`];
  return { id, warnings };
}

async function addAudioVoice(context: ServerContext, request: Request, response: Response): Promise<void> {
  const { unknownFields, ...fields } = parseKnown(audioVoiceFields, request.body ?? {}, { others: silentVoiceFields });
  const unknown = warnOfUnknown(unknownFields, context.settings);
  const { type, consent, ref_text, text, denoise, replace, lexicon, model } = fields;
  const given = fields.name ?? fields.id;
  if (!given?.trim()) throw requestError('name is required', 'name');
  if (type === 'prompt') {
    throw requestError('voices are cloned from recordings: type must be "audio_sample", got "prompt"', 'type');
  }
  const { id, warnings } = await withErrorParam('name', () => nameFor(given));
  const words = await lexiconOf(lexicon);
  const client = clientOf(request, response);
  const { file } = request;
  const audio = await readUpload(file, 'audio_sample', context.settings, { signal: client.signal, denoise });
  const transcript = (ref_text ?? text)?.trim() || undefined;
  const early = [...unknown, ...warnings, ...(words.warnings ?? [])];
  const recording: NamedRecording = {
    id,
    audio,
    text: transcript,
    denoise,
    language: fields.language ?? undefined,
    ...words,
    warnings: early,
    ...(replace && { mode: 'replace' }),
  };
  const created = await createVoice(context, recording, { choice: { model }, client, textField: 'ref_text' });
  if (consent !== undefined) context.logger.info({ voice: id, consent }, 'voice added with consent');
  const { voice, quality } = created;
  const stored = {
    name: voice.id,
    ...(consent !== undefined && { consent }),
    created_at: unixSeconds(voice.createdAt),
    mime_type: file?.mimetype ?? '',
    file_size: file?.size ?? 0,
    ...(transcript !== undefined && { ref_text: transcript }),
  };
  response
    .set({ ...warningFields(created.warnings), 'X-Job-Id': String(created.job) })
    .json({ ...audioVoiceOf(voice), success: true, voice: stored, quality, warnings: created.warnings });
}
