/** Health, models and metrics. */
import { basename } from 'node:path';
import type { Request } from 'express';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
import { show } from '../../validation.ts';
import type { ServerContext } from '../context.ts';
import type { Operation } from '../operation.ts';

const model = z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });
const health = z.object({
  status: z.string(),
  initialized: z.boolean(),
  is_processing: z.boolean(),
  current_job_id: z.int().nullable(),
  queue_pending: z.boolean(),
  queue_active: z.int(),
  queue_waiting: z.int(),
  model: z.string(),
  models_dir: z.string(),
  device_type: z.string(),
  device_id: z.int(),
  device: z.string(),
  sample_rate: z.int(),
  local_page: z.boolean(),
  playback: z.boolean().nullable().describe('Whether the server has an audio output; null while that is unknown.'),
  fixed_voice: z
    .boolean()
    .describe('Whether the model has a single voice, so that prompts and references are ignored.'),
});

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
      access: 'open',
      answers: {
        200: {
          description: 'The server is up.',
          contents: { 'application/json': z.object({ status: z.literal('ok') }) },
        },
      },
      handlers: [(_request, response) => void response.json({ status: 'ok' })],
    },
    {
      method: 'get',
      path: '/health',
      tag: 'service',
      summary: 'Get the model, the device and the length of the queue.',
      answers: { 200: { description: 'State of the server.', contents: { 'application/json': health } } },
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
        summary: 'List models.',
        answers: {
          200: {
            description: 'The one model of this server.',
            contents: {
              'application/json': z.object({ object: z.literal('list'), data: z.array(model), models: z.array(model) }),
            },
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
      answers: { 200: { description: 'The model.', contents: { 'application/json': model } } },
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
      answers: {
        200: { description: 'Metrics in the text format of Prometheus.', contents: { 'text/plain': z.string() } },
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

/** The runtime's device name begins with its type. */
const deviceType = (device: string): string =>
  ['cuda', 'vulkan', 'metal'].find((type) => device.toLowerCase().startsWith(type)) ?? 'cpu';
