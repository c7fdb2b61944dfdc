/**
 * Compiles the addon for any supported platform on any machine, with the clang of the Python package `ziglang`, which
 * brings the headers and C libraries of all of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMusl } from './c-library.mjs';
import { fetchGgmlSources } from './ggml-headers.mjs';
import { listKernelSets, probeFolder, readSettings, unitOf, unitsOf, writeKernelSets } from './native-sources.mjs';
import { cachePackage, placeFolder } from './registry-package.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'native');
const cache = join(root, '.cache');
const { defines } = readSettings(native);

/** Where `node-gyp-build` finds the addon of each platform, and how the compiler calls it. */
export const platforms = {
  // glibc: what Node.js needs
  'linux-x64': { target: 'x86_64-linux-gnu.2.28', file: 'linux-x64/svc.glibc.node' },
  'linux-arm64': { target: 'aarch64-linux-gnu.2.28', file: 'linux-arm64/svc.glibc.node' },
  'linux-x64-musl': { target: 'x86_64-linux-musl', file: 'linux-x64/svc.musl.node' },
  'linux-arm64-musl': { target: 'aarch64-linux-musl', file: 'linux-arm64/svc.musl.node' },
  'win32-x64': { target: 'x86_64-windows-gnu', file: 'win32-x64/svc.node', machine: 'i386:x86-64' },
  'win32-arm64': { target: 'aarch64-windows-gnu', file: 'win32-arm64/svc.node', machine: 'arm64' },
  // macOS 14: what ggml's libraries need
  'darwin-arm64': { target: 'aarch64-macos.14.0', file: 'darwin-arm64/svc.node' },
  'darwin-x64': { target: 'x86_64-macos.14.0', file: 'darwin-x64/svc.node' },
};

/**
 * The platform of this machine if its own compiler can't make the addon: Visual Studio's knows no processor's kernels, and
 * for musl there are no libraries of ggml, so that the addon needs its own. Undefined elsewhere.
 */
export function crossCompiledHere() {
  const suffix = { win32: '', linux: '-musl' }[process.platform];
  const isNeeded = process.platform === 'win32' || hasMusl();
  return isNeeded ? `${process.platform}-${process.arch}${suffix}` : undefined;
}

/** The compiler's program, installed on first use. */
export function installCompiler() {
  const requirements = join(root, 'scripts', 'ziglang.txt');
  const [, version] = /^ziglang==(\S+)/.exec(readFileSync(requirements, 'utf8'));
  const folder = join(cache, `ziglang-${version}`);
  const program = join(folder, 'ziglang', process.platform === 'win32' ? 'zig.exe' : 'zig');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'ziglang-'));
  try {
    const python = process.platform === 'win32' ? 'python' : 'python3';
    const settings = ['--quiet', '--no-deps', '--no-compile', '--only-binary', ':all:', '--require-hashes'];
    execFileSync(python, ['-m', 'pip', 'install', ...settings, '--target', scratch, '--requirement', requirements], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    placeFolder(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return program;
}

const nodeApi = {
  name: 'node-api-headers',
  version: '1.9.0',
  integrity: 'sha512-2oNILP4jXwRB4ywnYKjVk1YyJ96n2D4EOVJO6S3oYZ5PtbJrw3Yt9TpAuX3nBLMuzn74rnfGQrv13pS9vC+YiA==',
};

/** The folder of Node-API's headers, and of the list of its functions for Windows, downloaded on first use. */
export const fetchNodeApi = () => cachePackage(nodeApi);

/** The sources for the kernel sets of an architecture, with their flags. */
function listSources(system, sets, contents) {
  const withProbe = contents === 'with probe';
  // Not the model of a GPU, which the tests of this system run.
  const probed = withProbe ? [unitOf('addon'), unitOf(probeFolder)] : [];
  const own = [...new Set([...unitsOf(system), ...probed])].map((name) => ({
    name,
    flags: ['-O2', ...(probed.includes(name) ? ['-DSVC_PROBE'] : [])],
  }));
  const kernels = sets
    .filter(({ forTests }) => withProbe || !forTests)
    // Its name of the processor selects the instructions; it has no -march for Arm.
    .map(({ source, flags }) => ({
      name: source,
      flags: ['-O3', ...flags.map((flag) => flag.replace(/^-march=armv8(\.2)?-a/, '-mcpu=generic'))],
    }));
  return [...kernels, ...own];
}

/** Of ggml's sources, what computes graphs on a CPU; the addon has kernels of its own for what takes long. */
const ggmlSources = [
  ...['ggml.c', 'ggml-alloc.c', 'ggml-backend.cpp', 'ggml-backend-dl.cpp', 'ggml-backend-meta.cpp'],
  ...['ggml-backend-reg.cpp', 'ggml-quants.c', 'ggml-threading.cpp', 'gguf.cpp'],
  ...['ggml-cpu.c', 'ggml-cpu.cpp', 'binary-ops.cpp', 'iqp.cpp', 'ops.cpp', 'quants.c', 'traits.cpp']
    .concat('unary-ops.cpp', 'vec.cpp')
    .map((name) => `ggml-cpu/${name}`),
];

/** The sources of ggml in `folder` for an architecture, with their flags: for every processor of it. */
function listGgmlSources(architecture, folder) {
  const own = { x64: 'x86', arm64: 'arm' }[architecture];
  return [...ggmlSources, `ggml-cpu/arch/${own}/quants.c`].map((name) => ({
    name: `${folder}/${name}`,
    flags: [
      name.endsWith('.c') ? '-std=c11' : '-std=c++17',
      ...['-O2', '-w', '-D_GNU_SOURCE', '-DNDEBUG', '-DGGML_USE_CPU', `-I${folder}`, `-I${folder}/ggml-cpu`],
    ],
  }));
}

/** Calls `work` for all items, `jobs` of them at a time. */
async function forEach(items, jobs, work) {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/**
 * Compiles the addon for a platform from prepared sources. Objects that are still valid come from the compiler's cache.
 *
 * @param name a key of `platforms`
 * @param output path of the addon
 * @param contents `packed`, or `with probe` for tests that look into the engine
 * @param jobs how many sources to compile at a time
 * @param further parameters of the compiler and the linker, for addons that tests only read
 * @throws Error if it does not compile
 */
export async function crossCompile(name, output, jobs, contents = 'packed', further = { compiler: [], linker: [] }) {
  const { target, machine } = platforms[name];
  const [system, architecture] = name.split('-');
  const compiler = installCompiler();
  const headers = fetchNodeApi();
  const objects = join(cache, 'objects', name);
  mkdirSync(objects, { recursive: true });

  const run = async (parameters) => {
    const folder = join(cache, 'zig');
    const child = spawn(compiler, parameters, {
      cwd: native,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: folder, ZIG_LOCAL_CACHE_DIR: folder },
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`cannot compile the addon for ${name} (see above)`);
  };

  const addonApi = dirname(createRequire(import.meta.url).resolve('node-addon-api/package.json'));
  const sets = listKernelSets(native, architecture);
  writeKernelSets(objects, sets);
  const includes = [objects, '.', 'generated', 'ggml', addonApi, join(headers, 'include')];
  const general = [
    ...['-target', target, '-fPIC', '-fvisibility=hidden', '-g0'],
    // no path of this machine in the addon
    ...[`-ffile-prefix-map=${root}=.`, '-Werror=date-time'],
  ];
  // Where ggml's libraries may not load, the addon has its own.
  const ggml = system === 'linux' ? listGgmlSources(architecture, relative(native, fetchGgmlSources(cache))) : [];
  const own = [
    ...['-std=c++20', '-fexceptions', '-Wno-deprecated-declarations'],
    ...[...defines, 'BUILDING_NODE_EXTENSION', ...(ggml.length > 0 ? ['SVC_OWN_GGML'] : [])].map((name) => `-D${name}`),
    ...includes.flatMap((folder) => ['-I', relative(native, resolve(native, folder)) || '.']),
  ];
  const sources = [
    ...listSources(system, sets, contents).map(({ name: source, flags }) => ({ source, flags: [...own, ...flags] })),
    ...ggml.map(({ name: source, flags }) => ({ source, flags: ['-Iggml', '-ffunction-sections', ...flags] })),
  ];
  const compiled = sources.map(({ source, flags }) => ({
    object: join(objects, `${source.replaceAll(/\W/g, '_')}.o`),
    parameters: [source.endsWith('.c') ? 'cc' : 'c++', ...general, ...flags, ...further.compiler, '-c', source],
  }));
  await forEach(compiled, jobs, ({ parameters, object }) => run([...parameters, '-o', object]));

  const libraries = [];
  if (system === 'win32') {
    const library = join(objects, 'node_api.lib');
    const definitions = join(headers, 'def', 'node_api.def');
    await run(['dlltool', '-m', machine, '-D', 'node.exe', '-d', definitions, '-l', library]);
    libraries.push(library);
  }
  const linking = {
    // of the C++ library in it, no other addon should see anything
    linux: ['-Wl,--gc-sections', '-Wl,--build-id=none', '-Wl,--version-script=exports.ld'],
    // no time of this build
    win32: ['-Wl,/Brepro'],
    darwin: ['-Wl,-undefined,dynamic_lookup', '-Wl,-dead_strip', '-install_name', '@rpath/svc.node'],
  }[system];
  // Not to where it belongs: the linker for Windows leaves other files beside its output.
  const linked = join(objects, 'svc.node');
  const files = compiled.map(({ object }) => object);
  const settings = ['-target', target, '-shared', '-s', ...linking, ...further.linker];
  await run(['c++', ...settings, '-o', linked, ...files, ...libraries]);
  mkdirSync(dirname(output), { recursive: true });
  renameSync(linked, output);
}
