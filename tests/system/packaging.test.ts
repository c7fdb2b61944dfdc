import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeWav } from '../../src/audio/wav.ts';
import type { Check, Report } from '../../src/cli/doctor/check.ts';

/** The package as users get it: packed, installed elsewhere, run outside of this repository. Needs the registry. */
const root = process.cwd();

// Five installations and two builds, on machines that have others to serve.
jest.setTimeout(1_800_000);

let folder: string;
let tarball: string;
/** A PATH with node, npm and a shell, and without compiler, make, python and git. */
let bare: string;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(command: string, parameters: readonly string[], variables: NodeJS.ProcessEnv = {}): Outcome {
  // What npm tells scripts, this test too, is not for the npm that is tested.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^(NODE_PATH|INIT_CWD)$/.test(name));
  const env = { ...Object.fromEntries(own), ...variables };
  const { status, stdout, stderr, error } = spawnSync(command, parameters, { cwd: folder, encoding: 'utf8', env });
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
  readonly seconds: number;
}

/** `npm install --global` into a folder of its own. */
function install(name: string, file: string, settings: readonly string[], variables: NodeJS.ProcessEnv): Installation {
  const prefix = join(folder, name);
  const start = performance.now();
  succeed('npm', ['install', '--global', '--prefix', prefix, ...settings, file], variables);
  const seconds = (performance.now() - start) / 1000;
  const svc = join(prefix, 'bin', 'svc');
  return {
    svc: (parameters, more = {}) => execute(svc, parameters, { ...withoutCompiler(), ...more }),
    root: join(prefix, 'lib', 'node_modules', 'svc'),
    seconds,
  };
}

function doctor(installation: Installation, code = 0): Report {
  const outcome = installation.svc(['doctor', '--json']);
  expect(outcome.code).toBe(code);
  return JSON.parse(outcome.stdout) as Report;
}

const find = ({ checks }: Report, name: string): Check | undefined => checks.find((check) => check.name === name);

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
  folder = mkdtempSync(join(tmpdir(), 'svc-packaging-'));
  bare = join(folder, 'bare');
  mkdirSync(bare);
  for (const name of ['node', 'npm', 'sh', 'env', 'uname']) {
    const found = (process.env.PATH ?? '')
      .split(delimiter)
      .map((place) => join(place, name))
      .find(existsSync);
    if (found !== undefined) symlinkSync(found, join(bare, name));
  }
  succeed('npm', ['pack', '--silent', '--pack-destination', folder, root]);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  tarball = join(folder, name ?? '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package, installed without a compiler', () => {
  it('speaks and tells what the machine can run', () => {
    const installation = install('plain', tarball, [], withoutCompiler());
    console.log(`installed in ${installation.seconds.toFixed(1)} s`);
    expect(existsSync(join(installation.root, 'native', 'build'))).toBe(false);
    expectSpeech(installation);
    const report = doctor(installation);
    expect(find(report, 'addon')).toMatchObject({ status: 'ok', details: { origin: 'prebuilt' } });
    for (const name of ['speech', 'audio', 'ffmpeg', 'voices', 'demo model']) {
      expect(find(report, name)).toMatchObject({ status: 'ok' });
    }
  });

  it('has both engines when no script may run', () => {
    const installation = install('no-scripts', tarball, ['--ignore-scripts'], withoutCompiler());
    expectSpeech(installation);
    const report = doctor(installation);
    expect(find(report, 'addon')).toMatchObject({ status: 'ok', details: { origin: 'prebuilt' } });
    expect(find(report, 'onnx cpu')).toMatchObject({ status: 'ok' });
  });
});

describe('an optional package that is missing from a global installation', () => {
  it('is told by svc doctor, with the command that adds it', () => {
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

  it('installs all the same without a compiler: ONNX models run, and the remedy works', () => {
    const installation = install('neither', sources, [], { ...withoutCompiler(), ONNXRUNTIME_NODE_INSTALL: 'skip' });
    const report = doctor(installation);
    const { remedy = '' } = find(report, 'addon') ?? {};
    expect(find(report, 'addon')).toMatchObject({ status: 'failed', code: 'BACKEND_UNAVAILABLE' });
    expect(find(report, 'onnx cpu')).toMatchObject({ status: 'ok' });
    const { code, stderr } = installation.svc(['tts', '--text', 'Hello.', '--output', join(folder, 'none.wav')]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^svc: error: expected the native addon .*\n$/);
    const [, script = ''] = /with: node (\S+)$/.exec(remedy) ?? [];
    succeed(process.execPath, [script]);
    expectSpeech(installation);
  });
});

describe('the package as a library', () => {
  it('brings types that need nothing else, and runs the examples', () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const nodeTypes = `@types/node@${devDependencies['@types/node']}`;
    succeed('npm', ['install', '--prefix', project, '--ignore-scripts', tarball, nodeTypes]);
    for (const name of readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.ts'))) {
      cpSync(join(root, 'examples', name), join(project, name));
    }
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      moduleResolution: 'nodenext',
      target: 'es2022',
      // `await using` of the examples.
      lib: ['es2022', 'esnext.disposable'],
      types: ['node'],
      // The types of the package themselves are checked as well.
      skipLibCheck: false,
      outDir: 'out',
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const compiler = join(root, 'node_modules', 'typescript', 'lib', 'tsc.js');
    expect(execute(process.execPath, [compiler, '--project', project])).toMatchObject({ code: 0, stdout: '' });
    const path = join(folder, 'library.wav');
    succeed(process.execPath, [join(project, 'out', 'speak.js'), 'Hello there.', path]);
    expect(decodeWav(readFileSync(path)).samples.length).toBeGreaterThan(5000);
  });
});
