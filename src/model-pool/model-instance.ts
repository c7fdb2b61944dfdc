import type { Logger } from 'pino';
import type { SpeechSource } from '../engine/speech-source.ts';
import { messageOf, SvcError, toSvcError } from '../errors.ts';
import { examineFiles } from './model-files.ts';

export type OpenedModel = SpeechSource & { close(): Promise<void> };

export type UnloadReason = 'keep-alive' | 'memory' | 'request' | 'replaced' | 'shutdown';

/** How often a long load is logged, in milliseconds. */
const progressInterval = 5_000;
/** The longest delay of a timer. */
const longestDelay = 2 ** 31 - 1;

export const inMebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

export interface LoadedModel {
  readonly name: string;
  /** Absolute path of its files. */
  readonly path: string;
  open(): Promise<OpenedModel>;
}

export interface InstanceHost<Model extends LoadedModel> {
  readonly logger: Logger;
  /** Resident memory of the process in bytes. */
  readonly residentBytes: () => number;
  /** The model is loaded, and may have no requests any more. */
  loaded(instance: ModelInstance<Model>, seconds: number): void;
  failed(instance: ModelInstance<Model>, seconds: number): void;
  /** Unloads an idle model for one that its device has no memory for; false if there is none. */
  makeSpace(): Promise<boolean>;
  closing(instance: ModelInstance<Model>): void;
  closed(instance: ModelInstance<Model>, reason: UnloadReason): void;
  /** Its last request has ended: others may take it, else it settles. */
  idle(instance: ModelInstance<Model>): void;
}

/** One loading of a model: loading, loaded, closing. */
export class ModelInstance<Model extends LoadedModel> {
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
  readonly #host: InstanceHost<Model>;
  /** Milliseconds that it stays loaded after its last request. */
  #keepAlive: number;
  #expiry: { readonly timer: NodeJS.Timeout; readonly at: Date } | undefined;
  #closed: Promise<void> | undefined;

  constructor(model: Model, bytes: number, keepAlive: number, host: InstanceHost<Model>) {
    this.model = model;
    this.bytes = bytes;
    this.#keepAlive = keepAlive;
    this.#host = host;
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
    if (this.users === 0) this.#host.idle(this);
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
    this.#host.closing(this);
    this.#closed ??= this.#close(reason);
    return this.#closed;
  }

  async #close(reason: UnloadReason): Promise<void> {
    const { logger, residentBytes } = this.#host;
    const { name } = this.model;
    try {
      await (await this.opening).close();
    } catch (thrown) {
      logger.error({ model: name, reason: messageOf(thrown) }, 'closing the model failed');
    }
    logger.info({ model: name, reason, resident: `${inMebibytes(residentBytes())} MiB` }, 'model unloaded');
    this.#host.closed(this, reason);
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
        if (toSvcError(thrown).code !== 'OUT_OF_MEMORY' || !(await this.#host.makeSpace())) throw thrown;
      }
    }
  }

  async #open(): Promise<OpenedModel> {
    const { logger, residentBytes } = this.#host;
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
      this.#host.loaded(this, seconds());
      return opened;
    } catch (thrown) {
      logger.error({ model: name, reason: messageOf(thrown) }, 'model not loaded');
      this.#host.failed(this, seconds());
      throw cannotLoad(name, thrown);
    } finally {
      clearInterval(progress);
    }
  }
}

/** The request that finds it out must be able to say why, and a later one may succeed. */
export function cannotLoad(name: string, thrown: unknown): SvcError {
  const cause = toSvcError(thrown);
  const code = cause.code === 'OUT_OF_MEMORY' ? cause.code : 'BACKEND_UNAVAILABLE';
  return new SvcError(code, `cannot load model "${name}": ${cause.message}`, { cause });
}
