/** A package with a GPU library that fails on request, and programs that find it as if it were installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { loadNative, packageFor } from '../../../src/engine/backends/native/load-addon.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { compileOnce } from './compile-once.ts';

export type Fault =
  | 'good'
  | 'abort-loading'
  | 'abort-product'
  | 'hang'
  | 'hang-loading'
  | 'no-memory'
  | 'lost'
  | 'wrong';

export interface FakePackage {
  /** Path of the library. */
  readonly library: string;
  /** Variables with which svc finds the package, and none that is installed. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Puts the library into a package in `folder`. */
export function makeFakePackage(folder: string): FakePackage {
  const [name = '', version = ''] = packageFor('ggml-cuda').split(/(?<=.)@/);
  const root = join(folder, 'node_modules', name);
  const bins = join(root, 'bins', 'cuda');
  const library = join(bins, 'libggml-cuda.so');
  mkdirSync(join(root, 'dist'), { recursive: true });
  mkdirSync(bins, { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name, version, main: 'dist/index.js' }));
  writeFileSync(join(root, 'dist', 'index.js'), '');
  const [libraries = ''] = loadNative().directories;
  const source = join(import.meta.dirname, 'fake_gpu.cc');
  const headers = join(process.cwd(), 'native', 'ggml');
  const names = readdirSync(libraries).filter((entry) => /^libggml(?:-base\.so|\.v.*)$/.test(entry));
  const options = ['-L', libraries, ...names.map((entry) => `-l:${entry}`)];
  copyFileSync(compileOnce(source, { options, headers }), library);
  return { library, environment: { NODE_PATH: join(folder, 'node_modules') } };
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

export const startSvc = (argv: readonly string[], variables: Variables): ChildProcess =>
  spawn(process.execPath, [svcProgram, ...argv], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

export async function runSvc(argv: readonly string[], variables: Variables): Promise<Outcome> {
  const child = startSvc(argv, variables);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
