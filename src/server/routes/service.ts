/** Health and metrics. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { ServerContext } from '../context/context.ts';
import type { Operation } from '../openapi/operation.ts';

const health = z.object({
  status: z.string().describe('`healthy`.'),
  initialized: z.boolean().describe('`true`: the server takes requests.'),
  is_processing: z.boolean().describe('Whether a request is running.'),
  current_job_id: z.int().nullable().describe('Number of a running request.'),
  queue_pending: z.boolean().describe('Whether requests are waiting.'),
  queue_active: z.int().describe('Running requests.'),
  queue_waiting: z.int().describe('Waiting requests.'),
  model: z.string().describe('Name of the default model.'),
  models: z.array(z.string()).describe('Names of all models.'),
  loaded_models: z.array(z.string()).describe('Names of the loaded models.'),
  models_dir: z.string().describe('Name of the folder of the model.'),
  device_type: z
    .string()
    .nullable()
    .describe('`cpu`, `cuda`, `vulkan` or `metal`; `null` until the model was loaded for the first time.'),
  device_id: z.int().describe('Number of the device, among those of its kind.'),
  device: z.string().nullable().describe('Device that runs the model, or devices, separated by commas.'),
  device_name: z.string().nullable().describe('Product of a GPU, such as `NVIDIA L4`; `null` for the CPU.'),
  sample_rate: z.int().nullable().describe('Sample rate of the model, in Hz.'),
  local_page: z.boolean().describe('Whether the server has the page that runs a model in the browser.'),
  playback: z.boolean().nullable().describe('Whether the server has an audio output; `null` until known.'),
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
  models: ['voxcpm-0.5b'],
  loaded_models: ['voxcpm-0.5b'],
  models_dir: 'models',
  device_type: 'cpu',
  device_id: 0,
  device: 'CPU',
  device_name: null,
  sample_rate: 16_000,
  local_page: true,
  playback: false,
};

export function serviceOperations(context: ServerContext): readonly Operation[] {
  const { models, queue, settings, metrics } = context;
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
      path: '/readyz',
      tag: 'service',
      summary: 'Check that the server takes requests.',
      description:
        'A probe for load balancers: 503 during shutdown and, with a broker, while that is unreachable or has no workers. A full queue does not count. Requires no API key.',
      access: 'open',
      answers: {
        200: {
          description: 'The server takes requests.',
          contents: { 'application/json': z.object({ status: z.literal('ready') }) },
          example: { status: 'ready' },
        },
        503: { description: 'The server takes no requests now.' },
      },
      handlers: [
        (_request, response) => {
          queue.assertReady();
          response.json({ status: 'ready' });
        },
      ],
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
        (_request, response) => {
          const all = models.list();
          const info = all[0]?.info;
          response.json({
            status: 'healthy',
            initialized: true,
            is_processing: queue.active > 0,
            current_job_id: queue.current ?? null,
            queue_pending: queue.waiting > 0,
            queue_active: queue.active,
            queue_waiting: queue.waiting,
            model: models.defaultName,
            models: all.map(({ name }) => name),
            loaded_models: all.filter(({ state }) => state === 'loaded').map(({ name }) => name),
            // Clients must not see the path.
            models_dir: basename(settings.modelsFolder),
            device_type: info === undefined ? null : deviceType(info.device),
            device_id: Number(/\d+/.exec(info?.device ?? '')?.[0] ?? 0),
            device: info?.device ?? null,
            device_name: all[0]?.devices?.[0]?.description ?? null,
            sample_rate: info?.outputSampleRate ?? null,
            local_page: context.localModels !== undefined,
            playback: context.hasPlayback() ?? null,
          });
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
          example: '# TYPE svc_audio_seconds_total counter\nsvc_audio_seconds_total{model="voxcpm-0.5b"} 1234.5\n',
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
