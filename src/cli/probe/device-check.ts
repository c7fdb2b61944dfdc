/** The check of a device that doesn't work. */
import { findGpus, type Gpus } from '../../processors/gpus.ts';
import { type Check, checkOfError } from './check.ts';

/** Why a device can't be there; undefined where it may be. */
export function whyNoGpu(device: string, gpus: Gpus | undefined): string | undefined {
  if (gpus === undefined) return undefined;
  if (device.endsWith('cuda') && !gpus.nvidia) return 'no NVIDIA GPU found';
  return (device === 'vulkan' || device === 'webgpu') && !gpus.any ? 'no GPU found' : undefined;
}

/** The check of a device that doesn't work. Without a GPU, it proposes nothing to install. */
export function checkOfDevice(
  name: string,
  device: string,
  error: unknown,
  gpus: Gpus | undefined = findGpus(),
): Check {
  const check = checkOfError(name, 'missing', error);
  const reason = whyNoGpu(device, gpus);
  // With its libraries installed, a device may also be a software driver, whose problem is another one.
  if (reason === undefined || !/not installed|no NVIDIA driver|^cannot use backend [\w-]+ \(/.test(check.summary))
    return check;
  return { ...check, summary: reason, remedy: 'nothing to do: svc runs on the CPU' };
}
