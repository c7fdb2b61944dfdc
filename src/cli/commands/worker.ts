import { type Command, Option } from 'commander';
import type { BrokerWorker } from '../../broker/worker/broker-worker.ts';
import { aborted } from '../../cancellation.ts';
import { ranges } from '../../engine/request-fields.ts';
import { loadOptional } from '../../package/optional-package.ts';
import { createObjectStore } from '../../speech-files/object-store.ts';
import { openTracing } from '../../tracing/open-tracing.ts';
import { type Range, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseLoras, tryAdapters } from '../model/lora-choice.ts';
import { chooseEngine } from '../model/model-choice.ts';
import { slotsOf } from '../model/served-speech.ts';
import { type BrokerOptions, brokerOptions, chooseBroker, defaultQueue } from '../options/broker-choice.ts';
import { type LoraOptions, loraOptions } from '../options/lora-options.ts';
import { type ModelOptions, modelOptions } from '../options/model-options.ts';
import { commandWith, grouped, rangeOption } from '../options/option-values.ts';
import { checkWithOption, chooseRecognizer, type RecognizerOptions } from '../options/recognizer.ts';
import { parseServedName } from '../options/served-model-options.ts';
import { type LogOptions, processOptions } from '../options/service-options.ts';
import { openLog } from '../output/logger.ts';
import type { HealthServer } from '../worker/health-server.ts';

interface WorkerOptions extends ModelOptions, BrokerOptions, LoraOptions, LogOptions, RecognizerOptions {
  readonly modelName?: string;
  readonly maxBatch: number;
  readonly drainSeconds: number;
  readonly healthPort?: number;
  readonly healthHost: string;
}

const healthPort: Range = { kind: 'integer', minimum: 0, maximum: 65_535 };

const help = `
Examples:
  svc worker --broker redis://10.0.0.5 --model voxcpm-0.5b
  svc worker --broker rediss://:password@redis.example.org:6380 \\
    --model voxcpm-0.5b --max-batch 16 --health-port 9000
  svc worker --broker redis://10.0.0.5 --model voxcpm-2 --model-name voxcpm-2
  svc serve --broker redis://10.0.0.5

All workers of a model must serve the same file and LoRA adapters on the same
kind of device. For several models in a queue, name each with --model-name.
When a worker dies, another one continues its requests where the audio ends.

docs/cli.md lists the environment variables that set options, such as
SVC_BROKER_URL, SVC_MODELS_DIR and SVC_THREADS; options override them. Variables
of OpenTelemetry turn on traces, see docs/operations.md.`;

/** `svc worker`: processes the requests that front ends queue at a broker. */
export function workerCommand(io: Io): Command {
  return commandWith('worker', help, [
    ...brokerOptions('Redis or Valkey, such as redis://host:6379 (required)').filter(
      ({ long }) => long !== '--default-model',
    ),
    ...modelOptions(),
    ...grouped('Model:', [
      new Option(
        '--model-name <name>',
        'name of the model in requests, so that a queue may have several (default: its own name, for the only one)',
      ).argParser(parseServedName),
    ]),
    ...loraOptions('may be repeated; the same for all workers of a model'),
    ...grouped('Speech:', [
      rangeOption('--max-batch', ranges.maxBatch, 'requests processed at once, sharing each pass over the weights'),
      checkWithOption('recognizer to check requests with retry_badcase'),
    ]),
    ...grouped('Process:', [
      rangeOption('--health-port', healthPort, 'port for GET /healthz and /status', 'none'),
      new Option('--health-host <address>', 'address of the health port').default('127.0.0.1'),
      ...processOptions(),
    ]),
  ]).action((given: WorkerOptions) => work(given, io));
}

async function work(options: WorkerOptions, io: Io): Promise<void> {
  const { maxBatch, modelName, queue = defaultQueue } = options;
  const { startBrokerWorker } = await loadOptional('svc worker', () => import('../../broker/worker/broker-worker.ts'));
  const address = await chooseBroker(options, io);
  if (address === undefined) throw requestError('--broker is required: name a Redis server, as in redis://127.0.0.1');
  const recognize = await chooseRecognizer(options, io);
  const loras = await chooseLoras(options, io);
  const chosen = await chooseEngine(options, io);
  const [{ awaitBroker }, { identifyModel }, { openHealthServer }, { resolveModelPath }] = await Promise.all([
    import('../../broker/shared/await-broker.ts'),
    import('../../broker/worker/model-identity.ts'),
    import('../worker/health-server.ts'),
    import('../../engine/open-engine.ts'),
  ]);
  const { logger, announce } = await openLog(options, io);
  const tracing = await openTracing(io.environment, 'svc-worker', logger);
  const modelPath = await resolveModelPath(chosen.modelPath);
  let countPass = (_members: number): void => undefined;
  const onStep = (members: number): void => countPass(members);
  const engine = await io.openEngine({ ...chosen, modelPath, maxBatch }, { onStep, recognize, loras: loras.catalog });
  await tryAdapters(engine);
  let worker: BrokerWorker | undefined;
  let health: HealthServer | undefined;
  try {
    if (options.healthPort !== undefined) {
      health = await openHealthServer(() => worker, { host: options.healthHost, port: options.healthPort });
    }
    const names = loras.catalog.list().map(({ name }) => name);
    const revisions = await Promise.all(names.map(async (name) => `${name} ${await loras.revision(name)}`));
    const identity = await identifyModel(engine.info, modelPath, revisions);
    const adapters = loras.catalog.list();
    const objects = createObjectStore(io.environment);
    const slots = slotsOf(engine, maxBatch);
    const serving = { address, queue, modelName, engine, identity, adapters, objects, slots, logger };
    await awaitBroker(serving, logger, io.signal);
    worker = await startBrokerWorker(serving);
    countPass = worker.countPass;
    const { device } = engine.info;
    const { shown } = address;
    const name = modelName ?? engine.info.name;
    announce(
      `Taking requests from queue ${queue} at ${shown} (model ${name} on ${device}). Press Ctrl-C to stop.`,
      { broker: shown, queue, model: name, device, slots, health: health?.port },
      'working',
    );
    await aborted(io.signal);
    logger.info('shutting down');
  } finally {
    await worker?.stop(options.drainSeconds * 1000);
    await health?.close();
    await engine.close();
    await tracing.close();
  }
}
