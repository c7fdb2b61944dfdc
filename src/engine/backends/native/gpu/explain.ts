/** Says why a GPU can't be used, and the way out. */
import { outOfMemory } from '../../../../child-program.ts';
import type { GpuBackend } from './backends.ts';
import type { CheckedDevice, LibraryReport, Problem } from './check-library.ts';
import { nvidiaDriver } from './driver.ts';
import type { GpuLibrary } from './libraries.ts';

export interface Explanation {
  readonly reason: string;
  readonly remedy?: string;
}

export const anotherBackend = 'use --backend cpu or auto';

/** What the packages weigh and need; measured with the version that svc uses. */
export const packageNeeds: Readonly<
  Record<'ggml-cuda' | 'vulkan', { readonly download: string; readonly needs: string }>
> = {
  'ggml-cuda': {
    download: '140 MB',
    needs: 'the CUDA 13 runtime (libcudart.so.13, libcublas.so.13) and an NVIDIA driver of version 590 or newer',
  },
  vulkan: { download: '27 MB', needs: 'a Vulkan loader (libvulkan1) and the driver of the GPU' },
};

/** Causes that a newer driver removes. */
const oldDriver = /PTX|unsupported toolchain|no kernel image|driver version is insufficient|forward compatib/i;

/** Drivers since CUDA 11.8 load our kernels. */
export const driverRemedy = `install an NVIDIA driver of version 520 or newer, or ${anotherBackend}`;

function ownRemedy({ kind, cause, remedy }: Problem): string {
  if (remedy !== undefined) return `${remedy}, or ${anotherBackend}`;
  if (kind === 'unsupported') return 'use --backend vulkan, which runs on older cards, or --backend cpu or auto';
  if (kind === 'load' || /cannot compile the kernels/.test(cause)) return driverRemedy;
  if (outOfMemory.test(cause)) return `free memory of the GPU, then run svc doctor, or ${anotherBackend}`;
  return 'update the driver and run svc doctor, or use --backend ggml-cuda, vulkan, cpu or auto';
}

const remedyOf = (backend: GpuBackend, problem: Problem): string => {
  const { kind, cause } = problem;
  if (backend === 'cuda') return ownRemedy(problem);
  if (kind === 'load' && backend !== 'metal') return `install ${packageNeeds[backend].needs}, or ${anotherBackend}`;
  if (backend === 'ggml-cuda' && oldDriver.test(cause)) {
    return 'update the NVIDIA driver to version 590 or newer, or use --backend vulkan or cpu';
  }
  if (outOfMemory.test(cause)) return `free memory of the GPU, then run svc doctor, or ${anotherBackend}`;
  return `update the driver and run svc doctor, or ${anotherBackend}`;
};

const nameOf = ({ device }: CheckedDevice): string => `${device.name} (${device.description})`;

/** The names of the interfaces to GPUs, as their makers write them. */
export const interfaceNames: Readonly<Record<GpuBackend, string>> = {
  cuda: 'CUDA',
  'ggml-cuda': 'CUDA',
  vulkan: 'Vulkan',
  metal: 'Metal',
};

/** The engine, and where its part for the GPU comes from. */
const describeEngine = ({ backend, package: own, path }: GpuLibrary): string =>
  backend === 'cuda'
    ? 'CUDA kernels of svc'
    : `ggml for ${interfaceNames[backend]} from ${own === undefined ? path : `${own.name} ${own.version}`}`;

/** The engine and the driver that a backend runs with. */
function describeParts(library: GpuLibrary): string {
  const driver = library.backend.endsWith('cuda') ? nvidiaDriver() : undefined;
  return driver === undefined ? describeEngine(library) : `${describeEngine(library)} with NVIDIA driver ${driver}`;
}

/** Undefined if a device works. */
export function explainReport(library: GpuLibrary, report: LibraryReport): Explanation | undefined {
  const { devices, problem } = report;
  if (devices.some((one) => one.problem === undefined)) return undefined;
  if (problem?.kind === 'load' && library.backend === 'cuda') {
    return { reason: problem.cause, remedy: remedyOf('cuda', problem) };
  }
  if (problem?.kind === 'load') {
    return {
      reason: `${describeEngine({ ...library, package: undefined })} did not load (${problem.cause})`,
      remedy: remedyOf(library.backend, problem),
    };
  }
  if (problem !== undefined) {
    const reason = `${describeParts(library)} failed to load: ${problem.cause}`;
    return { reason, remedy: remedyOf(library.backend, problem) };
  }
  const [first] = devices;
  if (first?.problem === undefined) {
    return { reason: 'its driver reports no device', remedy: `check the driver, or ${anotherBackend}` };
  }
  const reason = `${explainDevice(first)} (${describeParts(library)})`;
  return { reason, remedy: remedyOf(library.backend, first.problem) };
}

function explainDevice(checked: CheckedDevice): string {
  const { kind, cause = 'unknown' } = checked.problem ?? {};
  if (kind === 'unsupported') return `the kernels cannot run on ${nameOf(checked)}: ${cause}`;
  return `${nameOf(checked)} failed a test: ${cause}`;
}

/** The devices of a library that don't work, each in a phrase, where others do. */
export const explainFailures = ({ devices }: LibraryReport): readonly string[] =>
  devices.filter(({ problem }) => problem !== undefined).map(explainDevice);
