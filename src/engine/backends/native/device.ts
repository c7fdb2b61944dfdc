/** Chooses the compute device and explains why a requested one is unavailable. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { hasMusl } from '../../../package/c-library.ts';
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
  const { reason, remedy } = explain(name, native);
  throw new SvcError('BACKEND_UNAVAILABLE', `cannot use backend ${name}: ${reason}`, { remedy });
}

interface Explanation {
  readonly reason: string;
  readonly remedy?: string;
}

const anotherBackend = 'use --backend cpu or auto';

function explain(name: BackendName, { addon, runtime, directories }: LoadedAddon): Explanation {
  if (name === 'metal') {
    return { reason: `it is not available on ${process.platform}-${process.arch}`, remedy: anotherBackend };
  }
  if (name === 'coreml' || name === 'webgpu') {
    return { reason: 'it needs an ONNX model, not a .gguf file', remedy: anotherBackend };
  }
  if (name !== 'cuda' && name !== 'vulkan') return { reason: 'no such device' };
  const { whyOwnGgml } = runtime;
  if (whyOwnGgml !== undefined && (directories.length > 0 || hasMusl())) {
    return { reason: `ggml's libraries did not load (${whyOwnGgml})`, remedy: anotherBackend };
  }
  const registered = runtime.backends.some((backend) => ggmlNames[name].includes(backend));
  if (registered) return { reason: 'its driver reports no device', remedy: `check the driver, or ${anotherBackend}` };
  const library = findLibrary(directories, name);
  if (!library) {
    return {
      reason: 'its libraries are not installed',
      remedy: `install them with: ${installCommand(packageFor(name))}`,
    };
  }
  const reason = addon.explainLibrary(library);
  const needed =
    name === 'cuda'
      ? 'the NVIDIA driver and the CUDA 13 runtime (libcudart.so.13, libcublas.so.13)'
      : 'a Vulkan loader (libvulkan1) and driver';
  return {
    reason: `${library} did not load${reason ? ` (${reason})` : ''}`,
    remedy: `install ${needed}, or ${anotherBackend}`,
  };
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
