/** Paths that clients may name: those inside folders that the operator allows. */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Finds the real path in one of the folders; undefined for missing and hidden ones, and for all outside, also through
 * links, so that clients can't probe what exists.
 *
 * @param path absolute, or relative to one of the folders
 * @param fits whether it may be this kind of file
 */
export async function findAllowed(
  path: string,
  folders: readonly string[],
  fits: (found: Stats) => boolean,
): Promise<string | undefined> {
  for await (const { root, way } of placesIn(folders, path)) {
    // A link may lead out of the folder, so the real path counts.
    const real = await realpath(join(root, way)).catch(() => undefined);
    if (real === undefined || visibleWay(root, real) === undefined) continue;
    const found = await stat(real).catch(() => undefined);
    if (found !== undefined && fits(found)) return real;
  }
  return undefined;
}

/** Finds the real path for a new file in an existing folder; undefined for hidden ones and for all outside, as `findAllowed`. */
export async function placeAllowed(path: string, folders: readonly string[]): Promise<string | undefined> {
  for await (const { root, way } of placesIn(folders, path)) {
    const parent = await realpath(dirname(join(root, way))).catch(() => undefined);
    const real = parent === undefined ? undefined : join(parent, basename(way));
    if (real !== undefined && visibleWay(root, real) !== undefined) return real;
  }
  return undefined;
}

/** The folders that a path may be in, and its way there. */
async function* placesIn(folders: readonly string[], path: string) {
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    const way = root && (visibleWay(root, path) ?? visibleWay(resolve(folder), path));
    if (root !== undefined && way !== undefined) yield { root, way };
  }
}

/** Relative path from `root`; undefined when `path` is outside or hidden. Doesn't access the disk. */
function visibleWay(root: string, path: string): string | undefined {
  const named = resolve(root, path);
  if (path.includes('\0') || !isInside(named, root)) return undefined;
  const way = relative(root, named);
  return way.split(sep).some((part) => part.startsWith('.')) ? undefined : way;
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
