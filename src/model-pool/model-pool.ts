/**
 * Several models in one process: loaded on first use, unloaded when they are idle for long or when another needs their
 * memory. Requests hold leases, and a leased model is never unloaded.
 */
import type { Logger } from 'pino';
import { shuttingDown } from '../admission/drain.ts';
import { removeFrom } from '../admission/remove-from.ts';
import { untilAborted, waitFor } from '../cancellation.ts';
import type { ModelInfo, ModelLimits } from '../engine/backend.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import { messageOf, SvcError, toSvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import { estimateBytes, examineFiles } from './model-files.ts';
import type { ModelNames } from './model-names.ts';
import { type LeaseOptions, type ModelLease, type ModelStatus, once, type ServedModels } from './served-models.ts';

/** A model that can be loaded. */
export interface PoolModel {
  readonly name: string;
  /** Absolute path of a `.gguf` file or an ONNX folder. */
  readonly path: string;
  /** Limits of its files, before they are loaded. */
  readonly limits?: ModelLimits | undefined;
  open(): Promise<OpenedModel>;
}

export type OpenedModel = SpeechSource & { close(): Promise<void> };

export type UnloadReason = 'keep-alive' | 'memory' | 'request' | 'replaced' | 'shutdown';

export interface ModelPoolOptions {
  readonly models: readonly PoolModel[];
  readonly names: ModelNames;
  /** Milliseconds that a model stays loaded after its last request. */
  readonly keepAlive: number;
  /** Resident memory of the process in bytes. Default: no limit. */
  readonly memoryLimit?: number | undefined;
  /** Bytes by which the process grows when it begins to serve, besides models. */
  readonly growth?: number;
  /** How long a model that others wait for takes new requests, in milliseconds. */
  readonly turn?: number;
  readonly logger: Logger;
  readonly onLoad?: (name: string, seconds: number, result: 'loaded' | 'failed') => void;
  readonly onUnload?: (name: string, reason: UnloadReason) => void;
  /** Resident memory in bytes; replaced by tests. */
  readonly residentBytes?: () => number;
}

export interface ModelPool extends ServedModels {
  /** Refuses waiting requests and unloads all models. Call when all requests have ended. */
  close(): Promise<void>;
}

interface Model extends PoolModel {
  info: ModelInfo | undefined;
  /** Estimate for the files as they were last seen. */
  bytes: number;
  /** Takes new requests. */
  current: Instance | undefined;
}

/** One loading of a model. */
interface Instance {
  readonly model: Model;
  readonly opening: Promise<OpenedModel>;
  /** Once it is loaded. */
  opened: OpenedModel | undefined;
  state: 'loading' | 'loaded' | 'closing';
  /** Version of the files, once they were opened. */
  version: string | undefined;
  /** Estimate. */
  readonly bytes: number;
  users: number;
  /** Why to unload it when its last request has ended. */
  ending: UnloadReason | undefined;
  keepAlive: number;
  /** When it began to serve, and when it last did; from `performance.now()`. */
  since: number;
  usedAt: number;
  expiry: { readonly timer: NodeJS.Timeout; readonly at: Date } | undefined;
  closed: Promise<void> | undefined;
}

interface Waiter {
  readonly model: Model;
  readonly since: number;
  begin(instance: Instance): void;
  refuse(error: SvcError): void;
}

const defaultTurn = 10_000;
/** How often a long load is logged, in milliseconds. */
const progressInterval = 5_000;
/** The longest delay of a timer. */
const longestDelay = 2 ** 31 - 1;

const inMebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** @throws SvcError MODEL_NOT_FOUND; INVALID_REQUEST for a memory limit that a model exceeds alone */
export async function createModelPool(options: ModelPoolOptions): Promise<ModelPool> {
  const { names, keepAlive: defaultKeepAlive, memoryLimit, turn = defaultTurn, logger } = options;
  const residentBytes = options.residentBytes ?? process.memoryUsage.rss;
  /** Memory of the process without models. */
  const ownBytes = residentBytes() + (options.growth ?? 0);
  const models = new Map<string, Model>();
  /** All that take memory. */
  const instances = new Set<Instance>();
  /** Requests whose model must be loaded first and does not fit; requests for the loaded ones may pass for a while. */
  const line: Waiter[] = [];
  let isClosed = false;

  for (const given of options.models) {
    const { bytes } = await examineFiles(given.path).catch((cause: unknown) => {
      throw new SvcError('MODEL_NOT_FOUND', `no such file or folder: ${given.path}`, { cause });
    });
    const model = { ...given, info: undefined, bytes: estimateBytes(given.path, bytes), current: undefined };
    if (exceedsLimit(model)) throw requestError(tooLarge(model));
    models.set(given.name, model);
  }

  function exceedsLimit({ bytes }: Model): boolean {
    return memoryLimit !== undefined && ownBytes + bytes > memoryLimit;
  }

  function tooLarge({ name, bytes }: Model): string {
    const needed = inMebibytes(ownBytes + bytes);
    return `model "${name}" needs about ${needed} MiB of memory; --memory-limit is ${inMebibytes(memoryLimit ?? 0)} MiB`;
  }

  function modelOf(name: string): Model {
    return models.get(names.resolve(name)) as Model;
  }

  /** Whether the model fits next to those in use; unloads idle ones for it, the least recently used first. */
  function makeRoom({ bytes: needed }: Model): boolean {
    if (memoryLimit === undefined) return true;
    const sum = (some: Iterable<Instance>): number => [...some].reduce((total, { bytes }) => total + bytes, 0);
    const isClosing = ({ state }: Instance): boolean => state === 'closing';
    const idle = [...instances]
      .filter(({ state, users }) => state === 'loaded' && users === 0)
      .sort((a, b) => a.usedAt - b.usedAt);
    const closing = [...instances].filter(isClosing);
    const isAlone = idle.length + closing.length === instances.size;
    const used = Math.max(residentBytes(), ownBytes + sum(instances));
    // Memory of a model is free only when it is closed, so this is called again then.
    let left = used + needed - memoryLimit - sum(closing);
    if (left > sum(idle) && !isAlone) return false;
    for (const instance of idle) {
      if (left <= 0) break;
      left -= instance.bytes;
      void close(instance, 'memory');
    }
    return used + needed <= memoryLimit || instances.size === 0;
  }

  /** The running instance that may take one more request. */
  function findOpen({ current }: Model, blocked: Waiter | undefined): Instance | undefined {
    if (current === undefined) return undefined;
    const isOver = blocked !== undefined && performance.now() - Math.max(current.since, blocked.since) > turn;
    return isOver ? undefined : current;
  }

  function advance(): void {
    let blocked: Waiter | undefined;
    for (const waiter of [...line]) {
      const { model } = waiter;
      const found = findOpen(model, blocked);
      const mayLoad = found === undefined && model.current === undefined && blocked === undefined;
      if (mayLoad && exceedsLimit(model)) {
        waiter.refuse(new SvcError('OUT_OF_MEMORY', tooLarge(model)));
        continue;
      }
      const instance = found ?? (mayLoad && makeRoom(model) ? load(model) : undefined);
      if (instance === undefined) blocked ??= waiter;
      else waiter.begin(instance);
    }
  }

  function load(model: Model): Instance {
    const instance: Instance = {
      model,
      opening: Promise.resolve().then(() => open(instance)),
      opened: undefined,
      state: 'loading',
      version: undefined,
      bytes: model.bytes,
      users: 0,
      ending: undefined,
      keepAlive: defaultKeepAlive,
      since: performance.now(),
      usedAt: performance.now(),
      expiry: undefined,
      closed: undefined,
    };
    // Those who wait for it report the error.
    instance.opening.catch(() => undefined);
    instances.add(instance);
    model.current = instance;
    return instance;
  }

  async function open(instance: Instance): Promise<OpenedModel> {
    const { model } = instance;
    const { name } = model;
    const began = performance.now();
    const before = residentBytes();
    const seconds = (): number => Number(((performance.now() - began) / 1000).toFixed(2));
    logger.info({ model: name, estimate: `${inMebibytes(model.bytes)} MiB` }, 'loading model');
    const progress = setInterval(
      () => logger.info({ model: name, seconds: seconds(), waiting: instance.users }, 'still loading model'),
      progressInterval,
    );
    try {
      const { version } = await examineFiles(model.path);
      const opened = await model.open();
      const memory = `${inMebibytes(residentBytes() - before)} MiB`;
      Object.assign(instance, {
        state: 'loaded',
        opened,
        version,
        since: performance.now(),
        usedAt: performance.now(),
      });
      model.info = opened.info;
      logger.info({ model: name, seconds: seconds(), memory }, 'model loaded');
      options.onLoad?.(name, seconds(), 'loaded');
      if (instance.users === 0) settle(instance);
      return opened;
    } catch (thrown) {
      instances.delete(instance);
      if (model.current === instance) model.current = undefined;
      logger.error({ model: name, reason: messageOf(thrown) }, 'model not loaded');
      options.onLoad?.(name, seconds(), 'failed');
      queueMicrotask(advance);
      throw cannotLoad(name, thrown);
    } finally {
      clearInterval(progress);
    }
  }

  /** Decides what becomes of an instance without requests. */
  function settle(instance: Instance): void {
    advance();
    if (instance.users > 0 || instance.state !== 'loaded') return;
    if (instance.ending !== undefined || instance.keepAlive === 0) {
      return void close(instance, instance.ending ?? 'keep-alive');
    }
    if (instance.keepAlive === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(instance.keepAlive, longestDelay);
    const timer = setTimeout(() => void close(instance, 'keep-alive'), delay).unref();
    instance.expiry = { timer, at: new Date(Date.now() + delay) };
  }

  function close(instance: Instance, reason: UnloadReason): Promise<void> {
    const { model } = instance;
    instance.state = 'closing';
    clearTimeout(instance.expiry?.timer);
    if (model.current === instance) model.current = undefined;
    instance.closed ??= (async () => {
      try {
        await (await instance.opening).close();
      } catch (thrown) {
        logger.error({ model: model.name, reason: messageOf(thrown) }, 'closing the model failed');
      }
      instances.delete(instance);
      logger.info({ model: model.name, reason, resident: `${inMebibytes(residentBytes())} MiB` }, 'model unloaded');
      options.onUnload?.(model.name, reason);
      advance();
    })();
    return instance.closed;
  }

  /** Unloads an instance now, or after its last request. New requests load the model again. */
  async function end(instance: Instance, reason: UnloadReason): Promise<void> {
    instance.ending = reason;
    instance.model.current = undefined;
    if (instance.users === 0 && instance.state === 'loaded') await close(instance, reason);
  }

  function occupy(instance: Instance, keepAlive: number | undefined): void {
    instance.users += 1;
    instance.keepAlive = keepAlive ?? defaultKeepAlive;
    clearTimeout(instance.expiry?.timer);
    instance.expiry = undefined;
  }

  function vacate(instance: Instance): void {
    instance.users -= 1;
    instance.usedAt = performance.now();
    if (instance.users === 0) settle(instance);
  }

  function waitInLine(model: Model, keepAlive: number | undefined, signal: AbortSignal): Promise<Instance> {
    if (isClosed) return Promise.reject(shuttingDown());
    let waiter: Waiter | undefined;
    const begin = (resolve: (instance: Instance) => void, refuse: (error: unknown) => void): void => {
      waiter = {
        model,
        since: performance.now(),
        begin(instance) {
          occupy(instance, keepAlive);
          resolve(instance);
        },
        refuse,
      };
      line.push(waiter);
      advance();
    };
    return waitFor(signal, begin, () => {
      if (waiter === undefined) return;
      removeFrom(line, waiter);
      // Others may have waited behind this request.
      if (signal.aborted) advance();
    });
  }

  /** Notes the size of the files, and stops using an instance of files that were replaced. */
  async function examine(model: Model): Promise<void> {
    try {
      const { version, bytes } = await examineFiles(model.path);
      const { current } = model;
      model.bytes = estimateBytes(model.path, bytes);
      if (current?.state !== 'loaded' || current.version === version) return;
      logger.info({ model: model.name }, 'model file was replaced');
      await end(current, 'replaced');
    } catch (thrown) {
      // A loaded model does not need its files.
      if (model.current === undefined) throw cannotLoad(model.name, thrown);
    }
  }

  async function lease(name: string, { keepAlive, wait }: LeaseOptions): Promise<ModelLease> {
    const model = modelOf(name);
    await examine(model);
    const open = findOpen(model, line[0]);
    if (open?.state === 'loaded') {
      occupy(open, keepAlive);
      return leaseOf(open, await open.opening);
    }
    return wait(async (signal) => {
      const instance = await waitInLine(model, keepAlive, signal);
      try {
        return leaseOf(instance, await untilAborted(signal, instance.opening));
      } catch (error) {
        vacate(instance);
        throw error;
      }
    });
  }

  const leaseOf = (instance: Instance, engine: OpenedModel): ModelLease => ({
    name: instance.model.name,
    engine,
    release: once(() => vacate(instance)),
  });

  function describe(model: Model): ModelStatus {
    const { name, info } = model;
    const limits = info?.limits ?? model.limits;
    const own = [...instances].filter((instance) => instance.model === model);
    const current = model.current ?? own[0];
    const waiting = line.filter((waiter) => waiter.model === model).length;
    const isEnding = current?.state === 'closing' || current?.ending !== undefined;
    return {
      name,
      aliases: names.aliasesOf(name),
      state: current === undefined ? 'unloaded' : isEnding ? 'unloading' : (current.state as 'loading' | 'loaded'),
      info,
      requests: own.reduce((sum, { users }) => sum + users, waiting),
      limits,
      memoryBytes: current?.bytes,
      voiceMemory: current?.opened?.voiceMemory?.(),
      expiresAt: current?.expiry?.at,
    };
  }

  return {
    ...names,
    list: () => [...models.values()].map(describe),
    lease,
    async unload(name) {
      const { current } = modelOf(name);
      if (current !== undefined) await end(current, 'request');
    },
    async close() {
      isClosed = true;
      for (const waiter of [...line]) waiter.refuse(shuttingDown());
      await Promise.allSettled(
        [...instances].map(async (instance) => {
          await instance.opening.catch(() => undefined);
          if (instances.has(instance)) await close(instance, 'shutdown');
        }),
      );
    },
  };
}

/** The request that finds it out must be able to say why, and a later one may succeed. */
function cannotLoad(name: string, thrown: unknown): SvcError {
  const cause = toSvcError(thrown);
  const code = cause.code === 'OUT_OF_MEMORY' ? cause.code : 'BACKEND_UNAVAILABLE';
  return new SvcError(code, `cannot load model "${name}": ${cause.message}`, { cause });
}
