/** Several texts in one request, as in vLLM-Omni: each is a request of its own, and they share each pass over the weights. */
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { audioFormats } from '../../../audio/encode/format.ts';
import { createStreamWriter, through, type WriteBytes, writeAll } from '../../../audio/encode/sink.ts';
import { toSvcError } from '../../../errors.ts';
import { type Client, clientOf } from '../../context/client.ts';
import type { ServerContext } from '../../context/context.ts';
import { appendedBytes, type TemporaryFile } from '../../context/temporary-file.ts';
import { problemOf } from '../../http/problem.ts';
import { parseKnown, type WithUnknown } from '../../http/unknown-fields.ts';
import { speakLive } from '../../live/speak-live.ts';
import { jsonWithRecording } from '../../middleware/bodies.ts';
import { reportFailure } from '../../middleware/failure.ts';
import { answering, jsonRequest, type Operation, route } from '../../openapi/operation.ts';
import { takeBody } from '../../routes/speech.ts';
import { speechBody } from '../../schemas/speech.ts';
import { assertFitsInAnswer } from '../../speech/audio-in-memory.ts';
import { createBase64Writer } from '../../speech/speech-json.ts';

/** As in vLLM-Omni. */
const mostItems = 32;

const fields = speechBody.omit({ input: true, stream: true, stream_format: true, timestamps: true });
const item = fields.extend({ input: speechBody.shape.input });
const described = `an array of 1 to ${mostItems} objects, each with an input`;

const batchBody = fields.extend({
  items: z
    .array(z.looseObject({ input: speechBody.shape.input }), { error: described })
    .min(1, { error: described })
    .max(mostItems, { error: described })
    .describe('The texts. Any other field of an item takes precedence over that of the batch.'),
});

const result = z.object({
  index: z.int().describe('Number of the item, from 0.'),
  status: z.enum(['success', 'error']),
  audio_data: z.string().optional().describe('The file, in base64.'),
  media_type: z.string().optional().describe('Content type of the audio.'),
  warnings: z.array(z.string()).optional().describe('How the speech differs from the item.'),
  error: z.string().optional().describe('The problem, in one line.'),
});

const batchAnswer = z.object({
  id: z.string().describe('ID of the batch.'),
  results: z.array(result).describe('One for each item, in their order.'),
  total: z.int().describe('Number of items.'),
  succeeded: z.int().describe('Items that were spoken.'),
  failed: z.int().describe('Items that were not.'),
});

export const batchOperation = (context: ServerContext): Operation => ({
  ...route('post', '/v1/audio/speech/batch', 'speech', 'Generate speech from several texts.'),
  // Its items count.
  isWork: false,
  description:
    'Compatible with vLLM-Omni. Takes the fields of `/v1/audio/speech` as defaults of its items. The answer has the files in base64, of up to 32 MiB each and 256 MiB together; an item that fails does not fail the others. Each item counts as a request.',
  ...jsonRequest(batchBody, { items: [{ input: 'Hello there.' }, { input: 'Goodbye.', voice: 'anna' }] }),
  ...answering('The speech of all items.', batchAnswer, {
    id: 'speech-batch-1',
    results: [{ index: 0, status: 'success', audio_data: 'UklGRiQ…', media_type: 'audio/wav', warnings: [] }],
    ...{ total: 1, succeeded: 1, failed: 0 },
  }),
  failures: [400, 413, 503],
  handlers: jsonWithRecording(context),
  handle: (request, response) => speakBatch(context, request, response),
});

const mostAtOnce = 8;

type SharedFields = WithUnknown<Omit<z.output<typeof batchBody>, 'items'>>;

/** The fate of an item; its file is closed by its consumer. */
type Outcome =
  | { readonly file: TemporaryFile; readonly mediaType: string; readonly warnings: readonly string[] }
  | { readonly error: string };

/**
 * Speaks a few items at once into temporary files, which the batch has as many bytes of as any other request. Each is sent when it
 * and those before it are complete, and lets the next one begin: memory and disk do not grow with the items.
 */
async function speakBatch(context: ServerContext, request: Request, response: Response): Promise<void> {
  const given = (request.body as { readonly items?: readonly object[] } | undefined)?.items ?? [];
  const { items: _i, ...shared } = takeBody(batchBody, request);
  const own = clientOf(response);
  const client = { ...own, openTemporaryFile: context.temporaryFiles.ofRequest(own.key?.name) };
  const { concurrencyLimit = mostAtOnce } = own.key ?? {};
  const begun: Promise<Outcome>[] = [];
  const begin = (): void => {
    const next = given[begun.length];
    if (next !== undefined) begun.push(outcomeOf(context, next, shared, client));
  };
  for (let places = Math.min(mostAtOnce, concurrencyLimit); places > 0; places -= 1) begin();
  const send = createStreamWriter(response, client.signal);
  const write = (text: string): Promise<void> => send(Buffer.from(text));
  const head = JSON.stringify({ id: `speech-batch-${randomUUID()}`, results: [] }).slice(0, -2);
  let failed = 0;
  try {
    for (let index = 0; index < given.length; index += 1) {
      const outcome = (await begun[index]) as Outcome;
      client.signal.throwIfAborted();
      if (index === 0) response.status(200).type('json');
      await write(index === 0 ? head : ',');
      await sendOutcome(outcome, index, send);
      if ('error' in outcome) failed += 1;
      begin();
    }
    const total = given.length;
    await write(`],${JSON.stringify({ total, succeeded: total - failed, failed }).slice(1)}`);
    response.end();
  } finally {
    for (const outcome of begun) void outcome.then((one) => ('file' in one ? one.file.close() : undefined));
  }
}

/** Never rejects. */
async function outcomeOf(context: ServerContext, one: object, shared: SharedFields, client: Client): Promise<Outcome> {
  try {
    return await speakItem(context, itemOf(one, shared), client);
  } catch (thrown) {
    const error = toSvcError(thrown);
    const { status, message } = problemOf(error);
    reportFailure(context, error, { requestId: client.requestId, status, isGone: client.signal.aborted });
    return { error: message };
  }
}

/** An item with the fields of the batch, which are parsed and decoded once for all items. */
function itemOf(one: object, { unknownFields: unknown, ...shared }: SharedFields): WithUnknown<z.output<typeof item>> {
  const { unknownFields: own, ...fields } = parseKnown(item, one);
  const names = [...new Set([...(unknown?.names ?? []), ...(own?.names ?? [])])];
  const unknownFields = names.length === 0 ? {} : { unknownFields: { names, known: Object.keys(item.shape) } };
  return { ...shared, ...fields, ...unknownFields };
}

async function speakItem(
  context: ServerContext,
  { input, response_format, ...body }: WithUnknown<z.output<typeof item>>,
  client: Client,
): Promise<Outcome> {
  const format = response_format ?? 'wav';
  const utterance = { body: { ...body, response_format: format }, text: input, format };
  let outcome: Outcome | undefined;
  await speakLive(context, client, utterance, async ({ events, sampleRate, warnings, openTemporaryFile }) => {
    const file = await openTemporaryFile();
    let bytes = 0;
    const sink = through(context.encoders.open({ format, sampleRate }), {
      async write(encoded) {
        bytes += appendedBytes(encoded);
        assertFitsInAnswer(bytes);
        await file.write(encoded);
      },
      finish: () => Promise.resolve(),
      abort: file.close,
    });
    await writeAll(sink, events);
    outcome = { file, mediaType: audioFormats[format].mimeType, warnings: warnings() };
  });
  return outcome ?? { error: 'the item has no audio' };
}

async function sendOutcome(outcome: Outcome, index: number, send: WriteBytes): Promise<void> {
  const write = (text: string): Promise<void> => send(Buffer.from(text));
  if ('error' in outcome) return write(JSON.stringify({ index, status: 'error', error: outcome.error }));
  const { file, mediaType, warnings } = outcome;
  await write(JSON.stringify({ index, status: 'success', audio_data: '' }).slice(0, -2));
  const base64 = createBase64Writer(send);
  for await (const bytes of file.read()) await base64.write(bytes);
  await base64.finish();
  await write(`",${JSON.stringify({ media_type: mediaType, warnings }).slice(1)}`);
  await file.close();
}
