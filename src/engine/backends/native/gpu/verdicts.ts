/** What is known of GPU libraries and their devices, kept for as long as nothing changes; failures for a day. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { userFolder } from '../../../../files/user-folders.ts';
import { findPackage } from '../../../../package/package-root.ts';
import { forget, keep, readKept } from '../kept.ts';
import type { LoadedAddon } from '../load-addon.ts';
import { checkLibrary, type LibraryReport } from './check-library.ts';
import { describeDriver, stampOf } from './driver.ts';
import type { GpuLibrary } from './libraries.ts';

export interface VerdictSettings {
  /** The cache folder of svc. Default: that of the user. */
  readonly cacheFolder?: string | undefined;
  /** Milliseconds after which a device that doesn't answer is given up. */
  readonly patience?: number | undefined;
}

interface Verdict {
  /** Changes with the package, the driver, the cards and svc. */
  readonly identity: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly report: LibraryReport;
}

/** Milliseconds. Drivers are repaired without changing their version, and cards that were busy become free. */
const failureLife = 86_400_000;

function identityOf(library: GpuLibrary, { binary, runtime }: LoadedAddon): string {
  const { version } = findPackage();
  return JSON.stringify({
    svc: version,
    addon: stampOf(binary),
    ggml: runtime.ggmlVersion,
    package: library.package,
    library: stampOf(library.path),
    driver: describeDriver(library.backend),
  });
}

function fileOf({ backend, path }: GpuLibrary, { cacheFolder = userFolder('cache') }: VerdictSettings): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(cacheFolder, 'devices', `${backend}-${hash}.json`);
}

const hasFailure = ({ devices, problem }: LibraryReport): boolean =>
  problem !== undefined || devices.some((device) => device.problem !== undefined);

/**
 * What a library's devices can do: as it was found before, or tried now.
 *
 * @param trust `afresh` tries the library even if it is known
 */
export async function examineLibrary(
  library: GpuLibrary,
  native: LoadedAddon,
  settings: VerdictSettings,
  trust: 'known' | 'afresh' = 'known',
): Promise<LibraryReport> {
  const file = fileOf(library, settings);
  const identity = identityOf(library, native);
  const found = trust === 'known' ? ((await readKept(file)) as Verdict | undefined) : undefined;
  if (found?.identity === identity) {
    const age = Date.now() - found.at;
    if (!hasFailure(found.report) || (age >= 0 && age < failureLife)) return found.report;
  }
  const { directories } = native;
  const report = await checkLibrary({ directories, library }, settings.patience);
  await keep(file, { identity, at: Date.now(), report } satisfies Verdict);
  return report;
}

/** Notes that a device which had passed failed a model. */
export async function noteFailure(
  library: GpuLibrary,
  native: LoadedAddon,
  settings: VerdictSettings,
  failed: { readonly name: string; readonly cause: string },
): Promise<void> {
  const { devices, ...report } = await examineLibrary(library, native, settings);
  const noted = devices.map((one) =>
    one.device.name === failed.name ? { ...one, problem: { kind: 'crash', cause: failed.cause } as const } : one,
  );
  const verdict: Verdict = {
    identity: identityOf(library, native),
    at: Date.now(),
    report: { ...report, devices: noted },
  };
  await keep(fileOf(library, settings), verdict);
}

/** The next to ask tries the library again. */
export async function forgetVerdict(library: GpuLibrary, settings: VerdictSettings): Promise<void> {
  await forget(fileOf(library, settings));
}
