/** Recordings of consent, as in OpenAI's `audio.voice_consents`. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { attempt } from '../../errors.ts';
import { requestError, text } from '../../validation.ts';
import { clientSignal } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { parseOrWarn } from '../http/unknown-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { jsonBody, uploadBody } from '../middleware/bodies.ts';
import { answering, formRequest, jsonAnswer, jsonRequest, type Operation, route } from '../openapi/operation.ts';
import { type Consent, openConsentStore } from '../recordings/consent-store.ts';
import { readUpload } from '../recordings/recordings.ts';
import { assertSpareDisk } from '../recordings/spare-disk.ts';
import { formNumber } from '../schemas/speech.ts';
import { recordingFile } from '../schemas/voices.ts';

const error = 'a string of 1 to 256 characters';
const label = text.min(1, { error }).max(256, { error });
const consentFields = z.object({
  name: label.describe('Label of the recording.'),
  language: text.max(64).describe('Language of the consent, such as `en-US` (BCP 47).'),
});
const consentForm = consentFields.extend({ recording: recordingFile });
const consentUpdate = consentFields.pick({ name: true });
const consentQuery = z.object({
  after: text.optional().describe('ID behind which the page begins.'),
  limit: formNumber({ kind: 'integer', minimum: 1, maximum: 100 }).meta({
    description: 'Largest number of consents.',
    default: 20,
  }),
});

const consent = z.object({
  id: z.string().describe('ID of the consent, for `consent` of a new voice.'),
  object: z.literal('audio.voice_consent'),
  created_at: z.int().describe('Time of creation, in seconds since 1970.'),
  name: z.string().describe('Label of the recording.'),
  language: z.string().describe('Language of the consent.'),
});
const example = {
  id: 'cons_0123456789abcdef0123456789abcdef',
  object: 'audio.voice_consent',
  created_at: 1_763_640_000,
  name: 'Anna, 20 November',
  language: 'en-US',
} as const;
const page = z.object({
  object: z.literal('list'),
  data: z.array(consent).describe('The newest first.'),
  first_id: z.string().nullable().describe('ID of the first one.'),
  last_id: z.string().nullable().describe('ID of the last one, for `after`.'),
  has_more: z.boolean().describe('Whether there are more behind them.'),
});
const { id } = example;
const pageExample = { object: 'list', data: [example], first_id: id, last_id: id, has_more: false };
const deleted = z.object({
  id: z.string().describe('ID of the consent.'),
  object: z.literal('audio.voice_consent'),
  deleted: z.literal(true),
});

const shown = ({ id, name, language, createdAt }: Consent): z.output<typeof consent> => ({
  id,
  object: 'audio.voice_consent',
  created_at: createdAt,
  name,
  language,
});

const path = '/v1/audio/voice_consents';

export function voiceConsentOperations(context: ServerContext): readonly Operation[] {
  const { settings } = context;
  const store = openConsentStore(settings.consentFolder);
  const answers = { 200: jsonAnswer('The consent.', consent, example) };
  const withId = <Result>(request: Request, work: (id: string) => Promise<Result>): Promise<Result> =>
    withErrorParam('id', () => work(String(request.params.id)));

  async function add(request: Request, response: Response): Promise<void> {
    const { name, language } = parseOrWarn(consentFields, request.body ?? {}, context, response);
    const tag = canonical(language);
    await assertSpareDisk(settings);
    // Decoded only to be sure that it is a recording.
    await readUpload(request.file, 'recording', settings, { signal: clientSignal(response) });
    const { buffer: bytes, mimetype: mediaType } = request.file as Express.Multer.File;
    const added = await store.add({ name, language: tag, mediaType, bytes });
    context.logger.info({ consent: added.id }, 'voice consent added');
    response.json(shown(added));
  }

  async function list(request: Request, response: Response): Promise<void> {
    const { after, limit } = parseOrWarn(consentQuery, request.query, context, response);
    const found = await store.list({ after, limit: limit ?? 20 });
    if (found === undefined) throw requestError('after must be the ID of a voice consent', 'after');
    const data = found.consents.map(shown);
    const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    response.json({ object: 'list', data, first_id, last_id, has_more: found.hasMore });
  }

  return [
    {
      ...route('post', path, 'voices', 'Add a recording of consent.'),
      description:
        'Compatible with OpenAI (`audio.voice_consents.create`). The recording is kept as it is, beside the database of voices, and is not compared with voices.',
      ...formRequest(consentForm, { name: example.name, language: example.language }),
      answers,
      failures: [400, 413, 415, 503],
      handlers: uploadBody(context, 'recording'),
      handle: add,
    },
    {
      ...route('get', path, 'voices', 'List recordings of consent.'),
      description: 'Compatible with OpenAI (`audio.voice_consents.list`).',
      query: consentQuery,
      ...answering('A page of consents.', page, pageExample),
      failures: [400],
      handle: list,
    },
    {
      ...route('get', `${path}/:id`, 'voices', 'Get a consent.'),
      description: 'Compatible with OpenAI (`audio.voice_consents.retrieve`).',
      answers,
      failures: [404],
      handle: async (request, response) => void response.json(shown(await withId(request, store.get))),
    },
    {
      ...route('post', `${path}/:id`, 'voices', 'Rename a consent.'),
      description: 'Compatible with OpenAI (`audio.voice_consents.update`).',
      ...jsonRequest(consentUpdate, { name: example.name }),
      answers,
      failures: [400, 404],
      handlers: jsonBody(context),
      async handle(request, response) {
        const { name } = parseOrWarn(consentUpdate, request.body ?? {}, context, response);
        response.json(shown(await withId(request, (id) => store.rename(id, name))));
      },
    },
    {
      ...route('delete', `${path}/:id`, 'voices', 'Delete a consent and its recording.'),
      description: 'Compatible with OpenAI (`audio.voice_consents.delete`). Voices that name it stay.',
      ...answering('The consent was deleted.', deleted, { id, object: 'audio.voice_consent', deleted: true }),
      failures: [404],
      async handle(request, response) {
        await withId(request, store.remove);
        response.json({ id: String(request.params.id), object: 'audio.voice_consent', deleted: true });
      },
    },
  ];
}

function canonical(language: string): string {
  const [tag] = attempt(() => Intl.getCanonicalLocales(language)) ?? [];
  if (tag !== undefined) return tag;
  throw requestError(`language must be a tag such as "en-US", got ${JSON.stringify(language)}`, 'language');
}
