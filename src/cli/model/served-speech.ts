/** The models of `svc serve`: one in this process, several that take turns in its memory, or workers behind a broker. */
import { basename, dirname, extname, resolve } from 'node:path';
import type { BrokerAddress } from '../../broker/shared/address.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { loadOptional } from '../../package/optional-package.ts';
import type { ServerContext } from '../../server/context/context.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type BrokerOptions, chooseBroker, defaultQueue, requireBroker } from '../options/broker-choice.ts';
import type { LoraOptions } from '../options/lora-options.ts';
import type { ModelOptions } from '../options/model-options.ts';
import type { ServedModel, ServedModelOptions } from '../options/served-model-options.ts';
import { chooseLoras, tryAdapters } from './lora-choice.ts';
import { chooseEngine } from './model-choice.ts';

export interface ServedSpeechOptions
  extends Omit<ModelOptions, 'model'>,
    ServedModelOptions,
    BrokerOptions,
    LoraOptions {
  readonly modelName?: string;
  readonly maxBatch: number;
  readonly maxQueue: number;
}

export interface ServedSpeech extends Pick<ServerContext, 'models' | 'queue' | 'loras'> {
  /** Folder of the first model; empty for the demo model and for models of workers. */
  readonly modelsFolder: string;
  close(): Promise<void>;
}

/** Opens what speaks; nothing is loaded before. Workers have recognizers of their own. */
export type OpenServedModels = (
  means: Pick<ServerContext, 'metrics' | 'logger' | 'recognize'>,
) => Promise<ServedSpeech>;

/** How long one of several models stays loaded, or offered without workers, in milliseconds. */
const defaultKeepAlive = 600_000;

/** Checks the options; downloads and converts named models. @throws SvcError */
export async function chooseSpeech(options: ServedSpeechOptions, io: Io): Promise<OpenServedModels> {
  const { model: given = [], modelPath: path, file, keepAlive, memoryLimit, modelName } = options;
  // A model option overrides SVC_BROKER_URL.
  if (given.length > 0 || path !== undefined) requireBroker(options);
  else {
    const broker = await chooseBroker(options, io);
    if (broker !== undefined) return openBrokered(broker, options, io);
  }
  if (given.length > 1 && modelName !== undefined)
    throw requestError('--model-name names a single model; name several with --model NAME=MODEL');
  if (given.length > 1 && file !== undefined) throw requestError('--file needs a single --model');
  if (given.length > 1 || keepAlive !== undefined) return openPool(options, io);
  if (memoryLimit !== undefined) throw requestError('--memory-limit needs several models, or --keep-alive');
  return openOne(options, io);
}

async function namesOf({ modelName, alias = new Map() }: ServedSpeechOptions, names: readonly string[]) {
  const match = modelName === undefined && names.length === 1 ? 'any' : 'exact';
  return (await import('../../model-pool/model-names.ts')).createModelNames({ names, aliases: alias, match });
}

/** Engine options of one of the models, or of `--model-path` and the environment. */
function engineOptions(options: ServedSpeechOptions, { hub, path }: Partial<ServedModel>, io: Io) {
  // A type and a hub are for the named ones of several models.
  const isOther = path !== undefined && options.model?.some((other) => other.hub !== undefined);
  const { type, hub: from } = isOther ? {} : options;
  return chooseEngine({ ...options, model: hub, modelPath: path ?? options.modelPath, type, hub: from }, io);
}

const folderOf = (path: string | undefined): string => (path === undefined ? '' : dirname(resolve(path)));

/** Estimate for an open model, in bytes; undefined if its files are gone. */
async function memoryOf(modelPath: string | undefined): Promise<number | undefined> {
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  const { estimateBytes, examineFiles } = await import('../../model-pool/model-files.ts');
  const estimate = async (path: string) => estimateBytes(path, (await examineFiles(path)).bytes);
  return resolveModelPath(modelPath)
    .then(estimate)
    .catch(() => undefined);
}

async function openOne(options: ServedSpeechOptions, io: Io): Promise<OpenServedModels> {
  const { maxBatch, maxQueue: maxWaiting, modelName } = options;
  const model: Partial<ServedModel> = options.model?.[0] ?? {};
  const { catalog: loras } = await chooseLoras(options, io);
  const chosen = await engineOptions(options, model, io);
  return async ({ metrics, recognize }) => {
    const [{ createQueue }, { createFixedModel }] = await Promise.all([
      import('../../admission/queue.ts'),
      import('../../model-pool/served-models.ts'),
    ]);
    const engine = await io.openEngine({ ...chosen, maxBatch }, { onStep: metrics.batch, recognize, loras });
    await tryAdapters(engine);
    const names = await namesOf(options, [modelName ?? model.name ?? engine.info.name]);
    return {
      models: createFixedModel(engine, names, { memoryBytes: await memoryOf(chosen.modelPath) }),
      queue: createQueue({ slots: slotsOf(engine, maxBatch), maxWaiting }),
      loras: engine.loras ?? loras,
      modelsFolder: folderOf(chosen.modelPath),
      close: engine.close,
    };
  };
}

/** Requests that run at once: each of several GPUs has steps of its own. */
export const slotsOf = (engine: SpeechSource, maxBatch: number): number =>
  maxBatch * Math.max(1, engine.deviceUse?.()?.length ?? 1);

/** Compiled code, the heap and the threads of decoders, measured with 200 requests of 8 clients. */
const serverGrowth = 64 * 2 ** 20;

async function openPool(options: ServedSpeechOptions, io: Io): Promise<OpenServedModels> {
  if (options.device === 'all')
    throw requestError('--device all needs a single model that stays loaded; give one --model and no --keep-alive');
  const { model: wanted = [{}], maxBatch, maxQueue: maxWaiting, keepAlive = defaultKeepAlive, memoryLimit } = options;
  const [{ createModelPool }, { resolveModelPath }, { readLimits }, { createQueue }] = await Promise.all([
    import('../../model-pool/model-pool.ts'),
    import('../../engine/open-engine.ts'),
    import('../../engine/read-limits.ts'),
    import('../../admission/queue.ts'),
  ]);
  const { catalog: loras } = await chooseLoras(options, io);
  const chosen = await Promise.all(
    wanted.map(async (model: Partial<ServedModel>) => {
      const engine = await engineOptions(options, model, io);
      const path = resolve(await resolveModelPath(engine.modelPath));
      const name = options.modelName ?? model.name ?? basename(path, extname(path));
      // Faults of a file are reported when it is loaded.
      const limits = await readLimits(path).catch(() => undefined);
      return { name, path, limits, engine: { ...engine, modelPath: path, maxBatch } };
    }),
  );
  const given = chosen.map(({ name }) => name);
  const names = await namesOf(options, given);
  return async ({ metrics, logger, recognize }) => {
    const models = await createModelPool({
      models: chosen.map(({ engine, ...model }) => {
        return { ...model, open: () => io.openEngine(engine, { onStep: metrics.batch, recognize, loras }) };
      }),
      ...{ names, keepAlive, memoryLimit, growth: serverGrowth, logger },
      onLoad: metrics.loaded,
      onUnload: metrics.unloaded,
    });
    return {
      models,
      queue: createQueue({ slots: maxBatch, maxWaiting }),
      loras,
      modelsFolder: folderOf(chosen[0]?.path),
      close: models.close,
    };
  };
}

function openBrokered(address: BrokerAddress, options: ServedSpeechOptions, { signal }: Io): OpenServedModels {
  const { queue = defaultQueue, maxQueue: maxWaiting, modelName, defaultModel, alias: aliases } = options;
  const { keepAlive = defaultKeepAlive } = options;
  return async ({ metrics, logger }) => {
    const load = () => import('../../broker/front/open-broker-front.ts');
    const { openBrokerFront } = await loadOptional('svc serve --broker', load);
    const { awaitBroker } = await import('../../broker/shared/await-broker.ts');
    await awaitBroker({ address, queue }, logger, signal);
    const offered = { modelName, defaultModel, aliases, keepAlive };
    const front = await openBrokerFront({ address, queue, ...offered, maxWaiting, metrics, logger, signal });
    const { models, loras, close } = front;
    return { models, queue: front.queue, loras, modelsFolder: '', close };
  };
}
