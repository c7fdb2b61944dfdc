/** A model on a device that may be lost: requests of that moment fail, and the next one opens the model again. */
import { performance } from 'node:perf_hooks';
import { ignore, SvcError, toSvcError } from '../../../../errors.ts';
import type { DeviceUse } from '../../../backend.ts';
import type { AdapterPort, Handle, ModelPort, PortSettings } from '../../model-port.ts';
import type { NativeCard, NativeDevice, NativeModel } from '../addon.ts';
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

export interface LastingModel extends NativeModel {
  /** The device in use, which may be another after a loss. */
  readonly device: NativeDevice;
}

/** Handles of a connection are below it; those of the next ones are above. */
const span = 2 ** 32;

/** Milliseconds before the third try to open the model, doubled for each further one. */
const firstDelay = 1_000;
const longestDelay = 60_000;

interface Numbered extends Connection {
  readonly number: number;
}

function useOf({ device, state }: Connection): DeviceUse {
  const { work, device: memory } = state();
  const { bytesPerSecond, operationsPerSecond } = device as Partial<NativeCard>;
  return {
    device: device.name,
    description: device.description,
    ...memory,
    bytesPerSecond: bytesPerSecond || undefined,
    operationsPerSecond: operationsPerSecond || undefined,
    stepSeconds: work && (work.flow + work.languageModels + work.localEncoder) / 1000,
  };
}

/**
 * @param description the model opened without its weights, which is closed with this one
 * @param connect opens the model; `lost` is the device that failed, and why
 */
export function createLastingModel(
  description: NativeModel,
  connect: (lost?: { readonly device: NativeDevice; readonly cause: SvcError }) => Promise<Connection>,
): LastingModel {
  let current: Numbered | undefined;
  let opening: Promise<Numbered> | undefined;
  let numbers = 0;
  let failures = 0;
  let notBefore = 0;
  let isClosed = false;

  async function open(): Promise<Numbered> {
    const before = current;
    const cause = before?.loss();
    if (before !== undefined && cause !== undefined) {
      failures += 1;
      await before.model.close().catch(ignore);
      // The first time at once: most faults happen once.
      if (failures > 1) notBefore = performance.now() + Math.min(longestDelay, firstDelay * 2 ** (failures - 2));
      current = undefined;
    }
    const wait = notBefore - performance.now();
    if (wait > 0) {
      const remedy = `retry in ${Math.ceil(wait / 1000)} s`;
      throw new SvcError('DEVICE_LOST', 'the device failed several times and is left alone for a while', { remedy });
    }
    try {
      const device = before?.device;
      const made = await connect(device && cause && { device, cause });
      numbers += 1;
      current = { ...made, number: numbers };
    } catch (thrown) {
      if (numbers === 0) throw thrown;
      failures += 1;
      notBefore = performance.now() + Math.min(longestDelay, firstDelay * 2 ** (failures - 1));
      throw thrown;
    }
    if (!isClosed) return current;
    await current.model.close();
    throw new SvcError('BACKEND_UNAVAILABLE', 'the model is closed');
  }

  async function connection(): Promise<Numbered> {
    if (isClosed) throw new SvcError('BACKEND_UNAVAILABLE', 'the model is closed');
    if (current !== undefined && current.loss() === undefined) return current;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  const numberOf = (handle: Handle): number => Math.floor(handle / span);
  const inner = (handle: Handle): Handle => handle % span;
  const outer = ({ number }: Numbered, handle: Handle): Handle => number * span + handle;

  /** The connection of a handle. @throws SvcError DEVICE_LOST if its device was lost */
  function connectionOf(handle: Handle): Numbered {
    if (current !== undefined && numberOf(handle) === current.number) return current;
    throw new SvcError('DEVICE_LOST', 'the device of this utterance stopped working', { remedy: 'retry' });
  }
  const isGone = (handle: Handle): boolean => current?.number !== numberOf(handle) || current.loss() !== undefined;

  /** Memory of a lost device is free. */
  async function closeUnlessGone(handle: Handle, close: (model: Connection['model']) => Promise<void>): Promise<void> {
    if (isGone(handle) || current === undefined) return;
    const { model, loss } = current;
    await close(model).catch((thrown: unknown) => {
      if (loss() === undefined) throw toSvcError(thrown);
    });
  }

  const settingsFor = (used: Numbered, { adapter, ...settings }: PortSettings): PortSettings => {
    if (adapter === undefined) return settings;
    if (connectionOf(adapter) !== used) throw new SvcError('DEVICE_LOST', 'the adapter was lost with its device');
    return { ...settings, adapter: inner(adapter) };
  };

  return {
    get info() {
      if (current === undefined) return description.info;
      const { device, decodesBeside = false } = current;
      return { ...description.info, engine: device.engine, device: device.name, decodesBeside };
    },
    get device() {
      if (current === undefined) throw new SvcError('BACKEND_UNAVAILABLE', 'the model is not loaded');
      return current.device;
    },
    async load() {
      await connection();
    },
    metadata: (key) => description.metadata(key),
    stageTimes: () => current?.state().work as ReturnType<NativeModel['stageTimes']>,
    memoryUse: () => current?.state().memory ?? { bytes: 0, remembered: 0, computed: 0 },
    deviceUse: () => current && useOf(current),
    get mostStreams() {
      return current?.state().device.mostStreams;
    },
    probe: async (...stage) => (await connection()).model.probe(...stage),
    groupOf: numberOf,
    isGone,
    async openEncoding(samples) {
      const used = await connection();
      return outer(used, await used.model.openEncoding(samples));
    },
    encode: async (encoding) => connectionOf(encoding).model.encode(inner(encoding)),
    closeEncoding: (encoding) => closeUnlessGone(encoding, (model) => model.closeEncoding(inner(encoding))),
    async openAdapter(...weights) {
      const used = await connection();
      return outer(used, await used.model.openAdapter(...weights));
    },
    closeAdapter: (adapter) => closeUnlessGone(adapter, (model) => model.closeAdapter(inner(adapter))),
    async open(settings) {
      const used = await connection();
      return outer(used, await used.model.open(settingsFor(used, settings)));
    },
    prefill: async (session) => connectionOf(session).model.prefill(inner(session)),
    async step(sessions, noise, trace) {
      const used = connectionOf(sessions[0] ?? 0);
      const steps = await used.model.step(sessions.map(inner), noise, trace);
      failures = 0;
      return steps;
    },
    decode: async (sessions, patches) => connectionOf(sessions[0] ?? 0).model.decode(sessions.map(inner), patches),
    closeSession: (session) => closeUnlessGone(session, (model) => model.closeSession(inner(session))),
    async close() {
      isClosed = true;
      await opening?.catch(ignore);
      await current?.model.close();
      await description.close();
    },
  };
}
