import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import type { Report } from '../../src/cli/doctor/report.ts';
import type { Check } from '../../src/cli/probe/check.ts';
import { sharedFolder } from '../support/test-folder.ts';

/** The package as users get it: packed, installed and run outside this repository. Needs the npm registry. */
const root = process.cwd();
/** Packed by `npm run test:system`, as packing compiles what other suites run. */
const tarball = process.env.SVC_TARBALL ?? '';

const folder = sharedFolder();
/** A PATH with node, npm and a shell, and without compiler, make, python and git. */
let bare: string;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(command: string, parameters: readonly string[], variables: NodeJS.ProcessEnv = {}): Outcome {
  // npm's variables of this run must not affect the tested npm.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^(NODE_PATH|INIT_CWD)$/.test(name));
  const env = { ...Object.fromEntries(own), ...variables };
  const settings = { cwd: folder, encoding: 'utf8', env } as const;
  const { status, stdout, stderr, error } = spawnSync(command, parameters, settings);
  if (error) throw error;
  return { code: status, stdout, stderr };
}

function succeed(command: string, parameters: readonly string[], variables: NodeJS.ProcessEnv = {}): Outcome {
  const outcome = execute(command, parameters, variables);
  if (outcome.code !== 0) throw new Error(`${command} ${parameters.join(' ')}: ${outcome.stdout}${outcome.stderr}`);
  return outcome;
}

const withoutCompiler = (): NodeJS.ProcessEnv => ({ PATH: bare, CC: '/nonexistent', CXX: '/nonexistent' });

interface Installation {
  readonly svc: (parameters: readonly string[], variables?: NodeJS.ProcessEnv) => Outcome;
  readonly root: string;
}

/** `npm install --global` into a separate folder. */
function install(name: string, file: string, settings: readonly string[], variables: NodeJS.ProcessEnv): Installation {
  const prefix = join(folder, name);
  const start = performance.now();
  succeed('npm', ['install', '--global', '--prefix', prefix, ...settings, file], variables);
  console.log(`installed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return installed(join(prefix, 'bin'), join(prefix, 'lib', 'node_modules'));
}

const installed = (programs: string, packages: string): Installation => ({
  svc: (parameters, more = {}) => execute(join(programs, 'svc'), parameters, { ...withoutCompiler(), ...more }),
  root: join(packages, 'voxcpm'),
});

function doctor(installation: Installation, code = 0): Report {
  const outcome = installation.svc(['doctor', '--json']);
  expect(outcome.code).toBe(code);
  return JSON.parse(outcome.stdout) as Report;
}

const find = ({ checks }: Report, name: string): Check | undefined => checks.find((check) => check.name === name);

/** Bytes of all files below a folder. */
function sizeOf(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

function expectSpeech(installation: Installation): void {
  const path = join(folder, 'hello.wav');
  rmSync(path, { force: true });
  const parameters = ['tts', '--text', 'Hello from a clean machine.', '--seed', '7', '--threads', '1'];
  const { code, stderr } = installation.svc([...parameters, '--output', path, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  const { samples, sampleRate } = decodeWav(readFileSync(path));
  expect(samples.length / sampleRate).toBeGreaterThan(0.5);
  expect(samples.some((sample) => Math.abs(sample) > 0.05)).toBe(true);
}

beforeAll(() => {
  bare = join(folder, 'bare');
  mkdirSync(bare);
  for (const name of ['node', 'npm', 'sh', 'env', 'uname']) {
    const found = (process.env.PATH ?? '')
      .split(delimiter)
      .map((place) => join(place, name))
      .find(existsSync);
    if (found !== undefined) symlinkSync(found, join(bare, name));
  }
});

describe('the package, installed without a compiler', () => {
  it('generates speech and passes svc doctor', () => {
    const installation = install('plain', tarball, [], withoutCompiler());
    expect(existsSync(join(installation.root, 'native', 'build'))).toBe(false);
    expectSpeech(installation);
    const report = doctor(installation);
    expect(find(report, 'addon')).toMatchObject({ status: 'ok', details: { origin: 'prebuilt' } });
    for (const name of ['speech', 'audio', 'ffmpeg', 'voices', 'demo model']) {
      expect(find(report, name)).toMatchObject({ status: 'ok' });
    }
  });

  it('has both engines without running install scripts', () => {
    const installation = install('no-scripts', tarball, ['--ignore-scripts'], withoutCompiler());
    expectSpeech(installation);
    const report = doctor(installation);
    expect(find(report, 'addon')).toMatchObject({ status: 'ok', details: { origin: 'prebuilt' } });
    expect(find(report, 'onnx cpu')).toMatchObject({ status: 'ok' });
    const total = sizeOf(join(folder, 'no-scripts'));
    const onnxruntime = sizeOf(join(installation.root, 'node_modules', 'onnxruntime-node'));
    const packages = readdirSync(join(installation.root, 'node_modules')).length;
    console.log(`${megabytes(total)} MB, ${megabytes(onnxruntime)} of them onnxruntime, ${packages} folders`);
    expect(total).toBeLessThan(435e6);
    expect(total - onnxruntime).toBeLessThan(132e6);
  });

  it('speaks without onnxruntime, as docs/install.md says', () => {
    const page = readFileSync(join(root, 'docs', 'install.md'), 'utf8');
    const [, others = ''] = /^npm install --prefix .*--omit=optional \.\/voxcpm-\S+\.tgz (.+)$/m.exec(page) ?? [];
    const place = join(folder, 'light');
    const settings = ['--prefix', place, '--ignore-scripts', '--omit=optional'];
    succeed('npm', ['install', ...settings, tarball, ...others.split(' ')], withoutCompiler());
    const installation = installed(join(place, 'node_modules', '.bin'), join(place, 'node_modules'));
    expectSpeech(installation);
    const report = doctor(installation);
    expect(find(report, 'voices')).toMatchObject({ status: 'ok' });
    expect(find(report, 'onnxruntime-node')).toMatchObject({ status: 'missing' });
    expect(sizeOf(place)).toBeLessThan(132e6);
  });
});

describe('an optional package that is missing from a global installation', () => {
  it('is named by the command that needs it, with the command to install it', () => {
    const installation = install('peers', tarball, ['--ignore-scripts'], withoutCompiler());
    const recording = join(root, 'tests', 'fixtures', 'audio', 'mono-16-khz.m4a');
    const prompt = ['--prompt-audio', recording, '--prompt-text', 'Ah.', '--max-length', '20'];
    const clone = ['clone', '--model-path', join(root, 'tests', 'fixtures', 'peer-tiny-v1.gguf'), ...prompt];
    const cases: readonly (readonly [string, readonly string[], NodeJS.ProcessEnv])[] = [
      ['svc worker', ['worker'], {}],
      ['a voice store in PostgreSQL', ['voices', 'list'], { SVC_DATABASE_URL: 'postgres://127.0.0.1:1/voices' }],
      ['reading M4A and AAC', [...clone, '--text', 'Ah.', '--output', join(folder, 'cloned.wav')], {}],
    ];
    for (const [feature, parameters, variables] of cases) {
      const { code, stderr } = installation.svc(parameters, variables);
      const [, named, command = ''] =
        /^svc: (?:error: )?(.+) needs .+; install (?:it|them) with: (npm install --global .+)\n$/.exec(stderr) ?? [];
      expect([code, named]).toEqual([5, feature]);
      succeed('sh', ['-c', command]);
      expect(installation.svc(parameters, variables).stderr).not.toContain('needs');
    }
    const report = doctor(installation);
    for (const name of ['bullmq', 'ioredis', 'node-web-audio-api', 'pg']) {
      expect(find(report, name)).toMatchObject({ status: 'ok' });
    }
  });

  it('is reported by svc doctor with the command to install it', () => {
    const installation = install('optional', tarball, ['--ignore-scripts'], withoutCompiler());
    rmSync(join(installation.root, 'node_modules', 'onnxruntime-node'), { recursive: true });
    const missing = find(doctor(installation), 'onnx cpu');
    expect(missing).toMatchObject({ status: 'missing' });
    const [, command = ''] = /^install it with: (npm install --global .+)$/.exec(missing?.remedy ?? '') ?? [];
    succeed('sh', ['-c', command]);
    expect(find(doctor(installation), 'onnx cpu')).toMatchObject({ status: 'ok' });
  });
});

describe('the package on a platform without a prebuilt addon', () => {
  let sources: string;
  beforeAll(() => {
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    succeed('tar', ['-xzf', tarball, '-C', unpacked]);
    rmSync(join(unpacked, 'package', 'native', 'prebuilds'), { recursive: true });
    sources = join(folder, 'svc-sources.tgz');
    succeed('tar', ['-czf', sources, '-C', unpacked, 'package']);
  });

  it('builds the addon', () => {
    const installation = install('sources', sources, [], { ONNXRUNTIME_NODE_INSTALL: 'skip' });
    expect(existsSync(join(installation.root, 'native', 'build', 'Release', 'svc.node'))).toBe(true);
    expectSpeech(installation);
    expect(find(doctor(installation), 'addon')).toMatchObject({ status: 'ok', details: { origin: 'built here' } });
  });

  it('gets ggml for Linux arm64 from the registry, where Node then finds it', () => {
    const place = join(folder, 'arm64');
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{}');
    const script = pathToFileURL(join(root, 'scripts', 'ggml-libraries.mjs')).href;
    const call = `(await import('${script}')).addGgmlLibraries('${place}', 'linux-arm64')`;
    succeed(process.execPath, ['--input-type=module', '--eval', call]);
    const library = join('node_modules', '@node-llama-cpp', 'linux-arm64', 'bins', 'linux-arm64', 'libggml-base.so');
    const { mtimeMs, size } = lstatSync(join(place, library));
    expect(size).toBeGreaterThan(500_000);
    // Only once.
    succeed(process.execPath, ['--input-type=module', '--eval', call]);
    expect(lstatSync(join(place, library)).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(join(place, 'node_modules', '@node-llama-cpp'))).toEqual(['linux-arm64']);
  });

  it('also installs without a compiler: ONNX models run, and the suggested fix works', () => {
    const installation = install('neither', sources, [], { ...withoutCompiler(), ONNXRUNTIME_NODE_INSTALL: 'skip' });
    const report = doctor(installation);
    const { remedy = '' } = find(report, 'addon') ?? {};
    expect(find(report, 'addon')).toMatchObject({ status: 'failed', code: 'BACKEND_UNAVAILABLE' });
    expect(find(report, 'onnx cpu')).toMatchObject({ status: 'ok' });
    const { code, stderr } = installation.svc(['tts', '--text', 'Hello.', '--output', join(folder, 'none.wav')]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^svc: error: the native addon .*\n$/);
    const [, script = ''] = /run: node (\S+)$/.exec(remedy) ?? [];
    succeed(process.execPath, [script]);
    expectSpeech(installation);
  });
});

describe('the package as a library', () => {
  let project: string;
  beforeAll(() => {
    project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const nodeTypes = `@types/node@${devDependencies['@types/node']}`;
    // The compiler of the project, and the last one before it was rewritten.
    const compilers = ['typescript@5.9', `typescript-now@npm:typescript@${devDependencies.typescript}`];
    succeed('npm', ['install', '--prefix', project, '--ignore-scripts', tarball, nodeTypes, ...compilers]);
  });

  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    // For `await using` in the examples.
    lib: ['es2022', 'esnext.disposable'],
    types: ['node'],
    // Also check the package's own types.
    skipLibCheck: false,
    outDir: 'out',
  };

  function compile(module: string, files: readonly string[], compiler = 'typescript-now'): Outcome {
    const moduleResolution = module === 'esnext' ? 'bundler' : module;
    const options = { compilerOptions: { ...compilerOptions, module, moduleResolution }, files };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options));
    const tsc = join(project, 'node_modules', compiler, 'lib', 'tsc.js');
    return execute(process.execPath, [tsc, '--project', project]);
  }

  it('has self-contained types and runs the examples', () => {
    const names = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.ts'));
    for (const name of names) cpSync(join(root, 'examples', name), join(project, name));
    expect(compile('nodenext', names)).toMatchObject({ code: 0, stdout: '' });
    const path = join(folder, 'library.wav');
    succeed(process.execPath, [join(project, 'out', 'speak.js'), 'Hello there.', path]);
    expect(decodeWav(readFileSync(path)).samples.length).toBeGreaterThan(5000);
  });

  const body = `
    const engine: Engine = await createEngine();
    const { samples, sampleRate } = await engine.synthesize({ text: 'Hello.', seed: 7, speed: 1.2 });
    const bytes: Uint8Array = await encodeAudio(samples, { format: 'mp3', sampleRate });
    await engine.close();
    console.log(bytes.length);`;

  it.each(['typescript', 'typescript-now'])('has types for ES modules and CommonJS, with %s', (compiler) => {
    const from = `from 'voxcpm'`;
    writeFileSync(join(project, 'esm.mts'), `import { createEngine, encodeAudio, type Engine } ${from};${body}`);
    const type = `import type { Engine } ${from} with { 'resolution-mode': 'import' };`;
    const load = `const { createEngine, encodeAudio } = await import('voxcpm');`;
    writeFileSync(join(project, 'cjs.cts'), `${type}\n(async () => { ${load}${body} })();`);
    writeFileSync(join(project, 'require.cts'), `import { createEngine } ${from};\ncreateEngine();`);
    for (const module of ['node16', 'nodenext']) {
      expect(compile(module, ['esm.mts', 'cjs.cts'], compiler)).toMatchObject({ code: 0, stdout: '' });
    }
    expect(compile('esnext', ['esm.mts'], compiler)).toMatchObject({ code: 0, stdout: '' });
    // Before Node 20.19 it could not be loaded so.
    expect(compile('node16', ['require.cts'], compiler).stdout).toContain(`dynamic 'import("voxcpm")' call`);
    for (const name of ['esm.mjs', 'cjs.cjs']) {
      compile('nodenext', ['esm.mts', 'cjs.cts'], compiler);
      expect(Number(succeed(process.execPath, [join(project, 'out', name)]).stdout)).toBeGreaterThan(1000);
    }
  });

  it('stays outside of bundles of esbuild, as docs/bundlers.md says', () => {
    const esbuild = join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
    writeFileSync(join(project, 'app.mts'), `import { createEngine, encodeAudio, type Engine } from 'voxcpm';${body}`);
    for (const external of ['--packages=external', '--external:voxcpm']) {
      const settings = ['--bundle', '--platform=node', '--format=esm', external, `--outfile=${project}/bundle.mjs`];
      succeed(esbuild, [join(project, 'app.mts'), ...settings]);
      expect(Number(succeed(process.execPath, [join(project, 'bundle.mjs')]).stdout)).toBeGreaterThan(1000);
    }
  });
});
