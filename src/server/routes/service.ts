/** Health, models, metrics. */
import { basename } from 'node:path';
import type { Request } from 'express';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
import { show } from '../../validation.ts';
import type { ServerContext } from '../context.ts';
import type { Operation } from '../operation.ts';

const model = z.object({
  id: z.string().describe('Model name.'),
  object: z.literal('model'),
  created: z.int().describe('Start of the server, in seconds since 1970.'),
  owned_by: z.string(),
});
const modelExample = { id: 'voxcpm-0.5b', object: 'model', created: 1_763_800_000, owned_by: 'svc' };

const health = z.object({
  status: z.string().describe('`healthy`.'),
  initialized: z.boolean().describe('`true`: the model is loaded.'),
  is_processing: z.boolean().describe('Whether a request is running.'),
  current_job_id: z.int().nullable().describe('Number of a running request.'),
  queue_pending: z.boolean().describe('Whether requests are waiting.'),
  queue_active: z.int().describe('Running requests.'),
  queue_waiting: z.int().describe('Waiting requests.'),
  model: z.string().describe('Model name.'),
  models_dir: z.string().describe('Name of the folder of the model.'),
  device_type: z.string().describe('`cpu`, `cuda`, `vulkan` or `metal`.'),
  device_id: z.int().describe('Always 0.'),
  device: z.string().describe('Device that runs the model.'),
  sample_rate: z.int().describe('Sample rate of the model, in Hz.'),
  local_page: z.boolean().describe('Whether the server has the page that runs a model in the browser.'),
  playback: z.boolean().nullable().describe('Whether the server has an audio output; `null` until known.'),
  fixed_voice: z.boolean().describe('Whether the model has a single voice and ignores all others.'),
});
const healthExample = {
  status: 'healthy',
  initialized: true,
  is_processing: true,
  current_job_id: 17,
  queue_pending: false,
  queue_active: 1,
  queue_waiting: 0,
  model: 'voxcpm-0.5b',
  models_dir: 'models',
  device_type: 'cpu',
  device_id: 0,
  device: 'CPU',
  sample_rate: 16_000,
  local_page: true,
  playback: false,
  fixed_voice: false,
};

export function serviceOperations(context: ServerContext): readonly Operation[] {
  const { engine, queue, settings, metrics } = context;
  const created = Math.floor(Date.now() / 1000);
  const describeModel = () => ({ id: settings.modelName, object: 'model', created, owned_by: 'svc' });
  return [
    {
      method: 'get',
      path: '/healthz',
      tag: 'service',
      summary: 'Check that the server is up.',
      description: 'A probe for load balancers and containers. Requires no API key.',
      access: 'open',
      answers: {
        200: {
          description: 'The server is up.',
          contents: { 'application/json': z.object({ status: z.literal('ok') }) },
          example: { status: 'ok' },
        },
      },
      handlers: [(_request, response) => void response.json({ status: 'ok' })],
    },
    {
      method: 'get',
      path: '/health',
      tag: 'service',
      summary: 'Get the state of the server.',
      description: 'The model and its device, running and waiting requests, and optional features.',
      answers: {
        200: {
          description: 'State of the server.',
          contents: { 'application/json': health },
          example: healthExample,
        },
      },
      handlers: [
        (_request, response) =>
          void response.json({
            status: 'healthy',
            initialized: true,
            is_processing: queue.active > 0,
            current_job_id: queue.current ?? null,
            queue_pending: queue.waiting > 0,
            queue_active: queue.active,
            queue_waiting: queue.waiting,
            model: settings.modelName,
            // Clients must not see the path.
            models_dir: basename(settings.modelsFolder),
            device_type: deviceType(engine.info.device),
            device_id: 0,
            device: engine.info.device,
            sample_rate: engine.info.outputSampleRate,
            local_page: context.localModels !== undefined,
            playback: context.hasPlayback() ?? null,
            fixed_voice: engine.info.limits.fixedVoice === true,
          }),
      ],
    },
    ...['/v1/models', '/v1/audio/models'].map(
      (path): Operation => ({
        method: 'get',
        path,
        tag: 'service',
        access: 'list',
        summary: 'List models.',
        description:
          path === '/v1/models'
            ? 'A server has one model. `data` and `models` are the same list, for clients of different APIs.'
            : 'Same as `GET /v1/models`, at the path that Open WebUI uses.',
        answers: {
          200: {
            description: 'The model of this server.',
            contents: {
              'application/json': z.object({ object: z.literal('list'), data: z.array(model), models: z.array(model) }),
            },
            example: { object: 'list', data: [modelExample], models: [modelExample] },
          },
        },
        handlers: [
          (_request, response) =>
            void response.json({ object: 'list', data: [describeModel()], models: [describeModel()] }),
        ],
      }),
    ),
    {
      method: 'get',
      path: '/v1/models/:model',
      tag: 'service',
      summary: 'Get a model.',
      description: 'Use it to check that the server has a model.',
      answers: {
        200: { description: 'The model.', contents: { 'application/json': model }, example: modelExample },
      },
      failures: [404],
      handlers: [
        (request: Request, response) => {
          const name = String(request.params.model);
          if (name === settings.modelName) return void response.json(describeModel());
          throw new SvcError('MODEL_NOT_FOUND', `unknown model ${show(name)} (available: ${settings.modelName})`);
        },
      ],
    },
    {
      method: 'get',
      path: '/metrics',
      tag: 'service',
      summary: 'Get metrics for Prometheus.',
      description:
        'Requests by route, queue length, batch sizes, time to first audio, real-time factor, seconds of audio, and the process.',
      answers: {
        200: {
          description: 'Metrics in the Prometheus text format.',
          contents: { 'text/plain': z.string() },
          example: '# TYPE svc_audio_seconds_total counter\nsvc_audio_seconds_total 1234.5\n',
        },
      },
      handlers: [
        async (_request, response) => {
          const text = await metrics.registry.metrics();
          response.set('Content-Type', metrics.registry.contentType).send(text);
        },
      ],
    },
  ];
}

/** The runtime's name of a device begins with its type. */
const deviceType = (device: string): string =>
  ['cuda', 'vulkan', 'metal'].find((type) => device.toLowerCase().startsWith(type)) ?? 'cpu';
