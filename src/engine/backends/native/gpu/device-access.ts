/** How a child process uses the GPUs of a backend: through a library of ggml, or with our kernels. */
import type { Addon, DeviceMemory, NativeDevice } from '../addon.ts';
import { readModule } from './card-modules.ts';
import type { GpuLibrary } from './libraries.ts';

export interface DeviceAccess {
  readonly devices: readonly NativeDevice[];
  /** The engine's name. */
  readonly engine: 'cuda' | 'ggml';
  memory(name: string): DeviceMemory;
  /** Before a model is opened on the device. @throws SvcError BACKEND_UNAVAILABLE */
  prepare(name: string): void;
  /** Opens a device to try it; returns names of operations. */
  openCheck(name: string): readonly string[];
  runCheck(index: number): void;
}

/** @throws SvcError BACKEND_UNAVAILABLE if the library or the driver doesn't load */
export function accessDevices(addon: Addon, library: Pick<GpuLibrary, 'backend' | 'path'>): DeviceAccess {
  // A stack trace would hide the message of an abort.
  addon.setEnvironment('GGML_NO_BACKTRACE', '1');
  return library.backend === 'cuda' ? accessCards(addon as Required<Addon>, library.path) : accessGgml(addon, library);
}

function accessCards(addon: Required<Addon>, folder: string): DeviceAccess {
  const devices = addon.loadCards();
  const prepare = (name: string): void => {
    const module = devices.find((card) => card.name === name)?.module ?? 0;
    // Without one, opening the card says why.
    if (module > 0) addon.setCardModule(module, readModule(folder, module));
  };
  return {
    devices,
    engine: 'cuda',
    memory: (name) => addon.cardMemory(name),
    prepare,
    openCheck(name) {
      prepare(name);
      return addon.openCardCheck(name);
    },
    runCheck: (index) => addon.runCardCheck(index),
  };
}

const accessGgml = (addon: Addon, { path }: Pick<GpuLibrary, 'path'>): DeviceAccess => ({
  devices: addon.loadDevices(path),
  engine: 'ggml',
  memory: (name) => addon.deviceMemory(name),
  prepare: () => undefined,
  openCheck: (name) => addon.openCheck(name),
  runCheck: (index) => addon.runCheck(index),
});
