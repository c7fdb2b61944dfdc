/**
 * Voices by upload, at the addresses of OpenAI (`audio.voices`), of vLLM-Omni, which has the same, and of ElevenLabs (instant
 * voice cloning).
 */
import type { Request, RequestHandler, Response } from 'express';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { idOfName } from '../../voices/voice-id.ts';
import type { ServerContext } from '../context.ts';
import { clientOf } from '../http/client.ts';
import { firstFile, formBody, requireForm, requireRoom } from '../http/middleware/bodies.ts';
import type { Operation } from '../http/operation.ts';
import { parseKnown, warnOfUnknown } from '../http/unknown-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { type CreatedVoice, createVoice } from '../recordings/create-voice.ts';
import { readUpload } from '../recordings/recordings.ts';
import { lexiconOf, type NamedRecording } from '../recordings/voice-recordings.ts';
import {
  audioVoice,
  audioVoiceExample,
  audioVoiceFields,
  audioVoiceForm,
  createdAudioVoice,
  deletedAudioVoice,
  elevenlabsEditForm,
  elevenlabsVoiceAdded,
  elevenlabsVoiceFields,
  elevenlabsVoiceForm,
  silentVoiceFields,
  statusOk,
} from '../schemas/audio-voices.ts';
import { warningFields } from '../speech/warning-fields.ts';
import { refuseTaken } from './voices.ts';

/** More than ElevenLabs takes. */
const mostSamples = 25;

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
  const elevenlabs = (
    path: string,
    texts: Pick<Operation, 'summary' | 'description' | 'answers'>,
    handler: RequestHandler,
  ): Operation => ({
    method: 'post',
    path,
    tag: 'voices',
    dialect: 'elevenlabs',
    ...texts,
    body: { 'multipart/form-data': path.endsWith('/edit') ? elevenlabsEditForm : elevenlabsVoiceForm },
    examples: { 'multipart/form-data': { name: 'anna' } },
    failures: [404, 413, 415, 422, 503],
    handlers: upload(firstFile(context, ['files', 'files[]'], mostSamples), handler),
  });
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
    elevenlabs(
      '/v1/voices/add',
      {
        summary: 'Add a voice by instant voice cloning.',
        description:
          'Compatible with ElevenLabs. Of several files, the first is used. Without a transcript, which ElevenLabs does not have (`text` here), `--check-with` supplies it, or VoxCPM 2 takes only the timbre.',
        answers: {
          200: {
            description: 'The voice is stored.',
            contents: { 'application/json': elevenlabsVoiceAdded },
            example: { voice_id: 'anna', requires_verification: false },
          },
        },
      },
      async (request, response) => {
        const { voice, warnings } = await addElevenlabsVoice(context, request, response, undefined);
        response.set(warningFields(warnings)).json({ voice_id: voice.id, requires_verification: false });
      },
    ),
    elevenlabs(
      '/v1/voices/:id/edit',
      {
        summary: 'Load another recording into a voice.',
        description: 'Compatible with ElevenLabs. A voice keeps its name; without files, nothing changes.',
        answers: {
          200: {
            description: 'The voice was changed.',
            contents: { 'application/json': statusOk },
            example: { status: 'ok' },
          },
        },
      },
      async (request, response) => {
        const id = String(request.params.id);
        const { origin } = await withErrorParam('id', () => allVoices().get(id));
        const { name = '' } = parseKnown(elevenlabsVoiceFields, request.body ?? {}, { others: silentVoiceFields });
        if (name.trim() !== '' && name.trim() !== id && idOfName(name) !== id) {
          throw requestError(`a voice keeps its name: name must be ${JSON.stringify(id)}, or left out`, 'name');
        }
        if (request.file === undefined) return void response.json({ status: 'ok' });
        if (origin === 'preset')
          throw new SvcError('FORBIDDEN', `voice ${quote(id)} is built in and cannot be changed`, { param: 'id' });
        const { warnings } = await addElevenlabsVoice(context, request, response, id);
        response.set(warningFields(warnings)).json({ status: 'ok' });
      },
    ),
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
function nameFor(given: string): NewName {
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

/** @param id of the voice to replace; undefined for a new one */
async function addElevenlabsVoice(
  context: ServerContext,
  request: Request,
  response: Response,
  id: string | undefined,
): Promise<CreatedVoice> {
  const { unknownFields, ...fields } = parseKnown(elevenlabsVoiceFields, request.body ?? {}, {
    others: silentVoiceFields,
  });
  const unknown = warnOfUnknown(unknownFields, context.settings);
  const { name = '', text, remove_background_noise: denoise, labels: language } = fields;
  if (id === undefined && name.trim() === '') throw requestError('name is required', 'name');
  const named = id === undefined ? await withErrorParam('name', () => nameFor(name)) : { id, warnings: [] };
  const client = clientOf(request, response);
  const audio = await readUpload(request.file, 'files', context.settings, { signal: client.signal, denoise });
  const dropped = droppedFiles(request);
  const files = dropped === 0 ? [] : [`only the first of ${dropped + 1} files is used`];
  const recording: Omit<NamedRecording, 'id'> = {
    audio,
    text: text?.trim() || undefined,
    denoise,
    language,
    warnings: [...unknown, ...named.warnings, ...files],
    mode: id === undefined ? 'create' : 'replace',
  };
  const create = (id: string) => createVoice(context, { id, ...recording }, { choice: {}, client, textField: 'text' });
  return id === undefined ? createNumbered(context, named.id, create) : create(id);
}

/** Creates a voice under the first free name; one that another request takes meanwhile is taken too. @throws SvcError */
async function createNumbered(
  context: ServerContext,
  wanted: string,
  create: (id: string) => Promise<CreatedVoice>,
): Promise<CreatedVoice> {
  const taken = new Set<string>();
  for (;;) {
    const id = await freeName(context, wanted, taken);
    try {
      return await create(id);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'CONFLICT' || taken.size === mostTaken) throw error;
      taken.add(id);
    }
  }
}

/** Requests for one name at once, at most; the queue has fewer places. */
const mostTaken = 100;

/** Names of ElevenLabs' voices may be equal; a number makes them differ here. */
async function freeName({ allVoices }: ServerContext, wanted: string, others: ReadonlySet<string>): Promise<string> {
  const taken = new Set([...others, ...(await allVoices().list()).map(({ id }) => id)]);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted.slice(0, 60)}-${number}`;
    if (!taken.has(name)) return name;
  }
}

const droppedFiles = ({ res }: Request): number => Number(res?.locals.droppedFiles ?? 0);
