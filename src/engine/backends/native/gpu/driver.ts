/** Drivers and cards of this machine, found without loading a driver's library. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { GpuBackend } from './backends.ts';

/** The version of the NVIDIA driver, such as `580.159`; undefined if there is none, and on systems other than Linux. */
export function nvidiaDriver(): string | undefined {
  const module = readOr('/sys/module/nvidia/version');
  return module || /Module(?: for \S+)?\s+(\d+(?:\.\d+)+)/.exec(readOr('/proc/driver/nvidia/version'))?.[1];
}

/** Variables that choose devices or drivers. */
const variables = [
  'CUDA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'VK_ICD_FILENAMES',
  'VK_DRIVER_FILES',
  'LD_LIBRARY_PATH',
];

const libraryFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/usr/lib/wsl/lib',
];

/** Whether the driver of NVIDIA cards may be there: its library, or its device file. */
export function hasNvidiaDriver(): boolean {
  if (process.platform === 'win32') return driverFiles('cuda').some((path) => existsSync(path));
  if (process.platform !== 'linux') return false;
  const { LD_LIBRARY_PATH = '' } = environment();
  const others = LD_LIBRARY_PATH.split(':').filter(Boolean);
  const files = [...driverFiles('cuda'), ...others.map((folder) => join(folder, 'libcuda.so.1')), '/dev/nvidiactl'];
  return files.some((path) => existsSync(path));
}

/** Files of drivers, which change with each version. */
function driverFiles(backend: GpuBackend): readonly string[] {
  const { SystemRoot = 'C:\\Windows' } = environment();
  if (process.platform === 'win32') {
    return [join(SystemRoot, 'System32', backend === 'vulkan' ? 'vulkan-1.dll' : 'nvcuda.dll')];
  }
  if (process.platform !== 'linux') return [];
  const names = {
    cuda: ['libcuda.so.1'],
    'ggml-cuda': ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13'],
    vulkan: ['libvulkan.so.1'],
    metal: [],
  }[backend];
  const manifests =
    backend === 'vulkan'
      ? ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'].flatMap((folder) =>
          namesIn(folder).map((name) => join(folder, name)),
        )
      : [];
  return [...libraryFolders.flatMap((folder) => names.map((name) => join(folder, name))), ...manifests];
}

/** Changes with the driver of a backend, the system, the cards, and the variables that choose among them. */
export function describeDriver(backend: GpuBackend): Readonly<Record<string, unknown>> {
  const values = environment();
  return {
    system: release(),
    nvidia: nvidiaDriver() ?? '',
    cards: process.platform === 'linux' ? cards() : [],
    files: driverFiles(backend).flatMap(stampOf),
    variables: variables.flatMap((name) => (values[name] ? [`${name}=${values[name]}`] : [])),
  };
}

/** Display controllers on the PCI bus: place, vendor and model. */
function cards(): readonly string[] {
  const folder = '/sys/bus/pci/devices';
  return namesIn(folder).flatMap((name) => {
    const read = (file: string): string => readOr(join(folder, name, file));
    return read('class').startsWith('0x03') ? [`${name} ${read('vendor')} ${read('device')}`] : [];
  });
}

/** Of a file that exists: path, size and time. */
export function stampOf(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? [] : [`${path} ${found.size} ${found.mtimeMs}`];
}

const environment = (): NodeJS.ProcessEnv => {
  const { env } = process;
  return env;
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
};

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};
