/** The voice store, at the endpoints of each server whose clients we support. */
import { basename } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { encodeWav } from '../../audio/encode/wav-encode.ts';
import { toSvcError } from '../../errors.ts';
import { parse } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { ownVoiceId, parseNewVoiceId } from '../../voices/voice-id.ts';
import type { VoiceRole } from '../../voices/voice-store.ts';
import type { ServerContext } from '../context.ts';
import { answerRange } from '../http/byte-range.ts';
import { clientOf, clientSignal } from '../http/client.ts';
import { elevenlabsKeyHeader, keyOf } from '../http/middleware/authorize.ts';
import { formBody, jsonBody, requireForm, requireRoom } from '../http/middleware/bodies.ts';
import { sendProblem } from '../http/middleware/failure.ts';
import type { Operation } from '../http/operation.ts';
import { problemOf } from '../http/problem.ts';
import { parseKnown, warnOfUnknown } from '../http/unknown-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { createVoice, storeVoice } from '../recordings/create-voice.ts';
import { readUpload } from '../recordings/recordings.ts';
import { recordOf, wholeRecordOf } from '../recordings/voice-record.ts';
import { canBeReference, lexiconOf, recordingOfPath, recordingOfUpload } from '../recordings/voice-recordings.ts';
import {
  deletedVoice,
  featureAnswer,
  featureFields,
  featureForm,
  modelQuery,
  newVoice,
  pathVoiceBody,
  qualityExample,
  uploadForm,
  type VoiceRecord,
  voiceExample,
  voiceList,
  voiceNames,
  voiceRecord,
} from '../schemas/voices.ts';
import { withJob } from '../speech/jobs.ts';
import { withModel } from '../speech/model-context.ts';
import { warningFields } from '../speech/warning-fields.ts';

export function voiceOperations(context: ServerContext, limitUploads: RequestHandler): readonly Operation[] {
  const { settings, allVoices } = context;
  const record = { description: 'The voice.', contents: { 'application/json': voiceRecord }, example: voiceExample };
  const list = { object: 'list', data: [voiceExample], voices: [voiceExample] };
  return [
    ...['/v1/voices', '/v1/audio/voices'].map(
      (path): Operation => ({
        method: 'get',
        path,
        tag: 'voices',
        access: 'list',
        summary: 'List voices.',
        description:
          path === '/v1/voices'
            ? 'Stored voices and those that come with the server. `data` and `voices` are the same list, for clients of different APIs. A request with the header `xi-api-key` also gets `default`, the voice of the model itself.'
            : 'Same as `GET /v1/voices`, at the path that Open WebUI uses.',
        answers: {
          200: { description: 'The voices.', contents: { 'application/json': voiceList }, example: list },
        },
        handlers: [
          async (request, response) => {
            const isElevenlabs = request.get(elevenlabsKeyHeader) !== undefined;
            const data = await listed(context, response, isElevenlabs ? 'with own' : 'without own');
            response.json({
              object: 'list',
              data,
              voices: data,
              ...(path === '/v1/voices' ? {} : { uploaded_voices: uploaded(data) }),
            });
          },
        ],
      }),
    ),
    {
      method: 'get',
      path: '/voices',
      tag: 'voices',
      access: 'list',
      summary: 'List the names of voices.',
      description: 'Compatible with VoxCPMANE.',
      answers: {
        200: {
          description: 'The names.',
          contents: { 'application/json': voiceNames },
          example: {
            voices: ['anna', 'alma'],
            count: 2,
            cache_directory: 'voices',
            system_voices: ['alma'],
            custom_voices: ['anna'],
          },
        },
      },
      handlers: [
        async (_request, response) => {
          const voices = await allVoices().list();
          const names = voices.map(({ id }) => id);
          const isCustom = ({ origin, aliasOf }: CatalogVoice) => origin === 'stored' && aliasOf === undefined;
          response.json({
            voices: names,
            count: names.length,
            cache_directory: basename(settings.voiceFolder),
            system_voices: voices.filter((voice) => !isCustom(voice)).map(({ id }) => id),
            custom_voices: voices.filter(isCustom).map(({ id }) => id),
          });
        },
      ],
    },
    {
      method: 'post',
      path: '/v1/voices',
      tag: 'voices',
      summary: 'Add a voice, cloned from a recording.',
      description:
        'Upload the recording and its transcript as a form, or name a recording on the server in JSON. A recording of 3 to 30 seconds, of one speaker and without noise, works best; the limits are 0.3 and 120 seconds. Without a transcript, VoxCPM 2 takes only the timbre of the recording. Then use the name as `voice` in requests for speech.',
      samples: [{ title: 'Example: clone a voice from a recording', name: 'voice' }],
      body: { 'multipart/form-data': uploadForm, 'application/json': pathVoiceBody },
      examples: {
        'multipart/form-data': { id: 'anna', text: 'The words of the recording.' },
        'application/json': {
          voice_name: 'anna',
          prompt_wav_path: 'anna.wav',
          prompt_text: 'The words of the recording.',
        },
      },
      answers: {
        201: {
          description: 'The voice is stored.',
          contents: { 'application/json': newVoice },
          example: { ...voiceExample, quality: qualityExample, warnings: [] },
        },
      },
      failures: [400, 403, 409, 413, 415, 503],
      handlers: [
        requireRoom(context),
        limitUploads,
        ...jsonBody(context),
        formBody(context, 'audio'),
        (request, response) => register(context, request, response),
      ],
    },
    {
      method: 'get',
      path: '/v1/voices/:id',
      tag: 'voices',
      summary: 'Get a voice.',
      description: 'A stored voice, one that comes with the server, or `default`, the voice of the model itself.',
      answers: { 200: record },
      failures: [404],
      handlers: [
        async (request, response) =>
          void response.json(
            wholeRecordOf(await withErrorParam('id', () => getVoice(context, String(request.params.id)))),
          ),
      ],
    },
    {
      method: 'get',
      path: '/v1/voices/:id/audio',
      tag: 'voices',
      summary: 'Get the recording of a voice.',
      description:
        'The recording as a WAV file, of a stored voice or one that comes with the server. Players may ask for a range of bytes.',
      answers: {
        200: { description: 'The recording.', contents: { 'audio/wav': z.string().meta({ format: 'binary' }) } },
        206: { description: 'A part of it.', contents: { 'audio/wav': z.string().meta({ format: 'binary' }) } },
      },
      failures: [404],
      handlers: [
        async (request, response) => {
          const id = String(request.params.id);
          const { samples, sampleRate } = await withErrorParam('id', () => allVoices().recording(id));
          const { buffer, byteOffset, byteLength } = encodeWav(samples, sampleRate, 's16');
          // It belongs to a person, so no proxy may keep it.
          response.attachment(`${id}.wav`).set('Cache-Control', 'private, no-cache').type('audio/wav');
          const range = answerRange(request, response, byteLength);
          if (range === undefined) return;
          const { start, end } = range;
          response.end(Buffer.from(buffer, byteOffset, byteLength).subarray(start, end + 1));
        },
      ],
    },
    {
      method: 'delete',
      path: '/v1/voices/:id',
      tag: 'voices',
      summary: 'Delete a voice.',
      description:
        'Deletes the voice and its recording permanently. Voices that come with the server cannot be deleted.',
      answers: {
        200: {
          description: 'The voice was deleted.',
          contents: { 'application/json': deletedVoice },
          example: { id: 'anna', deleted: true, status: 'ok' },
        },
      },
      failures: [404],
      handlers: [
        async (request, response) => {
          const id = await withErrorParam('id', () => allVoices().remove(String(request.params.id)));
          response.json({ id, deleted: true, status: 'ok' });
        },
      ],
    },
    {
      method: 'post',
      path: '/v1/voices/:id/encode',
      tag: 'voices',
      summary: 'Encode a voice for a model.',
      description:
        'Optional: a voice is encoded again on first use by a model with another audio encoder. Do it here in advance.',
      query: modelQuery,
      answers: { 200: { ...record, description: 'The voice is encoded.' } },
      failures: [404, 409, 503],
      handlers: [
        async (request, response) => {
          const { id } = await withErrorParam('id', () => allVoices().get(String(request.params.id)));
          const choice = parse(modelQuery, request.query);
          await withModel(context, choice, request, response, async (context) => {
            const { voices } = context;
            await withJob(context, request, response, async ({ signal }) => {
              await withErrorParam('id', async () => voices.load(await voices.choose(id), { signal }));
              response.json(wholeRecordOf(await voices.get(id)));
            });
          });
        },
      ],
    },
    {
      method: 'post',
      path: '/ref_feat',
      tag: 'voices',
      dialect: 'voxcpm-onnx',
      summary: 'Add or replace a voice.',
      description:
        'Compatible with VoxCPM-ONNX. Replaces a voice of the same name. Without a transcript, VoxCPM 2 takes only the timbre of the recording.',
      body: { 'multipart/form-data': featureForm },
      examples: { 'multipart/form-data': { feat_id: 'anna', prompt_text: 'The words of the recording.' } },
      answers: {
        200: {
          description: 'The voice is stored.',
          contents: { 'application/json': featureAnswer },
          example: { feat_id: 'anna', patches_shape: [63, 2, 64] },
        },
      },
      failures: [413, 415, 422, 503],
      handlers: [
        requireRoom(context),
        limitUploads,
        requireForm,
        formBody(context, 'prompt_audio'),
        (request, response) => storeFeatures(context, request, response),
      ],
    },
  ];
}

/** A voice by name, or the voice of the model itself. @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
function getVoice({ allVoices, settings }: ServerContext, name: string): Promise<CatalogVoice> | CatalogVoice {
  const voices = allVoices();
  return name === ownVoiceId && settings.voiceAliases?.get(name) === undefined ? voices.own() : voices.get(name);
}

/** Voices that clients have added, as vLLM-Omni lists them. */
const uploaded = (records: readonly VoiceRecord[]) =>
  records
    .filter(({ preset, alias_of }) => !preset && alias_of === null)
    .map(({ name, created_at, prompt_text }) => ({
      name,
      created_at: Math.floor(Date.parse(created_at) / 1000),
      ...(prompt_text !== null && { ref_text: prompt_text }),
    }));

/**
 * All voices. Transcripts are private, also where the list is public.
 *
 * @param own whether to list the model's own voice, without which clients of ElevenLabs could find nothing to choose
 */
export async function listed(
  { settings, allVoices }: ServerContext,
  response: Response,
  own: 'with own' | 'without own',
): Promise<readonly VoiceRecord[]> {
  const isStranger = settings.findKey !== undefined && keyOf(response) === undefined;
  const voices = allVoices();
  const records = [...(own === 'with own' ? [voices.own()] : []), ...(await voices.list())].map(recordOf);
  return isStranger ? records.map((record) => ({ ...record, prompt_text: null })) : records;
}

async function register(context: ServerContext, request: Request, response: Response): Promise<void> {
  const client = clientOf(request, response);
  const isUpload = Boolean(request.is('multipart/form-data'));
  const recording = await (isUpload ? recordingOfUpload : recordingOfPath)(context, request, client.signal);
  const choice = parse(modelQuery, request.body ?? {});
  try {
    const textField = isUpload ? 'text' : 'prompt_text';
    const { voice, quality, warnings, job } = await createVoice(context, recording, { choice, client, textField });
    const mode = isUpload || !request.body?.reference_wav_path ? {} : { mode: modeOf(voice.roles) };
    response
      .status(201)
      .set({ ...warningFields(warnings), 'X-Job-Id': String(job) })
      .json({ ...wholeRecordOf(voice), quality, warnings, ...mode });
  } catch (error) {
    refuseTaken(error, response, isUpload ? 'id' : 'voice_name');
  }
}

/** Answers that a name is taken. @param param its field @throws any other error */
export function refuseTaken(error: unknown, response: Response, param: string): void {
  if (toSvcError(error).code !== 'CONFLICT') throw error;
  sendProblem(response, { ...problemOf(error), code: 'voice_exists', param });
}

/** As VoxCPMANE 2 calls it. */
const modeOf = (roles: readonly VoiceRole[]) => {
  if (!roles.includes('prompt')) return 'reference';
  return roles.includes('reference') ? 'reference_plus_continuation' : 'continuation';
};

async function storeFeatures(context: ServerContext, request: Request, response: Response): Promise<void> {
  const fields = { ...request.body, prompt_audio: request.file };
  const { feat_id, prompt_text = '', lexicon, language, denoise, unknownFields } = parseKnown(featureFields, fields);
  const unknown = warnOfUnknown(unknownFields, context.settings);
  const id = await withErrorParam('feat_id', () => parseNewVoiceId(feat_id));
  const text = prompt_text.trim();
  const words = await lexiconOf(lexicon);
  const audio = await readUpload(request.file, 'prompt_audio', context.settings, {
    signal: clientSignal(request, response),
    denoise,
  });
  await withModel(context, {}, request, response, (context) => {
    // Without a transcript, VoxCPM 2 uses the recording as a reference; VoxCPM 1 continues it.
    const isReference = text === '' && canBeReference(context.engine.info);
    const recording = {
      id,
      audio,
      language: language ?? undefined,
      ...words,
      ...(isReference ? { roles: ['reference' as const] } : { text }),
    };
    return withJob(context, request, response, async ({ signal }) => {
      const voice = await storeVoice(context, recording, { mode: 'replace', signal });
      const warnings = [...unknown, ...(recording.warnings ?? [])];
      if (warnings.length > 0) context.logger.warn({ voice: id, warnings }, 'voice had warnings');
      response
        .set(warningFields(warnings))
        .json({ feat_id: id, patches_shape: [voice.patchCount, voice.patchSize, voice.featureDim] });
    });
  });
}
