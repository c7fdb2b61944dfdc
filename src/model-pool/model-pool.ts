/**
 * Several models in one process: loaded on first use, unloaded when they are idle for long or when another needs their
 * memory. Requests hold leases, and a leased model is never unloaded.
 */
import type { Logger } from 'pino';
import { once } from '../admission/concurrency.ts';
import { shuttingDown } from '../admission/drain.ts';
import { untilAborted, waitFor } from '../cancellation.ts';
import type { ModelInfo, ModelLimits } from '../engine/backend.ts';
import type { SpeechSource } from '../engine/speech-source.ts';
import { messageOf, SvcError, toSvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import { idleOf, makeRoom } from './memory-budget.ts';
import { estimateBytes, examineFiles } from './model-files.ts';
import type { ModelNames } from './model-names.ts';
import type { LeaseOptions, ModelLease, ModelStatus, ServedModels } from './served-models.ts';

type OpenedModel = SpeechSource & { close(): Promise<void> };

type UnloadReason = 'keep-alive' | 'memory' | 'request' | 'replaced' | 'shutdown';

/** A model that can be loaded, of a `.gguf` file or an ONNX folder. */
interface PoolModel {
  readonly name: string;
  /** Absolute path of its files. */
  readonly path: string;
  /** Limits of its files, before they are loaded. */
  readonly limits?: ModelLimits | undefined;
  open(): Promise<OpenedModel>;
}

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
  const models: Model[] = [];
  for (const given of options.models) {
    const { bytes } = await examineFiles(given.path).catch((cause: unknown) => {
      throw new SvcError('MODEL_NOT_FOUND', `no such file or folder: ${given.path}`, { cause });
    });
    models.push({ ...given, info: undefined, bytes: estimateBytes(given.path, bytes), current: undefined });
  }
  const pool = new Pool(models, options);
  for (const model of models) {
    const problem = pool.problemOf(model);
    if (problem !== undefined) throw requestError(problem);
  }
  return {
    ...options.names,
    list: () => models.map((model) => pool.describe(model)),
    lease: (name, lease) => pool.lease(name, lease),
    unload: (name) => pool.unload(name),
    close: () => pool.close(),
  };
}

class Pool {
  readonly logger: Logger;
  readonly residentBytes: () => number;
  readonly #models: ReadonlyMap<string, Model>;
  readonly #options: ModelPoolOptions;
  /** Memory of the process without models. */
  readonly #ownBytes: number;
  readonly #instances = new Set<Instance>();
  /** Requests whose model must be loaded first and does not fit; requests for the loaded ones may pass for a while. */
  readonly #line = new Set<Waiter>();
  #isClosed = false;

  constructor(models: readonly Model[], options: ModelPoolOptions) {
    this.#models = new Map(models.map((model) => [model.name, model]));
    this.#options = options;
    this.logger = options.logger;
    this.residentBytes = options.residentBytes ?? process.memoryUsage.rss;
    this.#ownBytes = this.residentBytes() + (options.growth ?? 0);
  }

  /** The model is loaded, and may have no requests any more. */
  loaded(instance: Instance, seconds: number): void {
    const { model, opened, users } = instance;
    model.info = opened?.info;
    this.#options.onLoad?.(model.name, seconds, 'loaded');
    if (users === 0) this.idle(instance);
  }

  failed(instance: Instance, seconds: number): void {
    this.#forget(instance);
    this.#options.onLoad?.(instance.model.name, seconds, 'failed');
    queueMicrotask(() => this.#advance());
  }

  closing(instance: Instance): void {
    const { model } = instance;
    if (model.current === instance) model.current = undefined;
  }

  closed(instance: Instance, reason: UnloadReason): void {
    this.#forget(instance);
    this.#options.onUnload?.(instance.model.name, reason);
    this.#advance();
  }

  /** Its last request has ended: others may take it, else it settles. */
  idle(instance: Instance): void {
    this.#advance();
    instance.settle();
  }

  problemOf({ name, bytes }: Model): string | undefined {
    const { memoryLimit } = this.#options;
    if (memoryLimit === undefined || this.#ownBytes + bytes <= memoryLimit) return undefined;
    const needed = inMebibytes(this.#ownBytes + bytes);
    return `model "${name}" needs about ${needed} MiB of memory; --memory-limit is ${inMebibytes(memoryLimit)} MiB`;
  }

  async lease(name: string, { keepAlive = this.#options.keepAlive, wait }: LeaseOptions): Promise<ModelLease> {
    const model = this.#modelOf(name);
    await this.#examine(model);
    const open = this.#findOpen(model, [...this.#line][0]);
    if (open?.state === 'loaded') {
      open.occupy(keepAlive);
      return leaseOf(open, await open.opening);
    }
    return wait(async (signal) => {
      const instance = await this.#waitInLine(model, keepAlive, signal);
      try {
        return leaseOf(instance, await untilAborted(signal, instance.opening));
      } catch (error) {
        instance.vacate();
        throw error;
      }
    });
  }

  unload(name: string): Promise<void> {
    return this.#end(this.#modelOf(name), 'request');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of [...this.#line]) waiter.refuse(shuttingDown());
    await Promise.allSettled(
      [...this.#instances].map(async (instance) => {
        await instance.opening.catch(() => undefined);
        if (this.#instances.has(instance)) await instance.close('shutdown');
      }),
    );
  }

  describe(model: Model): ModelStatus {
    const { name, info } = model;
    const own = [...this.#instances].filter((instance) => instance.model === model);
    const current = model.current ?? own[0];
    const waiting = [...this.#line].filter((waiter) => waiter.model === model).length;
    const isEnding = current?.state === 'closing' || current?.ending !== undefined;
    return {
      name,
      aliases: this.#options.names.aliasesOf(name),
      state: current === undefined ? 'unloaded' : isEnding ? 'unloading' : (current.state as 'loading' | 'loaded'),
      info,
      requests: own.reduce((sum, { users }) => sum + users, waiting),
      limits: info?.limits ?? model.limits,
      memoryBytes: current?.bytes,
      voiceMemory: current?.opened?.voiceMemory?.(),
      devices: current?.opened?.deviceUse?.(),
      expiresAt: current?.expiresAt,
    };
  }

  #modelOf(name: string): Model {
    return this.#models.get(this.#options.names.resolve(name)) as Model;
  }

  /** The running instance that may take one more request. */
  #findOpen({ current }: Model, blocked: Waiter | undefined): Instance | undefined {
    if (current === undefined) return undefined;
    const { turn = defaultTurn } = this.#options;
    const isOver = blocked !== undefined && performance.now() - Math.max(current.since, blocked.since) > turn;
    return isOver ? undefined : current;
  }

  #advance(): void {
    let blocked: Waiter | undefined;
    for (const waiter of [...this.#line]) {
      const { model } = waiter;
      const found = this.#findOpen(model, blocked);
      const mayLoad = found === undefined && model.current === undefined && blocked === undefined;
      const problem = mayLoad ? this.problemOf(model) : undefined;
      if (problem !== undefined) {
        waiter.refuse(new SvcError('OUT_OF_MEMORY', problem));
        continue;
      }
      const instance = found ?? (mayLoad && this.#makeRoom(model) ? this.#load(model) : undefined);
      if (instance === undefined) blocked ??= waiter;
      else waiter.begin(instance);
    }
  }

  /** Whether the model fits next to those in use; unloads idle ones for it. */
  #makeRoom({ bytes }: Model): boolean {
    const { memoryLimit: limit } = this.#options;
    if (limit === undefined) return true;
    const budget = { limit, own: this.#ownBytes, resident: this.residentBytes() };
    const { fits, unload } = makeRoom(bytes, [...this.#instances], budget);
    for (const instance of unload) void instance.close('memory');
    return fits;
  }

  /** Unloads the least recently used of the idle models; false if there is none. */
  async makeSpace(): Promise<boolean> {
    const [oldest] = idleOf(this.#instances);
    await oldest?.close('memory');
    return oldest !== undefined;
  }

  #load(model: Model): Instance {
    const instance = new Instance(model, this.#options.keepAlive, this);
    this.#instances.add(instance);
    model.current = instance;
    return instance;
  }

  #forget(instance: Instance): void {
    this.#instances.delete(instance);
    this.closing(instance);
  }

  /** New requests load the model again. */
  async #end(model: Model, reason: UnloadReason): Promise<void> {
    const { current } = model;
    model.current = undefined;
    await current?.end(reason);
  }

  #waitInLine(model: Model, keepAlive: number, signal: AbortSignal): Promise<Instance> {
    if (this.#isClosed) return Promise.reject(shuttingDown());
    let waiter: Waiter | undefined;
    const begin = (resolve: (instance: Instance) => void, refuse: (error: unknown) => void): void => {
      waiter = {
        model,
        since: performance.now(),
        begin(instance) {
          instance.occupy(keepAlive);
          resolve(instance);
        },
        refuse,
      };
      this.#line.add(waiter);
      this.#advance();
    };
    return waitFor(signal, begin, () => {
      if (waiter === undefined) return;
      this.#line.delete(waiter);
      // Others may have waited behind this request.
      if (signal.aborted) this.#advance();
    });
  }

  /** Notes the size of the files, and stops using an instance of files that were replaced. */
  async #examine(model: Model): Promise<void> {
    try {
      const { version, bytes } = await examineFiles(model.path);
      const { current } = model;
      model.bytes = estimateBytes(model.path, bytes);
      if (current?.state !== 'loaded' || current.version === version) return;
      this.logger.info({ model: model.name }, 'model file was replaced');
      await this.#end(model, 'replaced');
    } catch (thrown) {
      // A loaded model does not need its files.
      if (model.current === undefined) throw cannotLoad(model.name, thrown);
    }
  }
}

const leaseOf = (instance: Instance, engine: OpenedModel): ModelLease => ({
  name: instance.model.name,
  engine,
  release: once(() => instance.vacate()),
});

/** One loading of a model: loading, loaded, closing. */
class Instance {
  readonly model: Model;
  /** Estimate of its memory. */
  readonly bytes: number;
  readonly opening: Promise<OpenedModel>;
  state: 'loading' | 'loaded' | 'closing' = 'loading';
  opened: OpenedModel | undefined;
  version: string | undefined;
  users = 0;
  /** Time when it began to serve, and when it last did; from `performance.now()`. */
  since = performance.now();
  usedAt = performance.now();
  ending: UnloadReason | undefined;
  readonly #pool: Pool;
  /** Milliseconds that it stays loaded after its last request. */
  #keepAlive: number;
  #expiry: { readonly timer: NodeJS.Timeout; readonly at: Date } | undefined;
  #closed: Promise<void> | undefined;

  constructor(model: Model, keepAlive: number, pool: Pool) {
    this.model = model;
    this.bytes = model.bytes;
    this.#keepAlive = keepAlive;
    this.#pool = pool;
    this.opening = Promise.resolve().then(() => this.#open());
    // Those who wait for it report the error.
    this.opening.catch(() => undefined);
  }

  get expiresAt(): Date | undefined {
    return this.#expiry?.at;
  }

  occupy(keepAlive: number): void {
    this.users += 1;
    this.#keepAlive = keepAlive;
    this.#stopExpiry();
  }

  vacate(): void {
    this.users -= 1;
    this.usedAt = performance.now();
    if (this.users === 0) this.#pool.idle(this);
  }

  settle(): void {
    if (this.users > 0 || this.state !== 'loaded') return;
    if (this.ending !== undefined || this.#keepAlive === 0) return void this.close(this.ending ?? 'keep-alive');
    if (this.#keepAlive === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(this.#keepAlive, longestDelay);
    const timer = setTimeout(() => void this.close('keep-alive'), delay).unref();
    this.#expiry = { timer, at: new Date(Date.now() + delay) };
  }

  async end(reason: UnloadReason): Promise<void> {
    this.ending = reason;
    if (this.users === 0 && this.state === 'loaded') await this.close(reason);
  }

  /** Unloads it once it is loaded. Never rejects. */
  close(reason: UnloadReason): Promise<void> {
    this.state = 'closing';
    this.#stopExpiry();
    this.#pool.closing(this);
    this.#closed ??= this.#close(reason);
    return this.#closed;
  }

  async #close(reason: UnloadReason): Promise<void> {
    const { logger, residentBytes } = this.#pool;
    const { name } = this.model;
    try {
      await (await this.opening).close();
    } catch (thrown) {
      logger.error({ model: name, reason: messageOf(thrown) }, 'closing the model failed');
    }
    logger.info({ model: name, reason, resident: `${inMebibytes(residentBytes())} MiB` }, 'model unloaded');
    this.#pool.closed(this, reason);
  }

  #stopExpiry(): void {
    clearTimeout(this.#expiry?.timer);
    this.#expiry = undefined;
  }

  /** The memory of a GPU is known when the model is opened there. */
  async #openWithin(): Promise<OpenedModel> {
    for (;;) {
      try {
        return await this.model.open();
      } catch (thrown) {
        if (toSvcError(thrown).code !== 'OUT_OF_MEMORY' || !(await this.#pool.makeSpace())) throw thrown;
      }
    }
  }

  async #open(): Promise<OpenedModel> {
    const { logger, residentBytes } = this.#pool;
    const { name, path } = this.model;
    const began = performance.now();
    const before = residentBytes();
    const seconds = (): number => Number(((performance.now() - began) / 1000).toFixed(2));
    logger.info({ model: name, estimate: `${inMebibytes(this.bytes)} MiB` }, 'loading model');
    const progress = setInterval(
      () => logger.info({ model: name, seconds: seconds(), waiting: this.users }, 'still loading model'),
      progressInterval,
    );
    try {
      const { version } = await examineFiles(path);
      const opened = await this.#openWithin();
      const memory = `${inMebibytes(residentBytes() - before)} MiB`;
      const now = performance.now();
      Object.assign(this, { state: 'loaded', opened, version, since: now, usedAt: now });
      logger.info({ model: name, seconds: seconds(), memory }, 'model loaded');
      this.#pool.loaded(this, seconds());
      return opened;
    } catch (thrown) {
      logger.error({ model: name, reason: messageOf(thrown) }, 'model not loaded');
      this.#pool.failed(this, seconds());
      throw cannotLoad(name, thrown);
    } finally {
      clearInterval(progress);
    }
  }
}

/** The request that finds it out must be able to say why, and a later one may succeed. */
function cannotLoad(name: string, thrown: unknown): SvcError {
  const cause = toSvcError(thrown);
  const code = cause.code === 'OUT_OF_MEMORY' ? cause.code : 'BACKEND_UNAVAILABLE';
  return new SvcError(code, `cannot load model "${name}": ${cause.message}`, { cause });
}
