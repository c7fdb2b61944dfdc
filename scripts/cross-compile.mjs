/**
 * Compiles the addon for any supported platform on any machine, with the clang of the Python package `ziglang`, which
 * brings the headers and C libraries of all of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { probeFolder, sourceFolders } from './native-sources.mjs';
import { unpackPackage } from './registry-package.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const native = join(root, 'native');
const cache = join(root, '.cache');
const { defines, instructionSets } = JSON.parse(readFileSync(join(native, 'compiler-settings.json'), 'utf8'));

/** Where `node-gyp-build` finds the addon of each platform, and how the compiler calls it. */
export const platforms = {
  // glibc: what ggml's libraries need
  'linux-x64': { target: 'x86_64-linux-gnu.2.34', file: 'linux-x64/svc.glibc.node' },
  'linux-arm64': { target: 'aarch64-linux-gnu.2.34', file: 'linux-arm64/svc.glibc.node' },
  // only by name, as ggml's libraries need glibc
  'linux-x64-musl': { target: 'x86_64-linux-musl', file: 'linux-x64/svc.musl.node', onlyByName: true },
  'win32-x64': { target: 'x86_64-windows-gnu', file: 'win32-x64/svc.node', machine: 'i386:x86-64' },
  'win32-arm64': { target: 'aarch64-windows-gnu', file: 'win32-arm64/svc.node', machine: 'arm64' },
  // macOS 14: what ggml's libraries need
  'darwin-arm64': { target: 'aarch64-macos.14.0', file: 'darwin-arm64/svc.node' },
  'darwin-x64': { target: 'x86_64-macos.14.0', file: 'darwin-x64/svc.node' },
};

/** Renames a folder, unless another process was faster. */
function place(folder, target) {
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
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
    place(scratch, folder);
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
export function fetchNodeApi() {
  const folder = join(cache, `${nodeApi.name}-${nodeApi.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, 'node-api-'));
  try {
    place(unpackPackage(nodeApi, scratch), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/** The sources for an architecture, with the flags of their instruction set. */
function listSources(architecture, contents) {
  const sets = instructionSets[architecture];
  const probe = contents === 'with probe' ? [probeFolder] : [];
  return [...sourceFolders, ...probe].flatMap((folder) =>
    readdirSync(join(native, folder), { recursive: true })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.cc'))
      .sort()
      .flatMap((name) => {
        const [, set] = /^isa_(\w+)\.cc$/.exec(name) ?? [];
        if (set === undefined || set === 'portable') {
          const seen = contents === 'with probe' && ['addon', probeFolder].includes(folder) ? ['-DSVC_PROBE'] : [];
          return [{ name: `${folder}/${name}`, flags: ['-O2', ...seen] }];
        }
        // Its name of the processor selects the instructions; it has no -march for Arm.
        const flags = sets[set]?.map((flag) => flag.replace(/^-march=armv8(\.2)?-a/, '-mcpu=generic'));
        return flags ? [{ name: `${folder}/${name}`, flags: ['-O3', ...flags] }] : [];
      }),
  );
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
 * @throws Error if it does not compile
 */
export async function crossCompile(name, output, jobs, contents = 'packed') {
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
  const includes = ['.', 'generated', 'ggml', addonApi, join(headers, 'include')];
  const general = [
    ...['-target', target, '-std=c++20', '-fexceptions', '-fvisibility=hidden', '-g0'],
    '-Wno-deprecated-declarations',
    // no path of this machine in the addon
    ...[`-ffile-prefix-map=${root}=.`, '-Werror=date-time'],
    ...[...defines, 'BUILDING_NODE_EXTENSION'].map((define) => `-D${define}`),
    ...includes.flatMap((folder) => ['-I', relative(native, resolve(native, folder)) || '.']),
  ];
  const compiled = listSources(architecture, contents).map((source) => ({
    ...source,
    object: join(objects, `${source.name.replaceAll('/', '_')}.o`),
  }));
  await forEach(compiled, jobs, ({ name: source, flags, object }) =>
    run(['c++', ...general, ...flags, '-c', source, '-o', object]),
  );

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
  await run(['c++', '-target', target, '-shared', '-s', ...linking, '-o', linked, ...files, ...libraries]);
  mkdirSync(dirname(output), { recursive: true });
  renameSync(linked, output);
}
