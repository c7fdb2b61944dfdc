/** Which device computes, and why a wanted one can't. */
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { installCommand } from '../../../install-command.ts';
import type { BackendName } from '../../request.ts';
import type { NativeDevice } from './addon.ts';
import { type LoadedAddon, packageFor } from './load-addon.ts';

/** What ggml calls the backend, as the name of its registry and the beginning of its devices' names. */
const ggmlNames: Readonly<Record<Exclude<BackendName, 'auto'>, readonly string[]>> = {
  cpu: ['CPU'],
  cuda: ['CUDA'],
  vulkan: ['Vulkan'],
  metal: ['Metal', 'MTL'],
  // Devices of the other runtime.
  coreml: [],
  webgpu: [],
};

/**
 * The device for a backend's name. `auto` takes a discrete GPU before an integrated one before the CPU.
 *
 * @throws SvcError BACKEND_UNAVAILABLE with the reason and the remedy for this machine
 */
export function chooseDevice(name: BackendName, native: LoadedAddon): NativeDevice {
  const { devices } = native.runtime;
  const found =
    name === 'auto'
      ? (['gpu', 'igpu', 'cpu'] as const).map((type) => devices.find((device) => device.type === type)).find(Boolean)
      : devices.find((device) => ggmlNames[name].some((prefix) => device.name.startsWith(prefix)));
  if (found) return found;
  throw new SvcError(
    'BACKEND_UNAVAILABLE',
    `expected a ${name} device for the backend, received ${explain(name, native)}`,
  );
}

function explain(name: BackendName, { addon, runtime, directories }: LoadedAddon): string {
  if (name === 'metal') return `a machine without one (${process.platform}-${process.arch}); use --backend cpu or auto`;
  if (name === 'coreml' || name === 'webgpu') {
    return 'a .gguf model, which has none of them (ONNX models have); use --backend cpu or auto';
  }
  if (name !== 'cuda' && name !== 'vulkan') return 'none';
  const registered = runtime.backends.some((backend) => ggmlNames[name].includes(backend));
  if (registered)
    return `no device from the ${name} driver of this machine; check the driver, or use --backend cpu or auto`;
  const library = findLibrary(directories, name);
  if (!library) return `no ${name} libraries; install them with: ${installCommand(packageFor(name))}`;
  const reason = addon.explainLibrary(library);
  const needed =
    name === 'cuda'
      ? 'the NVIDIA driver and the CUDA 13 runtime (libcudart.so.13, libcublas.so.13)'
      : 'a Vulkan loader (libvulkan1) and driver';
  return `${library}, which needs ${needed}${reason ? ` and could not be loaded (${reason})` : ''}; or use --backend cpu or auto`;
}

function findLibrary(directories: readonly string[], name: string): string | undefined {
  for (const directory of directories) {
    const file = existsSync(directory)
      ? readdirSync(directory).find((entry) => entry.includes(`ggml-${name}`))
      : undefined;
    if (file) return join(directory, file);
  }
  return undefined;
}

/** A thread a physical core: with two threads a core, as most larger machines have, the second one only waits for the first. */
export function defaultThreads(): number {
  const logical = availableParallelism();
  return logical > 4 ? Math.floor(logical / 2) : logical;
}
