/** Voices by upload, as in ElevenLabs' instant voice cloning. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { asLanguage } from '../../../engine/request-fields.ts';
import { transcript } from '../../../engine/voice-fields.ts';
import { attempt, SvcError } from '../../../errors.ts';
import { quote } from '../../../messages.ts';
import { requestError, text } from '../../../validation.ts';
import { idOfName } from '../../../voices/voice-id.ts';
import { clientOf } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import { parseKnown, warnOfUnknown } from '../../http/unknown-fields.ts';
import { warningFields } from '../../http/warning-fields.ts';
import { withErrorParam } from '../../http/with-error-param.ts';
import { admitUpload, firstFile, requireForm } from '../../middleware/bodies.ts';
import { answering, formRequest, type Operation, route } from '../../openapi/operation.ts';
import { type CreatedVoice, createVoice } from '../../recordings/create-voice.ts';
import { readUpload } from '../../recordings/recordings.ts';
import type { NamedRecording } from '../../recordings/voice-recordings.ts';
import { nameFor, silentVoiceFields } from '../../routes/audio-voices.ts';
import { formTruth } from '../../schemas/speech.ts';
import { recordingFile, transcriptHelp } from '../../schemas/voices.ts';

/** The `language` of ElevenLabs' labels, an object or its JSON; undefined if it is none. */
function languageOfLabels(labels: unknown): string | undefined {
  const read = typeof labels === 'string' ? attempt(() => JSON.parse(labels)) : labels;
  const { language }: { readonly language?: unknown } = Object(read);
  return typeof language === 'string' ? attempt(() => asLanguage(language)) : undefined;
}

const voiceFields = z.object({
  name: text.optional().describe('Name of the voice.'),
  text: transcript.optional().describe(`${transcriptHelp} ElevenLabs has no such field.`),
  remove_background_noise: formTruth.describe('Denoise the recording.'),
  labels: z.unknown().transform(languageOfLabels).optional().meta({
    type: 'string',
    description: 'JSON object, of which `language` is stored: the language that the voice speaks.',
  }),
});
const voiceForm = voiceFields.extend({ files: recordingFile });
/** Without a file, the recording stays. */
const editForm = voiceFields.extend({ files: recordingFile.optional() });

const voiceAdded = z.object({
  voice_id: z.string().describe('Voice name.'),
  requires_verification: z.literal(false).describe('Always `false`.'),
});

const statusOk = z.object({ status: z.literal('ok').describe('Always `ok`.') });

/** More than ElevenLabs takes. */
const mostSamples = 25;

export function voiceOperations(context: ServerContext): readonly Operation[] {
  const { allVoices } = context;
  const upload = [admitUpload(context), requireForm, firstFile(context, ['files', 'files[]'], mostSamples)];
  const failures = [404, 413, 415, 422, 503] as const;
  async function edit(request: Request, response: Response): Promise<void> {
    const id = String(request.params.id);
    const { origin } = await withErrorParam('id', () => allVoices().get(id));
    const { name = '' } = parseKnown(voiceFields, request.body ?? {}, { others: silentVoiceFields });
    if (name.trim() !== '' && name.trim() !== id && idOfName(name) !== id) {
      throw requestError(`a voice keeps its name: name must be ${JSON.stringify(id)}, or left out`, 'name');
    }
    if (request.file === undefined) return void response.json({ status: 'ok' });
    if (origin === 'preset')
      throw new SvcError('FORBIDDEN', `voice ${quote(id)} is built in and cannot be changed`, { param: 'id' });
    const { warnings } = await addVoice(context, response, id);
    response.set(warningFields(warnings)).json({ status: 'ok' });
  }
  return [
    {
      ...route('post', '/v1/voices/add', 'voices', 'Add a voice by instant voice cloning.'),
      description:
        'Compatible with ElevenLabs. Of several files, the first is used. Without a transcript, which ElevenLabs does not have (`text` here), `--check-with` supplies it, or VoxCPM 2 takes only the timbre.',
      ...formRequest(voiceForm, { name: 'anna' }),
      ...answering('The voice is stored.', voiceAdded, { voice_id: 'anna', requires_verification: false }),
      failures,
      handlers: upload,
      async handle(_request, response) {
        const { voice, warnings } = await addVoice(context, response, undefined);
        response.set(warningFields(warnings)).json({ voice_id: voice.id, requires_verification: false });
      },
    },
    {
      ...route('post', '/v1/voices/:id/edit', 'voices', 'Load another recording into a voice.'),
      description: 'Compatible with ElevenLabs. A voice keeps its name; without files, nothing changes.',
      ...formRequest(editForm, { name: 'anna' }),
      ...answering('The voice was changed.', statusOk, { status: 'ok' }),
      failures,
      handlers: upload,
      handle: edit,
    },
  ];
}

/** @param id of the voice to replace; undefined for a new one */
async function addVoice(context: ServerContext, response: Response, id: string | undefined): Promise<CreatedVoice> {
  const { req: request, locals } = response;
  const { unknownFields, ...fields } = parseKnown(voiceFields, request.body ?? {}, { others: silentVoiceFields });
  const unknown = warnOfUnknown(unknownFields, context.settings);
  const { name = '', text, remove_background_noise: denoise, labels: language } = fields;
  if (id === undefined && name.trim() === '') throw requestError('name is required', 'name');
  const named = id === undefined ? await withErrorParam('name', () => nameFor(name)) : { id, warnings: [] };
  const client = clientOf(response);
  const audio = await readUpload(request.file, 'files', context.settings, { signal: client.signal, denoise });
  const dropped = Number(locals.droppedFiles ?? 0);
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
