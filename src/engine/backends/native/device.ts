/** Chooses the compute device and explains why a requested one is unavailable. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { installCommand } from '../../../package/install-command.ts';
import type { BackendName } from '../../engine-options.ts';
import type { NativeDevice } from './addon.ts';
import { type LoadedAddon, packageFor } from './load-addon.ts';

/** ggml's names of a backend: the name of its registry and the prefix of its device names. */
const ggmlNames: Readonly<Record<Exclude<BackendName, 'auto'>, readonly string[]>> = {
  cpu: ['CPU'],
  cuda: ['CUDA'],
  vulkan: ['Vulkan'],
  metal: ['Metal', 'MTL'],
  // Devices of ONNX models only.
  coreml: [],
  webgpu: [],
};

/**
 * Finds the device of a backend. `auto` prefers a discrete GPU, then an integrated one, then the CPU.
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
  throw new SvcError('BACKEND_UNAVAILABLE', `cannot use backend ${name}: ${explain(name, native)}`);
}

function explain(name: BackendName, { addon, runtime, directories }: LoadedAddon): string {
  if (name === 'metal') return `it is not available on ${process.platform}-${process.arch}; use --backend cpu or auto`;
  if (name === 'coreml' || name === 'webgpu') {
    return 'it needs an ONNX model, not a .gguf file; use --backend cpu or auto';
  }
  if (name !== 'cuda' && name !== 'vulkan') return 'no such device';
  const registered = runtime.backends.some((backend) => ggmlNames[name].includes(backend));
  if (registered) return `its driver reports no device; check the driver, or use --backend cpu or auto`;
  const library = findLibrary(directories, name);
  if (!library) return `its libraries are not installed; install them with: ${installCommand(packageFor(name))}`;
  const reason = addon.explainLibrary(library);
  const needed =
    name === 'cuda'
      ? 'the NVIDIA driver and the CUDA 13 runtime (libcudart.so.13, libcublas.so.13)'
      : 'a Vulkan loader (libvulkan1) and driver';
  return `${library} did not load${reason ? ` (${reason})` : ''}; install ${needed}, or use --backend cpu or auto`;
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
