/** Turns off the telemetry of onnxruntime, which would keep an ID of the device and send events to its vendor. */
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { SvcError } from '../../../errors.ts';
import { installedAddon } from '../native/load-addon.ts';

const variable = 'ORT_DISABLE_TELEMETRY';

/**
 * To be called before onnxruntime is loaded, and before a thread starts that loads it: the library reads the environment
 * of the process, of which `process.env` of a thread is a copy.
 *
 * @throws SvcError BACKEND_UNAVAILABLE in a thread whose process has telemetry on, if the addon can't turn it off
 */
export function disableTelemetry(): void {
  // biome-ignore lint/style/noProcessEnv: not a setting of svc; the library has no other switch
  const environment = process.env;
  if (environment[variable] === '1') return;
  if (!isMainThread) {
    const addon = installedAddon();
    if (addon === undefined) {
      throw new SvcError(
        'BACKEND_UNAVAILABLE',
        `ONNX models in a thread of yours would send telemetry; set ${variable}=1 in the environment of the process`,
      );
    }
    addon.setEnvironment(variable, '1');
  }
  environment[variable] = '1';
}
