/** Checks that run no native code. */
import { freemem, release, totalmem, type } from 'node:os';
import process from 'node:process';
import { freeBytes } from '../../files/file-system.ts';
import { listCache } from '../../hub/cache.ts';
import { didYouMean } from '../../messages.ts';
import { glibcVersion, hasMusl } from '../../package/c-library.ts';
import { optionalCommand, optionalPackages, optionalVersion } from '../../package/optional-package.ts';
import type { Io } from '../io.ts';
import { deviceOf, modelOfFolder } from '../model/engine-environment.ts';
import { modelEnvironment } from '../model/model-environment.ts';
import { environmentVariables } from '../options/environment-variables.ts';
import { type Check, checkOfError } from '../probe/check.ts';
import { isWritable, nearestFolder } from '../probe/writable-folder.ts';

export function checkNode(): Check {
  const version = process.versions.node;
  return { name: 'node', status: 'ok', summary: `${version} at ${process.execPath}`, details: { version } };
}

export function checkSystem(): Check {
  const { platform, arch } = process;
  const glibc = glibcVersion();
  const musl = hasMusl();
  const library = musl ? ', musl' : glibc === undefined ? '' : `, glibc ${glibc}`;
  const memory = `${gigabytes(freemem())} of ${gigabytes(totalmem())} GB of memory free`;
  const details = { platform, arch, release: release(), glibc, musl, freeBytes: freemem(), totalBytes: totalmem() };
  return { name: 'system', status: 'ok', summary: `${type()} ${arch}${library}, ${memory}`, details };
}

export async function checkCache(io: Io): Promise<Check> {
  try {
    const { cacheFolder } = modelEnvironment(io);
    const existing = nearestFolder(cacheFolder);
    const free = await freeBytes(existing);
    const models = await listCache(cacheFolder);
    const bytes = models.reduce((sum, model) => sum + model.bytes, 0);
    const details = { path: cacheFolder, exists: existing === cacheFolder, bytes, freeBytes: free };
    const summary = `${cacheFolder}, ${gigabytes(bytes)} GB in use, ${gigabytes(free)} GB free`;
    const remedy = 'make it writable, or set SVC_CACHE_DIR to another folder';
    if (isWritable(existing)) return { name: 'cache', status: 'ok', summary, details };
    return { name: 'cache', status: 'failed', summary: `${cacheFolder} is not writable`, remedy, details };
  } catch (error) {
    return checkOfError('cache', 'failed', error);
  }
}

export async function checkModels(io: Io): Promise<readonly Check[]> {
  const checks: Check[] = [];
  try {
    const { resolveModelPath } = await import('../../engine/open-engine.ts');
    const path = await resolveModelPath();
    checks.push({ name: 'demo model', status: 'ok', summary: path, details: { path } });
  } catch (error) {
    checks.push(checkOfError('demo model', 'failed', error, 'reinstall svc'));
  }
  try {
    const folderModel = await modelOfFolder(io);
    const { cacheFolder } = modelEnvironment(io);
    const cached = (await listCache(cacheFolder)).filter(({ state }) => state === 'complete');
    const details = { cached, folder: folderModel };
    const names = [...cached.map(({ name, type: kind }) => (kind ? `${name} ${kind}` : `${name} (download)`))];
    if (folderModel !== undefined) names.unshift(`${folderModel} (SVC_MODELS_DIR)`);
    if (names.length > 0) checks.push({ name: 'models', status: 'ok', summary: names.join(', '), details });
    else {
      const remedy = 'download one with: svc models pull voxcpm-0.5b';
      checks.push({ name: 'models', status: 'missing', summary: 'only the demo model', remedy, details });
    }
  } catch (error) {
    checks.push(checkOfError('models', 'failed', error));
  }
  return checks;
}

/** The packages that an installation may lack, each with what needs it. */
export function checkPackages(): readonly Check[] {
  const names = [...new Set<string>(Object.values(optionalPackages).flat())].sort();
  return names.map((name) => {
    const features = Object.entries(optionalPackages).flatMap(([feature, needed]) =>
      (needed as readonly string[]).includes(name) ? [feature] : [],
    );
    const version = optionalVersion(name);
    const purpose = `for ${features.join(', ')}`;
    const details = { version, features };
    const part = 'packages';
    if (version !== undefined) return { name, status: 'ok', summary: `${version}, ${purpose}`, details, part };
    const remedy = `install it with: ${optionalCommand([name])}`;
    return { name, status: 'missing', summary: `not installed, ${purpose}`, remedy, details, part };
  });
}

export function checkEnvironment(io: Io): Check {
  const inEffect = environmentVariables.filter(({ name }) => io.environment[name]);
  const shown = inEffect.map(({ name, secret }) => [name, secret ? '…' : io.environment[name]] as const);
  try {
    deviceOf(io);
  } catch (error) {
    return checkOfError('environment', 'failed', error);
  }
  const values = shown.map(([name, value]) => `${name}=${value}`).join(' ') || 'no environment variable of svc is set';
  const summary = [values, ...misspelledVariables(io)].join('; ');
  return { name: 'environment', status: 'ok', summary, details: Object.fromEntries(shown) };
}

/** Variables that svc does not know, and that look like one that it knows. */
function misspelledVariables({ environment }: Io): readonly string[] {
  const known = environmentVariables.map((variable) => variable.name);
  const others = Object.keys(environment).filter((name) => name.startsWith('SVC_') && !known.includes(name));
  return others.flatMap((name) => {
    const hint = didYouMean(name, known);
    return hint === '' ? [] : [`${name} is ignored${hint}`];
  });
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
