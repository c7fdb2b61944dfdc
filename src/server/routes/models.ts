/** The models of the server: which there are, which are loaded, loading and unloading. */
import type { Request } from 'express';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
import { show } from '../../messages.ts';
import { keepAliveField } from '../../model-pool/keep-alive.ts';
import type { ModelStatus } from '../../model-pool/served-models.ts';
import type { ServerContext } from '../context/context.ts';
import { defaultsOfModel, noDefaults } from '../context/request-defaults.ts';
import { parseOrWarn } from '../http/unknown-fields.ts';
import { withModel } from '../jobs/model-context.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { answering, jsonAnswer, jsonRequest, type Operation, route } from '../openapi/operation.ts';
import { keepAliveHelp } from '../schemas/speech.ts';
import { lora, loraExample, recordOf } from './loras.ts';

const model = z.object({
  id: z.string().describe('Model name, or an alias.'),
  object: z.literal('model'),
  created: z.int().describe('Start of the server, in seconds since 1970.'),
  owned_by: z.string(),
  alias_of: z.string().nullable().describe('Name of the model, for an alias.'),
  state: z.enum(['unloaded', 'loading', 'loaded', 'unloading']).describe('`unloading` waits for the last requests.'),
  sample_rate: z.int().nullable().describe('Sample rate in Hz; `null` until the model was loaded for the first time.'),
  defaults: z
    .record(z.string(), z.unknown())
    .describe('Defaults of request fields that this server has set for the model, by the names in JSON bodies.'),
});
const modelExample = {
  ...{ id: 'voxcpm-0.5b', object: 'model', created: 1_763_800_000, owned_by: 'svc', alias_of: null },
  ...{ state: 'loaded', sample_rate: 16_000, defaults: { normalize: true } },
} as const satisfies z.output<typeof model>;

const modelList = z.object({ object: z.literal('list'), data: z.array(model), models: z.array(model) });

const status = z.object({
  models: z
    .array(
      z.object({
        name: z.string().describe('Model name.'),
        aliases: z.array(z.string()).describe('Other names.'),
        state: model.shape.state,
        requests: z.int().describe('Requests that use the model or wait for it.'),
        capacity: z.int().nullable().describe('Requests that its workers run at once; `null` without a broker.'),
        device: z.string().nullable().describe('Device that runs the model.'),
        weight_type: z.string().nullable().describe('Type of most weights.'),
        memory_bytes: z.int().nullable().describe('Estimate of its memory while it is loaded.'),
        expires_at: z.string().nullable().describe('When it will be unloaded if it is not used, in ISO 8601.'),
      }),
    )
    .describe('All models.'),
  loras: z.array(lora).describe('All LoRA adapters.'),
  resident_bytes: z.int().describe('Memory of the process.'),
  queue_active: z.int().describe('Running requests.'),
  queue_waiting: z.int().describe('Waiting requests.'),
});
const statusExample = {
  models: [
    {
      ...{ name: 'voxcpm-0.5b', aliases: ['tts-1'], state: 'loaded', requests: 1, capacity: null },
      ...{ device: 'CPU', weight_type: 'q8_0', memory_bytes: 1_000_000_000, expires_at: null },
    },
  ],
  loras: [loraExample],
  ...{ resident_bytes: 1_100_000_000, queue_active: 1, queue_waiting: 0 },
} as const satisfies z.output<typeof status>;

const loadBody = z.object({ keep_alive: keepAliveField.nullish().describe(keepAliveHelp) });

export function modelOperations(context: ServerContext): readonly Operation[] {
  const { models, settings } = context;
  const created = Math.floor(Date.now() / 1000);

  const describe = ({ name, state, info }: ModelStatus, alias?: string): z.output<typeof model> => ({
    id: alias ?? name,
    object: 'model',
    created,
    owned_by: 'svc',
    alias_of: alias === undefined ? null : name,
    state,
    sample_rate: info?.outputSampleRate ?? null,
    defaults: defaultsOfModel(settings.requestDefaults ?? noDefaults, [name, alias ?? name]),
  });
  const describeAll = () => {
    const statuses = models.list();
    const aliases = statuses.flatMap((one) => one.aliases.map((alias) => describe(one, alias)));
    return [...statuses.map((one) => describe(one)), ...aliases];
  };
  /** @throws SvcError MODEL_NOT_FOUND, also where requests for speech may use any name */
  function find(request: Request): z.output<typeof model> {
    const name = String(request.params.model);
    const all = describeAll();
    const found = all.find(({ id }) => id === name);
    if (found !== undefined) return found;
    const known = all.map(({ id }) => id).join(', ');
    throw new SvcError('MODEL_NOT_FOUND', `unknown model ${show(name)} (available: ${known})`);
  }
  const answers = { 200: jsonAnswer('The model.', model, modelExample) };

  return [
    ...['/v1/models', '/v1/audio/models'].map(
      (path): Operation => ({
        ...route('get', path, 'service', 'List models.'),
        access: 'list',
        description:
          path === '/v1/models'
            ? 'All models and their aliases, the default model first. `data` and `models` are the same list, for clients of different APIs.'
            : 'Same as `GET /v1/models`, at the path that Open WebUI uses.',
        ...answering('The models of this server.', modelList, {
          ...{ object: 'list', data: [modelExample], models: [modelExample] },
        }),
        handle(_request, response) {
          const data = describeAll();
          response.json({ object: 'list', data, models: data });
        },
      }),
    ),
    {
      ...route('get', '/v1/models/:model', 'service', 'Get a model.'),
      description: 'Use it to check that the server has a model.',
      answers,
      failures: [404],
      handle: (request: Request, response) => void response.json(find(request)),
    },
    {
      ...route('post', '/v1/models/:model/load', 'service', 'Load a model.'),
      description:
        'Optional: a model is loaded by its first request. Responds when it is loaded. `keep_alive` sets how long it stays loaded.',
      ...jsonRequest(loadBody, { keep_alive: '1h' }),
      answers,
      failures: [400, 404, 503],
      handlers: jsonBody(context),
      async handle(request, response) {
        const { id } = find(request);
        const { keep_alive } = parseOrWarn(loadBody, request.body ?? {}, context, response);
        await withModel(context, { model: id, keep_alive }, response, async () => undefined);
        response.json(find(request));
      },
    },
    {
      ...route('post', '/v1/models/:model/unload', 'service', 'Unload a model.'),
      description:
        'Frees its memory, at once or after its last request. The next request loads it again. The model of a server that always has it loaded cannot be unloaded.',
      answers,
      failures: [404, 409],
      handlers: jsonBody(context),
      async handle(request, response) {
        await models.unload(find(request).alias_of ?? find(request).id);
        response.json(find(request));
      },
    },
    statusOperation(context),
  ];
}

const statusOperation = (context: ServerContext): Operation => ({
  ...route('get', '/status', 'service', 'Get the state of the models.'),
  description: 'Which models are loaded, with their requests, memory and time to live, and the LoRA adapters.',
  ...answering('The state.', status, statusExample),
  handle(_request, response) {
    const described = context.models.list().map((one) => ({
      name: one.name,
      aliases: [...one.aliases],
      state: one.state,
      requests: one.requests,
      capacity: one.capacity ?? null,
      device: one.info?.device ?? null,
      weight_type: one.info?.weightType ?? null,
      memory_bytes: one.memoryBytes === undefined ? null : Math.round(one.memoryBytes),
      expires_at: one.expiresAt?.toISOString() ?? null,
    }));
    response.json({
      models: described,
      loras: context.loras.list().map(recordOf),
      resident_bytes: process.memoryUsage.rss(),
      queue_active: context.queue.active,
      queue_waiting: context.queue.waiting,
    } satisfies z.output<typeof status>);
  },
});
