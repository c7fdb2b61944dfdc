/** GPUs that the system knows, found without a driver's library. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

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
