/**
 * Builds the native addon for this machine. Run by `npm ci`, or if no prebuilt addon works.
 *
 *     node scripts/build-native.mjs            with the best kernels for this processor, and those of earlier builds
 *     node scripts/build-native.mjs --all      with all kernels, and, in a clone, with what tests look into
 *     node scripts/build-native.mjs --packed   the addon of packages: with all kernels, beside that of the clone
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crossCompile, crossCompiledHere } from './cross-compile.mjs';
import { addGgmlLibraries } from './ggml-libraries.mjs';
import { listKernelSets, prepareSources, probeFolder, writeGypSources } from './native-sources.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'native');
const release = join(native, 'build', 'Release');
const compiler = process.env.CXX ?? (process.platform === 'darwin' ? 'c++' : 'g++');
/** Of node-gyp's releases, for an installed package whose npm brings none. */
const nodeGyp = 'node-gyp@12.4.0';

const isPacked = process.argv.includes('--packed');
const isComplete = isPacked || process.argv.includes('--all');
// A package is without the probe of tests.
const hasProbe = existsSync(join(native, probeFolder));

addGgmlLibraries(root);
prepareSources(native);
const jobs = Number(process.env.npm_config_jobs) || availableParallelism();
const platform = crossCompiledHere();
if (platform === undefined) buildWithNodeGyp();
else await crossCompile(platform, join(release, 'svc.node'), jobs, hasProbe ? 'with probe' : 'packed');

function buildWithNodeGyp() {
  const record = join(native, 'build', 'contents.json');
  const contents = chooseContents(existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : undefined);
  writeGypSources(native, contents);
  runNodeGyp([['configure'], ['build', isPacked ? 'svc_packed' : 'svc', '--jobs', String(jobs)]]);
  const { sets, withProbe } = contents;
  writeFileSync(record, `${JSON.stringify({ kernels: sets.map(({ name }) => name), withProbe })}\n`);

  // The addon of packages, out of the folder in which addons are looked for.
  if (isPacked) {
    mkdirSync(join(release, 'packed'), { recursive: true });
    renameSync(join(release, 'svc_packed.node'), join(release, 'packed', 'svc.node'));
  }
}

/** The kernel sets to compile, and whether with the probe of tests; says so. */
function chooseContents(before) {
  const all = listKernelSets(native, process.arch);
  const best = isComplete ? undefined : bestKernels();
  if (best === undefined) {
    console.error(
      `svc: compiling the addon with the kernels of all processors, ${jobs} files at a time; takes minutes`,
    );
    return { sets: all, withProbe: hasProbe };
  }
  const names = new Set([...best, ...(before?.kernels ?? [])]);
  const sets = all.filter(({ name }) => names.has(name));
  const which = sets.map(({ name }) => name).join(', ') || "none: ggml's are the fastest here";
  console.error(`svc: compiling the addon with the kernels for this processor (${which}), ${jobs} files at a time`);
  return { sets, withProbe: before?.withProbe ?? false };
}

/** The names of the kernels for this processor; none if ggml's are better, undefined if the program doesn't compile. */
function bestKernels() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-processor-'));
  try {
    const program = join(folder, 'best-kernels');
    const [command, ...own] = compiler.split(' ');
    spawnSync(command, [...own, '-std=c++20', '-I.', '-o', program, 'best-kernels.cc'], { cwd: native });
    const { status, stdout } = spawnSync(program, { encoding: 'utf8' });
    return status === 0 ? stdout.trim().split(' ') : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNodeGyp(steps) {
  const [command, ...prefix] = findNodeGyp();
  for (const step of steps) {
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
    return inNpm ? [process.execPath, inNpm] : ['npm', 'exec', '--yes', `--package=${nodeGyp}`, '--', 'node-gyp'];
  }
}

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
  const archive = spawnSync(compiler, ['-print-file-name=libstdc++.a'], { encoding: 'utf8' }).stdout;
  if (!isAbsolute(archive?.trim() ?? '')) return {};
  const own = '-static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections';
  return { LDFLAGS: `${process.env.LDFLAGS ?? ''} ${own}`.trim() };
}
