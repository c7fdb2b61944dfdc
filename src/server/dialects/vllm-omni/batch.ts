/** Several texts in one request, as in vLLM-Omni: each is a request of its own, and they share each pass over the weights. */
import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { audioFormats } from '../../../audio/encode/format.ts';
import { writeAll } from '../../../audio/encode/sink.ts';
import { toSvcError } from '../../../errors.ts';
import type { ServerContext } from '../../context.ts';
import { type Client, clientOf } from '../../http/client.ts';
import { jsonWithRecording } from '../../http/middleware/bodies.ts';
import { reportFailure } from '../../http/middleware/failure.ts';
import type { Operation } from '../../http/operation.ts';
import { problemOf } from '../../http/problem.ts';
import { parseKnown } from '../../http/unknown-fields.ts';
import { speakLive } from '../../live/speak-live.ts';
import { takeBody } from '../../routes/speech.ts';
import { speechBody } from '../../schemas/speech.ts';
import { createAudioInMemory } from '../../speech/audio-in-memory.ts';

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

type Result = z.output<typeof result>;

export const batchOperation = (context: ServerContext, limitUploads: RequestHandler): Operation => ({
  method: 'post',
  path: '/v1/audio/speech/batch',
  tag: 'speech',
  summary: 'Generate speech from several texts.',
  description:
    'Compatible with vLLM-Omni. Takes the fields of `/v1/audio/speech` as defaults of its items. The answer has the files in base64, of up to 32 MiB each; an item that fails does not fail the others. Each item counts as a request.',
  body: { 'application/json': batchBody },
  examples: { 'application/json': { items: [{ input: 'Hello there.' }, { input: 'Goodbye.', voice: 'anna' }] } },
  answers: {
    200: {
      description: 'The speech of all items.',
      contents: { 'application/json': batchAnswer },
      example: {
        id: 'speech-batch-1',
        results: [{ index: 0, status: 'success', audio_data: 'UklGRiQ…', media_type: 'audio/wav', warnings: [] }],
        total: 1,
        succeeded: 1,
        failed: 0,
      },
    },
  },
  failures: [400, 413, 503],
  handlers: [
    ...jsonWithRecording(context, limitUploads),
    (request, response) => speakBatch(context, request, response),
  ],
});

async function speakBatch(context: ServerContext, request: Request, response: Response): Promise<void> {
  const stated = request.body as { readonly items?: readonly object[] } | undefined;
  const { items: _i, ...shared } = Object(stated) as Readonly<Record<string, unknown>>;
  const given = stated?.items ?? [];
  takeBody(batchBody, request);
  const client = clientOf(request, response);
  const results = await Promise.all(
    given.map(async (one, index): Promise<Result> => {
      try {
        return { index, status: 'success', ...(await speakItem(context, { ...shared, ...one }, client)) };
      } catch (thrown) {
        const error = toSvcError(thrown);
        const { status, message } = problemOf(error);
        reportFailure(context, error, { requestId: client.requestId, status, isGone: client.signal.aborted });
        return { index, status: 'error', error: message };
      }
    }),
  );
  client.signal.throwIfAborted();
  const failed = results.filter(({ status }) => status === 'error').length;
  const id = `speech-batch-${randomUUID()}`;
  response.json({ id, results, total: results.length, succeeded: results.length - failed, failed });
}

async function speakItem(
  context: ServerContext,
  given: object,
  client: Client,
): Promise<Omit<Result, 'index' | 'status'>> {
  const { input, response_format, ...body } = parseKnown(item, given);
  const format = response_format ?? 'wav';
  const memory = createAudioInMemory(format);
  let warnings: readonly string[] = [];
  await speakLive(
    context,
    client,
    { body: { ...body, response_format: format }, text: input, format },
    async (speech) => {
      await writeAll(await memory.open(speech.sampleRate), speech.events);
      warnings = speech.warnings();
    },
  );
  const { mimeType } = audioFormats[format];
  return { audio_data: memory.bytes().toString('base64'), media_type: mimeType, warnings: [...warnings] };
}
