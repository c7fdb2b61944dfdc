/** Chooses the compute device and explains why a requested one is unavailable. */
import { SvcError } from '../../../errors.ts';
import { hasMusl } from '../../../package/c-library.ts';
import { installCommand } from '../../../package/install-command.ts';
import { findGpus, type Gpus } from '../../../processors/gpus.ts';
import { requestError } from '../../../validation.ts';
import type { BackendName } from '../../engine-options.ts';
import type { NativeDevice } from './addon.ts';
import type { GpuBackend } from './gpu/backends.ts';
import type { LibraryReport } from './gpu/check-library.ts';
import {
  anotherBackend,
  driverRemedy,
  type Explanation,
  explainFailures,
  explainReport,
  interfaceNames,
  packageNeeds,
} from './gpu/explain.ts';
import { findGpuLibraries, type GpuLibrary } from './gpu/libraries.ts';
import { examineLibrary, type VerdictSettings } from './gpu/verdicts.ts';
import { type LoadedAddon, packageFor } from './load-addon.ts';

export interface DeviceSettings extends VerdictSettings {
  /** Receives one line when `auto` passes over a device. Default: a warning of the process. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** The number of the GPU, as in `CUDA1`. Default: the first that works. */
  readonly number?: number | undefined;
}

export interface ChosenDevice {
  readonly device: NativeDevice;
  /** The library of a GPU, which runs in a process of its own; undefined for devices of this process. */
  readonly library: GpuLibrary | undefined;
}

/** Prefixes of the names of devices. */
const namePrefixes: Readonly<Record<Exclude<BackendName, 'auto'>, readonly string[]>> = {
  cpu: ['CPU'],
  cuda: ['CUDA'],
  'ggml-cuda': [],
  vulkan: ['Vulkan'],
  metal: ['Metal', 'MTL'],
  // Devices of ONNX models only.
  coreml: [],
  webgpu: [],
};

/** Means of the choice, replaced by tests. */
export interface DeviceSources {
  readonly libraries: readonly GpuLibrary[];
  examine(library: GpuLibrary): Promise<LibraryReport>;
  readonly gpus: Gpus | undefined;
}

/**
 * Finds the device of a backend. `auto` prefers a discrete GPU, then an integrated one, then the CPU, and passes over those
 * that don't work with one warning. Without a GPU package, nothing is tried.
 *
 * @throws SvcError BACKEND_UNAVAILABLE with the reason and the remedy for this machine
 */
export async function chooseDevice(
  name: BackendName,
  native: LoadedAddon,
  settings: DeviceSettings = {},
  sources: DeviceSources = {
    libraries: findGpuLibraries(native),
    examine: (library) => examineLibrary(library, native, settings),
    gpus: findGpus(),
  },
): Promise<ChosenDevice> {
  const { devices } = native.runtime;
  const { number } = settings;
  if (name === 'cpu' && number !== undefined)
    throw requestError('--device is the number of a GPU; --backend cpu uses none');
  if (name === 'auto') {
    // One of this process is of an engine that reports the faults of its driver.
    const own = devices.find(({ type }) => type === 'gpu');
    if (own === undefined) return chooseAny(native, settings, sources);
    return requireNumber({ device: own, library: undefined }, number);
  }
  const own = devices.find((device) => namePrefixes[name].some((prefix) => device.name.startsWith(prefix)));
  if (own !== undefined) return requireNumber({ device: own, library: undefined }, number);
  if (name === 'cpu') return cpuOf(native);
  const library = sources.libraries.find(({ backend }) => backend === name);
  const report = library && (await sources.examine(library));
  const device = report && bestOf(report, number);
  if (library !== undefined && report !== undefined && device !== undefined) {
    if (number === undefined) warnOnce(explainFailures(report), device.name, settings);
    return { device, library };
  }
  if (report !== undefined && bestOf(report) !== undefined) throw noSuchDevice(number, [report]);
  const { reason, remedy } = explain(name, native, library, report);
  throw new SvcError('BACKEND_UNAVAILABLE', `cannot use backend ${name}: ${reason}`, { remedy });
}

function cpuOf({ runtime }: LoadedAddon): ChosenDevice {
  const device = runtime.devices.find(({ type }) => type === 'cpu');
  if (device === undefined) throw new SvcError('BACKEND_UNAVAILABLE', 'cannot use backend cpu: no such device');
  return { device, library: undefined };
}

async function chooseAny(
  native: LoadedAddon,
  settings: DeviceSettings,
  { libraries, examine, gpus }: DeviceSources,
): Promise<ChosenDevice> {
  const failures: string[] = [];
  const reports: LibraryReport[] = [];
  // Of cards that are too old for our kernels: only the CPU in their place is worth a warning.
  const tooOld: string[] = [];
  let integrated: ChosenDevice | undefined;
  let chosen: ChosenDevice | undefined;
  for (const library of libraries) {
    const report = await examine(library);
    reports.push(report);
    const device = bestOf(report, settings.number);
    if (bestOf(report) === undefined && mayWork(library.backend, report, gpus)) {
      const { reason, remedy } = explainReport(library, report) as Explanation;
      const isTooOld = report.devices.some(({ problem }) => problem?.kind === 'unsupported');
      (isTooOld ? tooOld : failures).push(
        `${reason}${remedy === undefined ? '' : `; ${remedy.replace(`, or ${anotherBackend}`, '')}`}`,
      );
    } else failures.push(...explainFailures(report));
    if (device?.type === 'gpu') {
      chosen = { device, library };
      break;
    }
    if (device !== undefined) integrated ??= { device, library };
  }
  const found = chosen ?? integrated ?? cpuOf(native);
  if (found.library === undefined && settings.number !== undefined) throw noSuchDevice(settings.number, reports);
  warnOnce(found.device.type === 'cpu' ? [...failures, ...tooOld] : failures, found.device.name, settings);
  return found;
}

/** Whether a library that finds no device is worth a warning: not where there is no card for it. */
const mayWork = (backend: GpuBackend, { devices, problem }: LibraryReport, gpus: Gpus | undefined): boolean =>
  devices.length > 0 || (problem !== undefined && problem.kind !== 'load') || hasCard(backend, gpus);

const hasCard = (backend: GpuBackend, gpus: Gpus | undefined): boolean =>
  gpus !== undefined && (backend.endsWith('cuda') ? gpus.nvidia : gpus.any);

const numberOf = ({ name }: NativeDevice): number => Number(/\d+/.exec(name)?.[0] ?? 0);

/** The devices of a library that passed the test. */
export const workingOf = ({ devices }: LibraryReport): readonly NativeDevice[] =>
  devices.filter(({ problem }) => problem === undefined).map(({ device }) => device);

/** The first device that works, discrete ones before integrated ones; or that of a number. */
function bestOf(report: LibraryReport, number?: number): NativeDevice | undefined {
  const working = workingOf(report).filter((device) => number === undefined || numberOf(device) === number);
  return working.find(({ type }) => type === 'gpu') ?? working[0];
}

/** Numbers of the devices that work and are like the one that would be chosen; undefined for the CPU. */
export async function workingDevices(
  name: BackendName,
  native: LoadedAddon,
  settings: DeviceSettings = {},
): Promise<readonly (number | undefined)[]> {
  const { device, library } = await chooseDevice(name, native, settings);
  if (library === undefined) return [undefined];
  const report = await examineLibrary(library, native, settings);
  return workingOf(report)
    .filter(({ type }) => type === device.type)
    .map(numberOf);
}

function requireNumber(chosen: ChosenDevice, number: number | undefined): ChosenDevice {
  if (number === undefined || numberOf(chosen.device) === number) return chosen;
  throw noSuchDevice(number, [{ devices: [{ device: chosen.device }] }]);
}

function noSuchDevice(number: number | undefined, reports: readonly LibraryReport[]): SvcError {
  const found = reports.find((report) => report.devices.some(({ device }) => numberOf(device) === number));
  const failed = found?.devices.find(({ device }) => numberOf(device) === number);
  if (failed?.problem !== undefined) {
    const [reason] = explainFailures({ devices: [failed] });
    return new SvcError('BACKEND_UNAVAILABLE', `cannot use --device ${number}: ${reason}`, { remedy: anotherBackend });
  }
  const names = reports.flatMap(workingOf).map((device) => `${device.name} (${device.description})`);
  const available = names.length === 0 ? 'no GPU works' : `available: ${names.join(', ')}`;
  return new SvcError('BACKEND_UNAVAILABLE', `there is no GPU with the number ${number} (${available})`);
}

const warned = new Set<string>();

function warnOnce(failures: readonly string[], used: string, { onWarning = emitWarning }: DeviceSettings): void {
  if (failures.length === 0) return;
  const message = `using ${used}, as ${failures.join('; and ')}; --backend cpu uses no GPU`;
  if (warned.has(message)) return;
  warned.add(message);
  onWarning(message);
}

const emitWarning = (message: string): void => process.emitWarning(message, 'SvcWarning');

/** Why a named backend can't be used on this machine. */
function explain(
  name: Exclude<BackendName, 'auto' | 'cpu'>,
  { runtime, directories }: LoadedAddon,
  library: GpuLibrary | undefined,
  report: LibraryReport | undefined,
): Explanation {
  const explained = library && report && explainReport(library, report);
  if (explained !== undefined) return explained;
  if (name === 'metal') {
    return { reason: `it is not available on ${process.platform}-${process.arch}`, remedy: anotherBackend };
  }
  if (name === 'coreml' || name === 'webgpu') {
    return { reason: 'it needs an ONNX model, not a .gguf file', remedy: anotherBackend };
  }
  if (name === 'cuda') {
    const isPossible = process.platform !== 'darwin' && !hasMusl();
    const reason = isPossible ? 'there is no NVIDIA driver' : 'it needs Linux with glibc, or Windows';
    return { reason, remedy: isPossible ? driverRemedy : anotherBackend };
  }
  const { whyOwnGgml } = runtime;
  if (whyOwnGgml !== undefined && (directories.length > 0 || hasMusl())) {
    const reason = `ggml for ${interfaceNames[name]} needs libraries that did not load (${whyOwnGgml})`;
    return { reason, remedy: anotherBackend };
  }
  const { download, needs } = packageNeeds[name];
  const command = installCommand(packageFor(name));
  return {
    reason: `ggml for ${interfaceNames[name]} is not installed`,
    remedy: `install it (${download} to download; it needs ${needs}) with: ${command}`,
  };
}
