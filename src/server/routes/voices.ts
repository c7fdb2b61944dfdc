/** The voice store, at the endpoints of each server whose clients we support. */
import { basename } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { recordingWarnings } from '../../audio/analyze/prompt-check.ts';
import { measureRecording, type RecordingQuality } from '../../audio/analyze/recording-quality.ts';
import { encodeWav } from '../../audio/encode/wav-encode.ts';
import { toSvcError } from '../../errors.ts';
import { parse } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { parseNewVoiceId } from '../../voices/voice-id.ts';
import type { AddVoiceOptions, VoiceRecording } from '../../voices/voice-service.ts';
import type { ModelContext, ServerContext } from '../context.ts';
import { clientSignal } from '../http/client.ts';
import { elevenlabsKeyHeader, keyOf } from '../http/middleware/authorize.ts';
import { formBody, jsonBody, requireForm, requireRoom } from '../http/middleware/bodies.ts';
import { sendProblem } from '../http/middleware/failure.ts';
import type { Operation } from '../http/operation.ts';
import { problemOf } from '../http/problem.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { readUpload } from '../recordings/recordings.ts';
import { assertSpareDisk } from '../recordings/spare-disk.ts';
import {
  canBeReference,
  lexiconOf,
  type NamedRecording,
  recordingOfPath,
  recordingOfUpload,
  requireText,
} from '../recordings/voice-recordings.ts';
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
            response.json({ object: 'list', data, voices: data });
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
          example: { voices: ['anna', 'alma'], count: 2, cache_directory: 'voices' },
        },
      },
      handlers: [
        async (_request, response) => {
          const names = (await allVoices().list()).map(({ id }) => id);
          response.json({ voices: names, count: names.length, cache_directory: basename(settings.voiceFolder) });
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
      description: 'A stored voice, or one that comes with the server.',
      answers: { 200: record },
      failures: [404],
      handlers: [
        async (request, response) =>
          void response.json(plain(await withErrorParam('id', () => allVoices().get(String(request.params.id))))),
      ],
    },
    {
      method: 'get',
      path: '/v1/voices/:id/audio',
      tag: 'voices',
      summary: 'Get the recording of a voice.',
      description: 'The recording as a WAV file, of a stored voice or one that comes with the server.',
      answers: {
        200: { description: 'The recording.', contents: { 'audio/wav': z.string().meta({ format: 'binary' }) } },
      },
      failures: [404],
      handlers: [
        async (request, response) => {
          const id = String(request.params.id);
          const { samples, sampleRate } = await withErrorParam('id', () => allVoices().recording(id));
          const { buffer, byteOffset, byteLength } = encodeWav(samples, sampleRate, 's16');
          // It belongs to a person, so no proxy may keep it.
          response.attachment(`${id}.wav`).set('Cache-Control', 'private, no-cache');
          response.type('audio/wav').send(Buffer.from(buffer, byteOffset, byteLength));
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
          example: { id: 'anna', deleted: true },
        },
      },
      failures: [404],
      handlers: [
        async (request, response) => {
          const id = await withErrorParam('id', () => allVoices().remove(String(request.params.id)));
          response.json({ id, deleted: true });
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
              response.json(plain(await voices.get(id)));
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

/** VoxCPM.cpp's fields, and those that other clients and the playground need. */
const recordOf = (voice: CatalogVoice): VoiceRecord => ({
  id: voice.id,
  object: 'voice',
  name: voice.id,
  alias_of: voice.aliasOf ?? null,
  prompt_text: voice.text ?? null,
  prompt_audio_length: voice.patchCount,
  sample_rate: voice.sampleRate,
  patch_size: voice.patchSize,
  feat_dim: voice.featureDim,
  created_at: voice.createdAt.toISOString(),
  updated_at: voice.updatedAt.toISOString(),
  roles: [...voice.roles],
  duration_seconds: Number(voice.seconds.toFixed(3)),
  models: [...voice.models],
  lexicon_entries: voice.lexicon?.length ?? 0,
  preset: voice.origin === 'preset',
  has_recording: voice.hasRecording,
  voice_id: voice.id,
  category: voice.origin === 'preset' ? 'premade' : 'cloned',
});

const plain = (voice: CatalogVoice) => ({
  ...recordOf(voice),
  lexicon: voice.lexicon && Object.fromEntries(voice.lexicon.map(({ written, spoken }) => [written, spoken])),
});

async function register(context: ServerContext, request: Request, response: Response): Promise<void> {
  const signal = clientSignal(request, response);
  const isUpload = Boolean(request.is('multipart/form-data'));
  const recording = await (isUpload ? recordingOfUpload : recordingOfPath)(context, request, signal);
  const choice = parse(modelQuery, request.body ?? {});
  await withModel(context, choice, request, response, (context) =>
    withJob(context, request, response, async ({ signal }) => {
      try {
        const { audio } = recording;
        const text = recording.text ?? (await context.recognize?.(audio, signal));
        if (!canBeReference(context.engine.info)) requireText(text, isUpload ? 'text' : 'prompt_text');
        const added = text === undefined ? { ...recording, roles: ['reference' as const] } : { ...recording, text };
        const voice = await add(context, added, { mode: 'create', signal });
        const all = [...(recording.warnings ?? []), ...aboutRecording(context, recording, voice)];
        response
          .status(201)
          .set(warningFields(all))
          .json({ ...plain(voice), quality: plainQuality(measureRecording(audio)), warnings: all });
      } catch (error) {
        if (toSvcError(error).code !== 'CONFLICT') throw error;
        sendProblem(response, { ...problemOf(error), code: 'voice_exists', param: isUpload ? 'id' : 'voice_name' });
      }
    }),
  );
}

async function storeFeatures(context: ServerContext, request: Request, response: Response): Promise<void> {
  const fields = { ...request.body, prompt_audio: request.file };
  const { feat_id, prompt_text = '', lexicon, denoise } = parse(featureFields, fields);
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
    const recording = { id, audio, ...words, ...(isReference ? { roles: ['reference' as const] } : { text }) };
    return withJob(context, request, response, async ({ signal }) => {
      const voice = await add(context, recording, { mode: 'replace', signal });
      response
        .set(warningFields(recording.warnings ?? []))
        .json({ feat_id: id, patches_shape: [voice.patchCount, voice.patchSize, voice.featureDim] });
    });
  });
}

/** Resolves when the voice is on disk. */
async function add(
  { voices, settings }: ModelContext,
  recording: VoiceRecording,
  options: AddVoiceOptions,
): Promise<CatalogVoice> {
  await assertSpareDisk(settings);
  return voices.add(recording, options);
}

/** What may make the voice sound poor. */
const aboutRecording = (
  { engine: { info } }: ModelContext,
  { audio, denoise }: NamedRecording,
  { roles }: CatalogVoice,
): readonly string[] => recordingWarnings(audio, info, roles[0] ?? 'prompt', denoise ? undefined : 'denoise');

const rounded = (level: number | undefined): number | null => (level === undefined ? null : Number(level.toFixed(1)));

const plainQuality = ({ seconds, levelDb, noiseDb, snrDb, silent, clipped }: RecordingQuality): object => ({
  duration_seconds: Number(seconds.toFixed(3)),
  level_db: rounded(levelDb),
  noise_db: rounded(noiseDb),
  snr_db: rounded(snrDb),
  silent: Number(silent.toFixed(3)),
  clipped: Number(clipped.toFixed(6)),
});
