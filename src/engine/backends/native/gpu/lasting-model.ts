/** A model on a device that may be lost: requests of that moment fail, and the next one opens the model again. */
import { SvcError, toSvcError } from '../../../../errors.ts';
import type { DeviceUse } from '../../../backend.ts';
import type { Handle, PortSettings } from '../../model-port.ts';
import type { NativeCard, NativeDevice, NativeModel } from '../addon.ts';
import { type Connect, type Connection, Connections, type NumberedConnection } from './connections.ts';

export interface LastingModel extends NativeModel {
  /** The device in use, which may be another after a loss. */
  readonly device: NativeDevice;
}

/** Handles of a connection are below it; those of the next ones are above. */
const span = 2 ** 32;

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

/** @param description the model opened without its weights, which is closed with this one */
export function createLastingModel(description: NativeModel, connect: Connect): LastingModel {
  const connections = new Connections(connect);
  const current = (): NumberedConnection | undefined => connections.current;
  const numberOf = (handle: Handle): number => Math.floor(handle / span);
  const inner = (handle: Handle): Handle => handle % span;
  const outer = ({ number }: NumberedConnection, handle: Handle): Handle => number * span + handle;

  /** The connection of a handle. @throws SvcError DEVICE_LOST if its device was lost */
  function connectionOf(handle: Handle): NumberedConnection {
    const used = current();
    if (used !== undefined && numberOf(handle) === used.number) return used;
    throw new SvcError('DEVICE_LOST', 'the device of this utterance stopped working', { remedy: 'retry' });
  }
  const isGone = (handle: Handle): boolean => {
    const used = current();
    return used?.number !== numberOf(handle) || used.loss() !== undefined;
  };

  /** Memory of a lost device is free. */
  async function closeUnlessGone(handle: Handle, close: (model: Connection['model']) => Promise<void>): Promise<void> {
    const used = current();
    if (isGone(handle) || used === undefined) return;
    const { model, loss } = used;
    await close(model).catch((thrown: unknown) => {
      if (loss() === undefined) throw toSvcError(thrown);
    });
  }

  const settingsFor = (used: NumberedConnection, { adapter, ...settings }: PortSettings): PortSettings => {
    if (adapter === undefined) return settings;
    if (connectionOf(adapter) !== used) throw new SvcError('DEVICE_LOST', 'the adapter was lost with its device');
    return { ...settings, adapter: inner(adapter) };
  };

  return {
    get info() {
      const used = current();
      if (used === undefined) return description.info;
      const { device, decodesBeside = false } = used;
      return { ...description.info, engine: device.engine, device: device.name, decodesBeside };
    },
    get device() {
      const used = current();
      if (used === undefined) throw new SvcError('BACKEND_UNAVAILABLE', 'the model is not loaded');
      return used.device;
    },
    async load() {
      await connections.get();
    },
    metadata: (key) => description.metadata(key),
    stageTimes: () => current()?.state().work as ReturnType<NativeModel['stageTimes']>,
    memoryUse: () => current()?.state().memory ?? { bytes: 0, remembered: 0, computed: 0 },
    deviceUse() {
      const used = current();
      return used && useOf(used);
    },
    get mostStreams() {
      return current()?.state().device.mostStreams;
    },
    probe: async (...stage) => (await connections.get()).model.probe(...stage),
    groupOf: numberOf,
    isGone,
    async openEncoding(samples) {
      const used = await connections.get();
      return outer(used, await used.model.openEncoding(samples));
    },
    encode: async (encoding) => connectionOf(encoding).model.encode(inner(encoding)),
    closeEncoding: (encoding) => closeUnlessGone(encoding, (model) => model.closeEncoding(inner(encoding))),
    async openAdapter(...weights) {
      const used = await connections.get();
      return outer(used, await used.model.openAdapter(...weights));
    },
    closeAdapter: (adapter) => closeUnlessGone(adapter, (model) => model.closeAdapter(inner(adapter))),
    async open(settings) {
      const used = await connections.get();
      return outer(used, await used.model.open(settingsFor(used, settings)));
    },
    prefill: async (session) => connectionOf(session).model.prefill(inner(session)),
    async step(sessions, noise, trace) {
      const used = connectionOf(sessions[0] ?? 0);
      const steps = await used.model.step(sessions.map(inner), noise, trace);
      connections.works();
      return steps;
    },
    decode: async (sessions, patches) => connectionOf(sessions[0] ?? 0).model.decode(sessions.map(inner), patches),
    closeSession: (session) => closeUnlessGone(session, (model) => model.closeSession(inner(session))),
    async close() {
      await connections.close();
      await description.close();
    },
  };
}
