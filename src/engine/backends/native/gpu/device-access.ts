/** How a child process uses the GPUs of a backend: through a library of ggml, or with our kernels. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { userFolder } from '../../../../files/user-folders.ts';
import type { Addon, DeviceMemory, NativeCard, NativeDevice } from '../addon.ts';
import { readModule } from './card-modules.ts';
import type { GpuLibrary } from './libraries.ts';

export interface DeviceAccess {
  readonly devices: readonly NativeDevice[];
  /** The engine's name. */
  readonly engine: 'cuda' | 'ggml';
  memory(name: string): DeviceMemory;
  /** Before a model is opened on the device. @throws SvcError BACKEND_UNAVAILABLE */
  prepare(device: NativeDevice): void;
  /** Opens a device to try it; returns names of operations. */
  openCheck(device: NativeDevice): readonly string[];
  runCheck(index: number): void;
}

/** @throws SvcError BACKEND_UNAVAILABLE if the library or the driver doesn't load */
export function accessDevices(addon: Addon, library: Pick<GpuLibrary, 'backend' | 'path'>): DeviceAccess {
  // A stack trace would hide the message of an abort.
  addon.setEnvironment('GGML_NO_BACKTRACE', '1');
  return library.backend === 'cuda' ? accessCards(addon as Required<Addon>, library.path) : accessGgml(addon, library);
}

/** Modules that only make a card faster may be missing, such as in a folder of an older version. */
function withReadableModules(card: NativeCard, folder: string): NativeCard {
  try {
    for (const module of card.modules.slice(1)) readModule(folder, module);
    return card;
  } catch (thrown) {
    return withNeededModule(card, (thrown as Error).message);
  }
}

/** The folder in which the driver keeps kernels that it has compiled. */
function compiledKernels(): string {
  const path = join(userFolder('cache'), 'cuda');
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // The driver goes on without.
  }
  return path;
}

/** @param why a card is used without the modules that would make it faster */
export const withNeededModule = (card: NativeCard, why: string): NativeCard => ({
  ...card,
  modules: card.modules.slice(0, 1),
  without: `${card.modules.slice(1).join(', ')}: ${why}`,
});

function accessCards(addon: Required<Addon>, folder: string): DeviceAccess {
  const prepare = (device: NativeDevice): void => {
    const { name, modules } = device as NativeCard;
    const read = (module: string): Uint8Array => readModule(folder, module);
    addon.setCardModules(name, modules.map(read));
  };
  const { env } = process;
  // Else the driver compiles all kernels at each start of a service without a home folder.
  if (env.CUDA_CACHE_PATH === undefined) addon.setEnvironment('CUDA_CACHE_PATH', compiledKernels());
  return {
    devices: addon.loadCards().map((card) => withReadableModules(card, folder)),
    engine: 'cuda',
    memory: (name) => addon.cardMemory(name),
    prepare,
    openCheck(device) {
      prepare(device);
      return addon.openCardCheck(device.name);
    },
    runCheck: (index) => addon.runCardCheck(index),
  };
}

const accessGgml = (addon: Addon, { path }: Pick<GpuLibrary, 'path'>): DeviceAccess => ({
  devices: addon.loadDevices(path),
  engine: 'ggml',
  memory: (name) => addon.deviceMemory(name),
  prepare: () => undefined,
  openCheck: ({ name }) => addon.openCheck(name),
  runCheck: (index) => addon.runCheck(index),
});
