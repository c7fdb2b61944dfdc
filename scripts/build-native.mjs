/** Builds the native addon for this machine. Run by `npm ci`, or if no prebuilt addon works. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crossCompile, crossCompiledHere } from './cross-compile.mjs';
import { addGgmlLibraries } from './ggml-libraries.mjs';
import { prepareSources } from './native-sources.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'native');

addGgmlLibraries(root);
prepareSources(native);
// A package is without the probe of tests.
const contentsHere = existsSync(join(native, 'probe')) ? 'with probe' : 'packed';
const jobs = Number(process.env.npm_config_jobs ?? 2);
const platform = crossCompiledHere();
if (platform === undefined) buildWithNodeGyp();
else await crossCompile(platform, join(native, 'build', 'Release', 'svc.node'), jobs, contentsHere);

/** Uses the headers of the Node.js installation, if present, so that node-gyp needn't download them. */
function nodeHeaders() {
  const prefix = dirname(dirname(process.execPath));
  const header = join(prefix, 'include', 'node', 'node_version.h');
  if (process.env.npm_config_nodedir || !existsSync(header)) return [];
  const text = readFileSync(header, 'utf8');
  const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  return `v${part('MAJOR')}.${part('MINOR')}.${part('PATCH')}` === process.version ? [`--nodedir=${prefix}`] : [];
}

/**
 * Links the C++ library statically, if the compiler provides the archive, so that the addon needs only glibc 2.34, like
 * ggml's libraries. Without `--gc-sections`, or with a static libgcc, it would need the glibc of the build machine.
 */
function linkerFlags() {
  if (process.platform !== 'linux') return {};
  const archive = spawnSync(process.env.CXX ?? 'g++', ['-print-file-name=libstdc++.a'], { encoding: 'utf8' }).stdout;
  if (!isAbsolute(archive?.trim() ?? '')) return {};
  const own = '-static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections';
  return { LDFLAGS: `${process.env.LDFLAGS ?? ''} ${own}`.trim() };
}

/**
 * node-gyp and what runs it: the package in a clone, else the one inside the npm that runs this script, else, run by hand
 * in an installed package, the one of the registry.
 */
function findNodeGyp() {
  const inNpm = process.env.npm_config_node_gyp;
  try {
    return [process.execPath, createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js')];
  } catch {
    return inNpm ? [process.execPath, inNpm] : ['npm', 'exec', '--yes', '--package=node-gyp@12', '--', 'node-gyp'];
  }
}

function buildWithNodeGyp() {
  const [command, ...prefix] = findNodeGyp();
  for (const step of [['configure'], ['build', '--jobs', String(jobs)]]) {
    const { status, error } = spawnSync(command, [...prefix, ...step, ...nodeHeaders(), '--loglevel=warn'], {
      cwd: native,
      stdio: 'inherit',
      env: { ...process.env, ...linkerFlags() },
    });
    if (error) throw error;
    if (status !== 0) {
      console.error('svc: cannot build the native addon (see above); it needs a C++20 compiler, make and python3');
      process.exit(status ?? 1);
    }
  }

  // The addon of packages, out of the folder in which addons are looked for.
  const packed = join(native, 'build', 'Release', 'svc_packed.node');
  if (existsSync(packed)) {
    const folder = join(dirname(packed), 'packed');
    mkdirSync(folder, { recursive: true });
    renameSync(packed, join(folder, 'svc.node'));
  }
}
