/** Voices, under the paths of each supported server. */
import { basename } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { ignoredVoice } from '../../engine/fixed-voice.ts';
import { toSvcError } from '../../errors.ts';
import { parse, requestError } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { parseNewVoiceId } from '../../voices/voice-id.ts';
import type { AddVoiceOptions, VoiceRecording } from '../../voices/voice-service.ts';
import type { ServerContext } from '../context.ts';
import { clientSignal, withJob } from '../jobs.ts';
import { formBody, jsonBody, requireForm, requireRoom } from '../middleware/bodies.ts';
import { sendProblem } from '../middleware/failure.ts';
import type { Operation } from '../operation.ts';
import { problemOf } from '../problem.ts';
import { readPath, readUpload } from '../recordings.ts';
import {
  deletedVoice,
  featureAnswer,
  featureFields,
  featureForm,
  pathVoiceBody,
  uploadFields,
  uploadForm,
  voiceList,
  voiceNames,
  voiceRecord,
} from '../schemas/voices.ts';
import { warningFields } from '../warning-fields.ts';

export function voiceOperations(context: ServerContext, limitUploads: RequestHandler): readonly Operation[] {
  const { voices, settings } = context;
  const record = { description: 'The voice.', contents: { 'application/json': voiceRecord } };
  return [
    ...['/v1/voices', '/v1/audio/voices'].map(
      (path): Operation => ({
        method: 'get',
        path,
        tag: 'voices',
        summary: 'List voices.',
        answers: { 200: { description: 'The voices.', contents: { 'application/json': voiceList } } },
        handlers: [
          async (_request, response) => {
            const data = (await voices.list()).map(plain);
            response.json({ object: 'list', data, voices: data });
          },
        ],
      }),
    ),
    {
      method: 'get',
      path: '/voices',
      tag: 'voices',
      summary: 'List the names of voices.',
      answers: { 200: { description: 'The names.', contents: { 'application/json': voiceNames } } },
      handlers: [
        async (_request, response) => {
          const names = (await voices.list()).map(({ id }) => id);
          response.json({ voices: names, count: names.length, cache_directory: basename(settings.voiceFolder) });
        },
      ],
    },
    {
      method: 'post',
      path: '/v1/voices',
      tag: 'voices',
      summary: 'Add a voice.',
      description: 'From an uploaded recording and its transcript (form), or from a recording on the server (JSON).',
      body: { 'multipart/form-data': uploadForm, 'application/json': pathVoiceBody },
      answers: { 201: record },
      handlers: [
        requireRoom(context),
        limitUploads,
        jsonBody(context),
        formBody(context, 'audio'),
        (request, response) => register(context, request, response),
      ],
    },
    {
      method: 'get',
      path: '/v1/voices/:id',
      tag: 'voices',
      summary: 'Get a voice.',
      answers: { 200: record },
      handlers: [async (request, response) => void response.json(plain(await voices.get(String(request.params.id))))],
    },
    {
      method: 'delete',
      path: '/v1/voices/:id',
      tag: 'voices',
      summary: 'Delete a voice.',
      answers: { 200: { description: 'The voice is deleted.', contents: { 'application/json': deletedVoice } } },
      handlers: [
        async (request, response) => {
          const id = await voices.remove(String(request.params.id));
          response.json({ id, deleted: true });
        },
      ],
    },
    {
      method: 'post',
      path: '/v1/voices/:id/encode',
      tag: 'voices',
      summary: 'Encode a voice for the current model.',
      answers: { 200: record },
      handlers: [
        async (request, response) => {
          const { id } = await voices.get(String(request.params.id));
          await withJob(context, request, response, async ({ signal }) => {
            await voices.load(await voices.choose(id), { signal });
            response.json(plain(await voices.get(id)));
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
      body: { 'multipart/form-data': featureForm },
      answers: { 200: { description: 'The stored voice.', contents: { 'application/json': featureAnswer } } },
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

/** The record of VoxCPM.cpp's server with the fields of the other servers. */
const plain = (voice: CatalogVoice): object => ({
  id: voice.id,
  object: 'voice',
  name: voice.id,
  prompt_text: voice.text ?? null,
  prompt_audio_length: voice.patchCount,
  sample_rate: voice.sampleRate,
  patch_size: voice.patchSize,
  feat_dim: voice.featureDim,
  created_at: voice.createdAt.toISOString(),
  updated_at: voice.updatedAt.toISOString(),
  roles: voice.roles,
  duration_seconds: Number(voice.seconds.toFixed(3)),
  models: voice.models,
  preset: voice.origin === 'preset',
});

async function register(context: ServerContext, request: Request, response: Response): Promise<void> {
  const signal = clientSignal(request, response);
  const recording = request.is('multipart/form-data')
    ? await recordingOfUpload(context, request, signal)
    : await recordingOfPath(context, request, signal);
  await withJob(context, request, response, async ({ signal }) => {
    try {
      const voice = await add(context, recording, { mode: 'create', signal });
      response.status(201).set(warnings(context, voice)).json(plain(voice));
    } catch (error) {
      if (toSvcError(error).code !== 'CONFLICT') throw error;
      sendProblem(response, { ...problemOf(error), code: 'voice_exists' });
    }
  });
}

async function recordingOfUpload(
  { settings }: ServerContext,
  request: Request,
  signal: AbortSignal,
): Promise<VoiceRecording> {
  const { id, text } = parse(uploadFields, request.body ?? {});
  requireText(text, 'text');
  return { id: parseNewVoiceId(id), text, audio: await readUpload(request.file, 'audio', settings, signal) };
}

async function recordingOfPath(
  { settings }: ServerContext,
  request: Request,
  signal: AbortSignal,
): Promise<VoiceRecording> {
  const { voice_name, prompt_wav_path, prompt_text } = parse(pathVoiceBody, request.body ?? {});
  requireText(prompt_text, 'prompt_text');
  return {
    id: parseNewVoiceId(voice_name),
    text: prompt_text,
    audio: await readPath(prompt_wav_path, settings, signal),
  };
}

async function storeFeatures(context: ServerContext, request: Request, response: Response): Promise<void> {
  const fields = { ...request.body, prompt_audio: request.file };
  const { feat_id, prompt_text = '' } = parse(featureFields, fields);
  const id = parseNewVoiceId(feat_id);
  const text = prompt_text.trim();
  // Without a transcript, VoxCPM 2 uses the recording as a reference; VoxCPM 1 continues it.
  const isReference = text === '' && context.engine.info.architecture === 'voxcpm2';
  const audio = await readUpload(request.file, 'prompt_audio', context.settings, clientSignal(request, response));
  const recording = { id, audio, ...(isReference ? { roles: ['reference' as const] } : { text }) };
  await withJob(context, request, response, async ({ signal }) => {
    const voice = await add(context, recording, { mode: 'replace', signal });
    response
      .set(warnings(context, voice))
      .json({ feat_id: id, patches_shape: [voice.patchCount, voice.patchSize, voice.featureDim] });
  });
}

/** Resolves when the voice is on disk. */
const add = ({ voices }: ServerContext, recording: VoiceRecording, options: AddVoiceOptions): Promise<CatalogVoice> =>
  voices.add(recording, options);

/** The voice is stored nevertheless, for use with another model. */
const warnings = ({ engine: { info } }: ServerContext, { id }: CatalogVoice): Readonly<Record<string, string>> =>
  warningFields(info.limits.fixedVoice === true ? [ignoredVoice(`voice ${id}`)] : []);

function requireText(text: string, field: string): void {
  if (text.trim() === '') throw requestError(`${field} must not be empty: give the transcript of the recording`, field);
}
