/** Voices by upload, at the addresses of OpenAI (`audio.voices`) and of vLLM-Omni, which has the same. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { transcript } from '../../engine/voice-fields.ts';
import { oneOf, requestError, text } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { idOfName } from '../../voices/voice-id.ts';
import { clientOf } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { parseKnown, warnOfUnknown } from '../http/unknown-fields.ts';
import { warningFields } from '../http/warning-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { uploadBody } from '../middleware/bodies.ts';
import { answering, formRequest, type Operation, route } from '../openapi/operation.ts';
import { createVoice } from '../recordings/create-voice.ts';
import { readUpload } from '../recordings/recordings.ts';
import { lexiconOf, type NamedRecording } from '../recordings/voice-recordings.ts';
import { formDenoise, formTruth } from '../schemas/speech.ts';
import {
  formVoiceLanguage,
  lexiconText,
  modelQuery,
  quality,
  recordingFile,
  transcriptHelp,
} from '../schemas/voices.ts';
import { refuseTaken } from './voices.ts';

/** Fields about a voice without effect on its sound. */
export const silentVoiceFields: readonly string[] = [
  'description',
  'labels',
  'moderate_metadata',
  'speaker_description',
];

export const audioVoiceFields = z.object({
  name: text
    .optional()
    .describe(
      'Name of the voice; characters other than letters, digits, dots, hyphens and underscores become hyphens.',
    ),
  id: text.optional().describe('Same as `name`.'),
  consent: text.max(256).optional().describe('ID of the consent of the person, for the log.'),
  type: oneOf(['audio_sample', 'prompt']).optional().describe('`audio_sample`: voices are cloned from recordings.'),
  ref_text: transcript.optional().describe(transcriptHelp),
  text: transcript.optional().describe('Same as `ref_text`.'),
  denoise: formDenoise,
  lexicon: lexiconText,
  language: formVoiceLanguage,
  replace: formTruth.meta({ description: 'Replace a voice of the same name.', default: false }),
  ...modelQuery.shape,
});
export const audioVoiceForm = audioVoiceFields.extend({ audio_sample: recordingFile });

export const audioVoice = z.object({
  id: z.string().describe('Voice name, for `voice` in requests for speech.'),
  object: z.literal('audio.voice'),
  created_at: z.int().describe('Time of creation, in seconds since 1970.'),
  name: z.string().describe('Same as `id`.'),
  type: z.literal('audio_sample'),
});

export const audioVoiceExample = {
  ...{ id: 'anna', object: 'audio.voice', created_at: 1_763_640_000, name: 'anna', type: 'audio_sample' },
} as const satisfies z.output<typeof audioVoice>;

export const createdAudioVoice = audioVoice.extend({
  success: z.literal(true).describe('Always `true`, for clients of vLLM-Omni.'),
  voice: z
    .object({
      name: z.string().describe('Voice name.'),
      consent: z.string().optional().describe('As it was sent.'),
      created_at: z.int().describe('Time of creation, in seconds since 1970.'),
      mime_type: z.string().describe('Content type of the upload, as it was declared.'),
      file_size: z.int().describe('Size of the upload, in bytes.'),
      ref_text: z.string().optional().describe('Transcript of the recording.'),
    })
    .describe('The same, as vLLM-Omni describes it.'),
  quality: quality.describe('How well the recording would serve as a voice.'),
  warnings: z.array(z.string()).describe('What may make the voice sound poor.'),
});

export const createdExample = {
  ...audioVoiceExample,
  success: true,
  voice: {
    ...{ name: 'anna', consent: 'cons_1234', created_at: 1_763_640_000 },
    ...{ mime_type: 'audio/wav', file_size: 161_280 },
  },
  quality: {},
  warnings: [],
};

export const deletedAudioVoice = z.object({
  id: z.string().describe('Voice name.'),
  object: z.literal('audio.voice'),
  deleted: z.literal(true),
  success: z.literal(true).describe('Always `true`, for clients of vLLM-Omni.'),
  message: z.string().describe('The same in words.'),
});

export function audioVoiceOperations(context: ServerContext): readonly Operation[] {
  const { allVoices } = context;
  const example = { name: 'anna', consent: 'cons_1234', ref_text: 'The words of the recording.' };
  return [
    {
      ...route('post', '/v1/audio/voices', 'voices', 'Add a voice, cloned from an uploaded recording.'),
      description:
        'Compatible with OpenAI (`audio.voices.create`) and with vLLM-Omni, whose `ref_text` is the transcript. `consent` is written to the log with the name of the voice. Characters that names of voices cannot have become hyphens.',
      ...formRequest(audioVoiceForm, example),
      ...answering('The voice is stored.', createdAudioVoice, createdExample),
      failures: [400, 409, 413, 415, 503],
      handlers: uploadBody(context, 'audio_sample', 'audio'),
      handle: (request, response) =>
        addAudioVoice(context, request, response).catch((error) => refuseTaken(error, response, 'name')),
    },
    {
      ...route('get', '/v1/audio/voices/:id', 'voices', 'Get a voice, as OpenAI describes it.'),
      description: 'Compatible with OpenAI (`audio.voices.retrieve`). `GET /v1/voices/{id}` has more.',
      ...answering('The voice.', audioVoice, audioVoiceExample),
      failures: [404],
      async handle(request, response) {
        const voice = await withErrorParam('id', () => allVoices().get(String(request.params.id)));
        response.json(audioVoiceOf(voice));
      },
    },
    {
      ...route('delete', '/v1/audio/voices/:id', 'voices', 'Delete a voice, as in the API of OpenAI.'),
      description: 'Compatible with OpenAI (`audio.voices.delete`) and vLLM-Omni. Same as `DELETE /v1/voices/{id}`.',
      ...answering('The voice was deleted.', deletedAudioVoice, deletion('anna')),
      failures: [403, 404],
      async handle(request, response) {
        response.json(deletion(await withErrorParam('id', () => allVoices().remove(String(request.params.id)))));
      },
    },
  ];
}

const deletion = (id: string): z.output<typeof deletedAudioVoice> => ({
  ...{ id, object: 'audio.voice', deleted: true, success: true },
  message: `Voice '${id}' deleted successfully`,
});

const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

const audioVoiceOf = (voice: CatalogVoice) => ({
  id: voice.id,
  object: 'audio.voice' as const,
  created_at: unixSeconds(voice.createdAt),
  name: voice.id,
  type: 'audio_sample' as const,
});

export function nameFor(given: string): { readonly id: string; readonly warnings: readonly string[] } {
  const id = idOfName(given);
  const warning = `the voice is called ${JSON.stringify(id)}: names have letters, digits, dots, hyphens and underscores`;
  return { id, warnings: id === given.normalize('NFC') ? [] : [warning] };
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
  const client = clientOf(response);
  const { file } = request;
  const audio = await readUpload(file, 'audio_sample', context.settings, { signal: client.signal, denoise });
  const transcript = (ref_text ?? text)?.trim() || undefined;
  const recording: NamedRecording = {
    id,
    audio,
    text: transcript,
    denoise,
    language: fields.language ?? undefined,
    ...words,
    warnings: [...unknown, ...warnings, ...(words.warnings ?? [])],
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
