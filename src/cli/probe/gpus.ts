/** GPUs that the system knows, found without a driver's library. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type Check, checkOfError } from './check.ts';

export interface Gpus {
  readonly nvidia: boolean;
  readonly any: boolean;
}

const nvidiaVendor = '0x10de';
/** Class codes of display controllers begin with it. */
const displayClass = '0x03';

/**
 * Looks at devices of the PCI bus, and for device files, which containers and WSL have instead.
 *
 * @returns undefined on systems other than Linux
 */
export function findGpus(root = '/', platform: NodeJS.Platform = process.platform): Gpus | undefined {
  if (platform !== 'linux') return undefined;
  const devices = namesIn(join(root, 'dev'));
  const isWsl = devices.includes('dxg');
  const nvidia = isWsl || devices.some((name) => /^nvidia(?:ctl|\d+)$/.test(name)) || hasPciNvidia(root);
  const any = nvidia || namesIn(join(root, 'dev', 'dri')).some((name) => name.startsWith('renderD'));
  return { nvidia, any };
}

function hasPciNvidia(root: string): boolean {
  const folder = join(root, 'sys', 'bus', 'pci', 'devices');
  return namesIn(folder).some((name) => {
    const read = (file: string): string => readOr(join(folder, name, file), '');
    return read('vendor') === nvidiaVendor && read('class').startsWith(displayClass);
  });
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
};

const readOr = (path: string, otherwise: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return otherwise;
  }
};

/** Why a device can't be there; undefined where it may be. */
function whyNoGpu(device: string, gpus: Gpus | undefined): string | undefined {
  if (gpus === undefined) return undefined;
  if (device === 'cuda' && !gpus.nvidia) return 'no NVIDIA GPU found';
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
  if (reason === undefined || !/not installed|^cannot use backend \w+ \(/.test(check.summary)) return check;
  return { ...check, summary: reason, remedy: 'nothing to do: svc runs on the CPU' };
}
