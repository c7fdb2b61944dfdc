/** The folders in which programs keep their files, by the customs of each system. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';

export type FolderKind = 'data' | 'cache';

/** Where a user without a home has it, as systemd and container runtimes do. */
const root = '/';

/** Its variable may be empty, and a user who is in no list has none. */
function home(): string {
  try {
    return homedir() || root;
  } catch {
    return root;
  }
}

/**
 * A path in a variable, else the default. The XDG Base Directory Specification calls relative paths invalid and has them
 * ignored: they would name another folder wherever a command runs.
 */
const absolute = (path: string | undefined, otherwise: string): string =>
  path !== undefined && isAbsolute(path) ? path : otherwise;

/** The folder of svc, such as `~/.local/share/svc` or `~/.cache/svc`; it may not exist. */
export function userFolder(kind: FolderKind, platform: NodeJS.Platform = process.platform): string {
  const { env } = process;
  switch (platform) {
    case 'darwin':
      return join(home(), 'Library', kind === 'data' ? 'Application Support' : 'Caches', 'svc');
    case 'win32':
      return join(
        absolute(env.LOCALAPPDATA, join(home(), 'AppData', 'Local')),
        'svc',
        kind === 'data' ? 'Data' : 'Cache',
      );
    default:
      return kind === 'data'
        ? join(absolute(env.XDG_DATA_HOME, join(home(), '.local', 'share')), 'svc')
        : join(absolute(env.XDG_CACHE_HOME, join(home(), '.cache')), 'svc');
  }
}
