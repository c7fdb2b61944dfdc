/** LoRA adapters: which there are, loading and unloading, also at the paths of nano-vLLM's server for VoxCPM. */
import { basename } from 'node:path';
import type { Response } from 'express';
import { z } from 'zod';
import { createQueue } from '../../admission/queue.ts';
import type { AdapterInfo } from '../../engine/lora/adapter-catalog.ts';
import { requestFields } from '../../engine/request-fields.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { numberIn, path, requestError, text } from '../../validation.ts';
import { clientOf } from '../context/client.ts';
import type { ServerContext } from '../context/context.ts';
import { findAllowed } from '../http/allowed-path.ts';
import { problemOf } from '../http/problem.ts';
import { parseOrWarn } from '../http/unknown-fields.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { sendProblem } from '../middleware/failure.ts';
import { answering, jsonAnswer, jsonRequest, type Operation, route } from '../openapi/operation.ts';

export const loraBody = z.strictObject({
  name: text.describe('Name for requests: 1 to 64 letters, digits, dots, hyphens and underscores.'),
  path: path.describe(
    'Folder with the files of the official trainer, in the folder that the server allows (`--lora-dir`).',
  ),
  weight: numberIn(requestFields.loraWeight)
    .nullish()
    .meta({ description: 'Factor of the adapter for requests that state none.', default: 1 }),
  alpha: z
    .number({ error: 'a positive number' })
    .nullish()
    .describe('Overrides the alpha of `lora_config.json`; required if that file is missing.'),
});

export const loraName = z.object({ name: z.string().describe('Name of the adapter.') });
export const loraNames = z.array(loraName);

export const lora = z.object({
  id: z.string().describe('Name of the adapter.'),
  object: z.literal('lora'),
  name: z.string().describe('The same name.'),
  weight: z.number().describe('Factor for requests that state none.'),
  rank: z.int().describe('Rank of its updates.'),
  alpha: z.number().describe('Divided by the rank, the scale of its updates.'),
  base_model: z.string().nullable().describe('The model that the adapter was trained for, if known.'),
  targets: z.int().describe('Number of adapted matrices.'),
  bytes: z.int().describe('Memory that a model needs for it.'),
  memory_bytes: z.int().describe('Memory that it takes now: none before its first use.'),
  requests: z.int().describe('Running requests that use it.'),
});

export const loraList = z.object({ object: z.literal('list'), data: z.array(lora) });

export const deletedLora = z.object({ id: z.string().describe('Name of the adapter.'), deleted: z.literal(true) });

export const loraExample = {
  ...{ id: 'anna', object: 'lora', name: 'anna', weight: 1, rank: 32, alpha: 32 },
  ...{ base_model: 'openbmb/VoxCPM-0.5B', targets: 200, bytes: 40_000_000, memory_bytes: 0, requests: 0 },
} as const satisfies z.output<typeof lora>;

const loading =
  'The adapter must be in the folder that the server was started with (`--lora-dir`). It takes no memory before its first use.';
const unloading = 'New requests for it are refused; its memory is freed when the running ones have ended.';

const mostAdapters = 64;

const loaded = jsonRequest(loraBody, { name: 'anna', path: 'anna-lora' });

type LoadInTurn = (response: Response) => Promise<AdapterInfo>;

export function loraOperations(context: ServerContext): readonly Operation[] {
  const { loras } = context;
  // Loading reads a whole file, so one request does it at a time.
  const loads = createQueue({ slots: 1, maxWaiting: 8 });
  const loadInTurn: LoadInTurn = async (response) => {
    const { requestId, signal } = clientOf(response);
    const job = await loads.enter({ name: requestId, signal });
    try {
      return await load(context, response, signal);
    } finally {
      job.release();
    }
  };
  return [
    {
      ...route('get', '/v1/loras', 'service', 'List LoRA adapters.'),
      description: 'The adapters that requests for speech may name in `lora`.',
      ...answering('The adapters.', loraList, { object: 'list', data: [loraExample] }),
      handle: (_request, response) => void response.json({ object: 'list', data: loras.list().map(recordOf) }),
    },
    {
      ...route('post', '/v1/loras', 'service', 'Load a LoRA adapter.'),
      description: loading,
      ...loaded,
      answers: { 201: jsonAnswer('The adapter.', lora, loraExample) },
      failures: [400, 403, 409, 503],
      handlers: jsonBody(context),
      handle: async (_request, response) => void response.status(201).json(recordOf(await loadInTurn(response))),
    },
    {
      ...route('delete', '/v1/loras/:name', 'service', 'Unload a LoRA adapter.'),
      description: unloading,
      ...answering('The adapter is unloaded.', deletedLora, { id: 'anna', deleted: true }),
      failures: [404, 409],
      handle: (_request, response) => unload(context, response, (id) => ({ id, deleted: true })),
    },
    ...nanoOperations(context, loadInTurn),
  ];
}

function nanoOperations(context: ServerContext, loadInTurn: LoadInTurn): readonly Operation[] {
  const { loras } = context;
  const nano = 'Compatible with nano-vLLM’s server.';
  const answers = { 200: jsonAnswer('The name.', loraName, { name: 'anna' }) };
  return [
    {
      ...route('get', '/loras', 'service', 'List the names of LoRA adapters.'),
      description: nano,
      ...answering('The names.', loraNames, [{ name: 'anna' }]),
      handle: (_request, response) => void response.json(loras.list().map(({ name }) => ({ name }))),
    },
    {
      ...route('post', '/loras', 'service', 'Load a LoRA adapter by path.'),
      description: `${nano} ${loading}`,
      ...loaded,
      answers,
      failures: [400, 403, 409, 503],
      handlers: jsonBody(context),
      handle: async (_request, response) => void response.json({ name: (await loadInTurn(response)).name }),
    },
    {
      ...route('delete', '/loras/:name', 'service', 'Unload a LoRA adapter by name.'),
      description: `${nano} ${unloading}`,
      answers,
      failures: [404, 409],
      handle: (_request, response) => unload(context, response, (name) => ({ name })),
    },
  ];
}

export const recordOf = (adapter: AdapterInfo): z.output<typeof lora> => ({
  id: adapter.name,
  object: 'lora',
  name: adapter.name,
  weight: adapter.weight,
  rank: adapter.rank,
  alpha: adapter.alpha,
  // It may be a path on the machine of the trainer.
  base_model: adapter.baseModel === undefined ? null : baseModelOf(adapter.baseModel),
  targets: adapter.targets,
  bytes: adapter.bytes,
  memory_bytes: adapter.memoryBytes,
  requests: adapter.requests,
});

const baseModelOf = (name: string): string => (/^[\w.-]+(\/[\w.-]+)?$/.test(name) ? name : basename(name));

async function load(context: ServerContext, response: Response, signal: AbortSignal): Promise<AdapterInfo> {
  const { loras, settings, logger } = context;
  const { name, path, weight, alpha } = parseOrWarn(loraBody, response.req.body ?? {}, context, response);
  const { loraFolder } = settings;
  const folders = loraFolder === undefined ? [] : [loraFolder];
  const real = await findAllowed(path, folders, (found) => found.isDirectory() || found.isFile());
  if (real === undefined) {
    throw forbidden(
      loraFolder === undefined
        ? 'is not available: the server was started without --lora-dir'
        : "is not in the server's folder of LoRA adapters",
    );
  }
  if (loras.list().length >= mostAdapters) {
    throw new SvcError('CONFLICT', `the server has ${mostAdapters} LoRA adapters, its limit; unload one first`);
  }
  // Files in a folder may be links out of it.
  const locate = async (file: string): Promise<string> => {
    const found = await findAllowed(file, folders, (stats) => stats.isFile());
    if (found === undefined) throw forbidden("has a link out of the server's folder of LoRA adapters");
    return found;
  };
  try {
    const options = { path: real, weight: weight ?? undefined, alpha: alpha ?? undefined };
    const added = await loras.add(name, options, { locate, signal });
    logger.info({ lora: added.name, rank: added.rank }, 'LoRA adapter added');
    return added;
  } catch (thrown) {
    const { code, message, param } = toSvcError(thrown);
    if (code === 'UNSUPPORTED_PARAMETER') throw new SvcError(code, message, { param: 'path' });
    if (code !== 'MODEL_NOT_FOUND' && code !== 'MODEL_INVALID') throw thrown;
    if (param === 'alpha') throw requestError('alpha is required: no lora_config.json of the adapter states it', param);
    throw requestError(`path: ${message.replaceAll(real, () => quote(path))}`, 'path');
  }
}

const forbidden = (reason: string): SvcError => new SvcError('FORBIDDEN', `path ${reason}`, { param: 'path' });

function unload(context: ServerContext, response: Response, answerOf: (name: string) => object): void {
  const { loras, settings, logger } = context;
  const name = String(response.req.params.name);
  if (name.normalize('NFC') === settings.defaultLora?.normalize('NFC')) {
    throw new SvcError('CONFLICT', `LoRA adapter ${quote(name)} is the default of this server (--default-lora)`);
  }
  try {
    loras.remove(name);
  } catch (error) {
    if (toSvcError(error).code !== 'INVALID_REQUEST') throw error;
    return void sendProblem(response, { ...problemOf(error), status: 404, code: 'lora_not_found', param: 'name' });
  }
  logger.info({ lora: name }, 'LoRA adapter removed');
  response.json(answerOf(name));
}
