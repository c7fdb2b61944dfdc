import { statfs } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import type { ServerSettings } from '../context/settings.ts';

/** Keeps clients from filling the disk with voices, if they are stored there. @throws SvcError BACKEND_UNAVAILABLE */
export async function assertSpareDisk({ voiceFolder, limits }: ServerSettings): Promise<void> {
  const disk = await statfs(voiceFolder).catch(() => undefined);
  if (disk === undefined) return;
  const [free, total] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize];
  // A small disk was made for the voices, and some report no size.
  if (free >= limits.spareDiskBytes || total < limits.spareDiskBytes) return;
  const spare = `${Math.round(limits.spareDiskBytes / 1024 ** 2)} MiB`;
  const problem = `no voice can be added: less than ${spare} are free where voices are stored`;
  throw new SvcError('BACKEND_UNAVAILABLE', `${problem}; remove voices or other files`);
}
