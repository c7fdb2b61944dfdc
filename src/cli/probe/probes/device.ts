/** Tries a GPU again, whatever is known of it, and speaks on it. */
import process from 'node:process';
import type { NativeCard, NativeDevice } from '../../../engine/backends/native/addon.ts';
import { chooseDevice, workingOf } from '../../../engine/backends/native/device.ts';
import type { GpuBackend } from '../../../engine/backends/native/gpu/backends.ts';
import { nvidiaDriver } from '../../../engine/backends/native/gpu/driver.ts';
import { explainReport } from '../../../engine/backends/native/gpu/explain.ts';
import { findGpuLibraries } from '../../../engine/backends/native/gpu/libraries.ts';
import { examineLibrary } from '../../../engine/backends/native/gpu/verdicts.ts';
import { type LoadedAddon, loadNative } from '../../../engine/backends/native/load-addon.ts';
import { findGpus } from '../../../processors/gpus.ts';
import { deviceSettings } from '../../model/device-settings.ts';
import { type Check, checkOfError } from '../check.ts';
import { checkOfDevice, whyNoGpu } from '../device-check.ts';
import { speakDemo } from './speech.ts';

export async function probeDevice(name: string): Promise<readonly Check[]> {
  const backend = name as GpuBackend;
  let native: LoadedAddon;
  try {
    native = loadNative();
  } catch (error) {
    return [checkOfError(name, 'missing', error)];
  }
  const settings = deviceSettings({ environment: process.env });
  const library = findGpuLibraries(native).find((one) => one.backend === backend);
  // An optional package beside our kernels; --backend ggml-cuda says how to install it.
  if (backend === 'ggml-cuda' && library === undefined) return [];
  const report = library && (await examineLibrary(library, native, settings, 'afresh'));
  try {
    const { device } = await chooseDevice(backend, native, { ...settings, onWarning: () => undefined });
    const { loadMs, firstAudioMs } = await speakDemo({ backend }, settings);
    const driver = nvidiaDriver();
    const shown = report === undefined ? [device] : workingOf(report);
    const summary = [...shown.map(describeDevice), `first audio after ${firstAudioMs} ms`].join(', ');
    const driverText = backend.endsWith('cuda') && driver !== undefined ? `, NVIDIA driver ${driver}` : '';
    const details = { ...device, driver, loadMs, firstAudioMs, checked: report };
    return [{ name, status: 'ok', summary: `${summary}${driverText}`, details }];
  } catch (error) {
    const isMissing =
      report === undefined ||
      report.devices.some(({ problem }) => problem?.kind === 'unsupported') ||
      (report.devices.length === 0 && (report.problem === undefined || isAbsent(backend, report.problem.kind)));
    if (isMissing) return [checkOfDevice(name, backend, error)];
    // A device that passed the test may fail the model.
    const explained = library && report && explainReport(library, report);
    const failed = checkOfError(name, 'failed', error, explained?.remedy);
    return [{ ...failed, details: { library: library?.path, package: library?.package, ...report } }];
  }
}

/** The device, with what decides how it computes. */
function describeDevice(device: NativeDevice): string {
  const { cudaVersion, modules, without } = device as Partial<NativeCard>;
  const memory = `${gigabytes(device.freeBytes)} of ${gigabytes(device.totalBytes)} GB free`;
  const kernels = modules === undefined ? '' : ` with kernels ${modules.join(' and ')}, CUDA ${cudaVersion}`;
  const slower = without === undefined ? '' : ` (without ${without})`;
  return `${device.name}: ${device.description}, engine ${device.engine}${kernels}${slower}, ${memory}`;
}

/** A library that doesn't load for want of a card is no failure. */
const isAbsent = (backend: GpuBackend, kind: string): boolean =>
  kind === 'load' && (findGpus() === undefined || whyNoGpu(backend, findGpus()) !== undefined);

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
