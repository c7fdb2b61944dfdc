/** Connections to a model on a device that may be lost: the next use after a loss opens another, with a back-off. */
import { performance } from 'node:perf_hooks';
import { ignore, SvcError } from '../../../../errors.ts';
import type { AdapterPort, ModelPort } from '../../model-port.ts';
import type { NativeDevice, NativeModel } from '../addon.ts';
import type { ModelState } from './model-messages.ts';

/** An opened model. */
export interface Connection {
  readonly device: NativeDevice;
  /** See `NativeModelInfo`; default: false. */
  readonly decodesBeside?: boolean;
  readonly model: Pick<NativeModel, keyof ModelPort | keyof AdapterPort | 'probe'>;
  /** What is known of it, as of its last answer. */
  state(): ModelState;
  /** Why it answers no more; undefined while it does. */
  loss(): SvcError | undefined;
}

export interface NumberedConnection extends Connection {
  /** From 1, in the order in which they were opened. */
  readonly number: number;
}

/** Opens the model; `lost` is the device that failed, and why. */
export type Connect = (lost?: { readonly device: NativeDevice; readonly cause: SvcError }) => Promise<Connection>;

/** Milliseconds before the third try to open the model, doubled for each further one. */
const firstDelay = 1_000;
const longestDelay = 60_000;

export class Connections {
  readonly #connect: Connect;
  #current: NumberedConnection | undefined;
  #opening: Promise<NumberedConnection> | undefined;
  #numbers = 0;
  #failures = 0;
  #notBefore = 0;
  #isClosed = false;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** The connection in use, which may be lost. */
  get current(): NumberedConnection | undefined {
    return this.#current;
  }

  /**
   * @returns the connection in use, or another if it was lost
   * @throws SvcError DEVICE_LOST while the device is left alone; BACKEND_UNAVAILABLE when closed; of `connect`
   */
  async get(): Promise<NumberedConnection> {
    if (this.#isClosed) throw new SvcError('BACKEND_UNAVAILABLE', 'the model is closed');
    if (this.#current !== undefined && this.#current.loss() === undefined) return this.#current;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Tells that the device works: the next loss is the first one. */
  works(): void {
    this.#failures = 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(ignore);
    await this.#current?.model.close();
  }

  async #open(): Promise<NumberedConnection> {
    const before = this.#current;
    const cause = before?.loss();
    if (before !== undefined && cause !== undefined) {
      this.#failures += 1;
      await before.model.close().catch(ignore);
      // The first time at once: most faults happen once.
      if (this.#failures > 1) this.#wait(this.#failures - 2);
      this.#current = undefined;
    }
    const wait = this.#notBefore - performance.now();
    if (wait > 0) {
      const remedy = `retry in ${Math.ceil(wait / 1000)} s`;
      throw new SvcError('DEVICE_LOST', 'the device failed several times and is left alone for a while', { remedy });
    }
    let current: NumberedConnection;
    try {
      const device = before?.device;
      const made = await this.#connect(device && cause && { device, cause });
      this.#numbers += 1;
      current = { ...made, number: this.#numbers };
      this.#current = current;
    } catch (thrown) {
      if (this.#numbers === 0) throw thrown;
      this.#failures += 1;
      this.#wait(this.#failures - 1);
      throw thrown;
    }
    if (!this.#isClosed) return current;
    await current.model.close();
    throw new SvcError('BACKEND_UNAVAILABLE', 'the model is closed');
  }

  #wait(doublings: number): void {
    this.#notBefore = performance.now() + Math.min(longestDelay, firstDelay * 2 ** doublings);
  }
}
