import type { Request, Response } from 'express';
import { encodeWav } from '../../audio/encode/wav-encode.ts';
import { toSvcError } from '../../errors.ts';
import { parse } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { ownVoiceId } from '../../voices/voice-id.ts';
import type { VoiceRole } from '../../voices/voice-store.ts';
import { clientOf } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { keyOf } from '../http/api-keys.ts';
import { answerRange } from '../http/byte-range.ts';
import { problemOf } from '../http/problem.ts';
import { warningFields } from '../http/warning-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { withJob } from '../jobs/jobs.ts';
import { withModel } from '../jobs/model-context.ts';
import { admitUpload, formBody, jsonBody } from '../middleware/bodies.ts';
import { sendProblem } from '../middleware/failure.ts';
import { answering, binary, jsonAnswer, type Operation, route } from '../openapi/operation.ts';
import { createVoice } from '../recordings/create-voice.ts';
import { recordingOfPath, recordingOfUpload } from '../recordings/voice-recordings.ts';
import {
  deletedVoice,
  modelQuery,
  newVoice,
  pathVoiceBody,
  qualityExample,
  uploadForm,
  type VoiceRecord,
  voiceExample,
  voiceList,
  voiceRecord,
} from '../schemas/voices.ts';

/** VoxCPM.cpp's fields, and those that other clients and the playground need. */
export const recordOf = (voice: CatalogVoice): VoiceRecord => ({
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
  language: voice.language ?? null,
  roles: [...voice.roles],
  duration_seconds: Number(voice.seconds.toFixed(3)),
  models: [...voice.models],
  lexicon_entries: voice.lexicon?.length ?? 0,
  preset: voice.origin === 'preset',
  has_recording: voice.hasRecording,
  voice_id: voice.id,
  category: voice.origin === 'preset' ? 'premade' : 'cloned',
});

/** With its respellings, which lists leave out. */
export const wholeRecordOf = (voice: CatalogVoice) => ({
  ...recordOf(voice),
  lexicon: voice.lexicon && Object.fromEntries(voice.lexicon.map(({ written, spoken }) => [written, spoken])),
});

export const listPaths = ['/v1/voices', '/v1/audio/voices'] as const;

const recordAnswer = (description: string) => ({ 200: jsonAnswer(description, voiceRecord, voiceExample) });

export function voiceOperations(context: ServerContext): readonly Operation[] {
  const { allVoices } = context;
  const list = { object: 'list', data: [voiceExample], voices: [voiceExample] };
  return [
    ...listPaths.map(
      (path): Operation => ({
        ...route('get', path, 'voices', 'List voices.'),
        access: 'list',
        description:
          path === '/v1/voices'
            ? 'Stored voices and those that come with the server. `data` and `voices` are the same list, for clients of different APIs.'
            : 'Same as `GET /v1/voices`, at the path that Open WebUI uses.',
        ...answering('The voices.', voiceList, list),
        handle: (_request, response) => sendVoices(context, response, path, 'without own'),
      }),
    ),
    {
      ...route('post', '/v1/voices', 'voices', 'Add a voice, cloned from a recording.'),
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
        201: jsonAnswer('The voice is stored.', newVoice, { ...voiceExample, quality: qualityExample, warnings: [] }),
      },
      failures: [400, 403, 409, 413, 415, 503],
      handlers: [admitUpload(context), ...jsonBody(context), formBody(context, 'audio')],
      handle: (request, response) => register(context, request, response),
    },
    {
      ...route('get', '/v1/voices/:id', 'voices', 'Get a voice.'),
      description: 'A stored voice, one that comes with the server, or `default`, the voice of the model itself.',
      answers: recordAnswer('The voice.'),
      failures: [404],
      async handle(request, response) {
        const voice = await withErrorParam('id', () => getVoice(context, String(request.params.id)));
        response.json(wholeRecordOf(voice));
      },
    },
    recordingOperation(context),
    {
      ...route('delete', '/v1/voices/:id', 'voices', 'Delete a voice.'),
      description:
        'Deletes the voice and its recording permanently. Voices that come with the server cannot be deleted.',
      ...answering('The voice was deleted.', deletedVoice, { id: 'anna', deleted: true, status: 'ok' }),
      failures: [404],
      async handle(request, response) {
        const id = await withErrorParam('id', () => allVoices().remove(String(request.params.id)));
        response.json({ id, deleted: true, status: 'ok' });
      },
    },
    encodeOperation(context),
  ];
}

const recordingOperation = (context: ServerContext): Operation => ({
  ...route('get', '/v1/voices/:id/audio', 'voices', 'Get the recording of a voice.'),
  description:
    'The recording as a WAV file, of a stored voice or one that comes with the server. Players may ask for a range of bytes.',
  answers: {
    200: { description: 'The recording.', contents: { 'audio/wav': binary } },
    206: { description: 'A part of it.', contents: { 'audio/wav': binary } },
  },
  failures: [404],
  async handle(request, response) {
    const id = String(request.params.id);
    const { samples, sampleRate } = await withErrorParam('id', () => context.allVoices().recording(id));
    const { buffer, byteOffset, byteLength } = encodeWav(samples, sampleRate, 's16');
    // It belongs to a person, so no proxy may keep it.
    response.attachment(`${id}.wav`).set('Cache-Control', 'private, no-cache').type('audio/wav');
    const range = answerRange(response, byteLength);
    if (range === undefined) return;
    const { start, end } = range;
    response.end(Buffer.from(buffer, byteOffset, byteLength).subarray(start, end + 1));
  },
});

const encodeOperation = (context: ServerContext): Operation => ({
  ...route('post', '/v1/voices/:id/encode', 'voices', 'Encode a voice for a model.'),
  description:
    'Optional: a voice is encoded again on first use by a model with another audio encoder. Do it here in advance.',
  query: modelQuery,
  answers: recordAnswer('The voice is encoded.'),
  failures: [404, 409, 503],
  async handle(request, response) {
    const { id } = await withErrorParam('id', () => context.allVoices().get(String(request.params.id)));
    const choice = parse(modelQuery, request.query);
    await withModel(context, choice, response, async (context) => {
      const { voices } = context;
      await withJob(context, response, async ({ signal }) => {
        await withErrorParam('id', async () => voices.load(await voices.choose(id), { signal }));
        response.json(wholeRecordOf(await voices.get(id)));
      });
    });
  },
});

/** A voice by name, or the voice of the model itself. @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
function getVoice({ allVoices, settings }: ServerContext, name: string): Promise<CatalogVoice> | CatalogVoice {
  const voices = allVoices();
  return name === ownVoiceId && settings.voiceAliases?.get(name) === undefined ? voices.own() : voices.get(name);
}

const uploaded = (records: readonly VoiceRecord[]) =>
  records
    .filter(({ preset, alias_of }) => !preset && alias_of === null)
    .map(({ name, created_at, prompt_text }) => ({
      name,
      created_at: Math.floor(Date.parse(created_at) / 1000),
      ...(prompt_text !== null && { ref_text: prompt_text }),
    }));

/** All voices; clients of ElevenLabs need the model's own to have a choice. Transcripts are private, also in public lists. */
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

export async function sendVoices(
  context: ServerContext,
  response: Response,
  path: (typeof listPaths)[number],
  own: 'with own' | 'without own',
): Promise<void> {
  const data = await listed(context, response, own);
  const added = path === '/v1/voices' ? {} : { uploaded_voices: uploaded(data) };
  response.json({ object: 'list', data, voices: data, ...added });
}

async function register(context: ServerContext, request: Request, response: Response): Promise<void> {
  const client = clientOf(response);
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

const modeOf = (roles: readonly VoiceRole[]) => {
  if (!roles.includes('prompt')) return 'reference';
  return roles.includes('reference') ? 'reference_plus_continuation' : 'continuation';
};
