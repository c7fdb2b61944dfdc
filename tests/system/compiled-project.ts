/** The project as JavaScript in a folder of its own, for processors and systems that it is not installed on. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = process.cwd();
const executeFile = promisify(execFile);

/**
 * Compiles what imports and runs `programs` to the new folder `project`, with links to the dependencies and models of
 * this one. Packages that are found first go into a `node_modules` beside it.
 *
 * @param programs a folder below `tests`
 */
export async function compileProject(project: string, programs: string): Promise<void> {
  mkdirSync(project);
  for (const name of ['node_modules', 'models']) symlinkSync(join(root, name), join(project, name));
  cpSync(join(root, 'package.json'), join(project, 'package.json'));
  const compilerOptions = {
    rootDir: root,
    outDir: project,
    typeRoots: [join(root, 'node_modules', '@types')],
    noCheck: true,
    declaration: false,
    sourceMap: false,
  };
  const include = ['src', 'export', programs].map((name) => join(root, name));
  const config = join(dirname(project), 'tsconfig.json');
  const exclude = [join(root, 'src', 'web')];
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include, exclude }));
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await executeFile(process.execPath, [compiler, '--project', config], { cwd: project });
}

/** Puts the path of an addon where it is found, as in a package for several platforms. */
export function prebuiltAddon(project: string, platform: string, name: string): string {
  const path = join(project, 'native', 'prebuilds', platform, name);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** Compiles the addon that the package has for a platform, or the same with what golden tests look into. */
export async function crossCompile(platform: string, path: string, contents: 'packed' | 'with probe'): Promise<void> {
  await evaluate(`await crossCompile('${platform}', ${JSON.stringify(path)}, 2, '${contents}')`);
}

/**
 * Compiles the package's addon to be read, not run: not optimized, which leaves in it what optimizing would remove.
 *
 * @param linker further parameters of the linker
 */
export async function crossCompileUnoptimized(
  platform: string,
  path: string,
  linker: readonly string[],
): Promise<void> {
  const further = JSON.stringify({ compiler: ['-O0', '-fno-sanitize=undefined'], linker });
  await evaluate(`await crossCompile('${platform}', ${JSON.stringify(path)}, 2, 'packed', ${further})`);
}

/** The compiler for other platforms, and the folder of Node-API's headers and lists. */
export async function crossCompiler(): Promise<{ readonly program: string; readonly nodeApi: string }> {
  const printed = await evaluate(
    'console.log(JSON.stringify({ program: installCompiler(), nodeApi: fetchNodeApi() }))',
  );
  return JSON.parse(printed);
}

/** Runs a statement with the functions of `scripts/cross-compile.mjs` and returns what it prints. */
async function evaluate(statement: string): Promise<string> {
  const script = pathToFileURL(join(root, 'scripts', 'cross-compile.mjs')).href;
  const names = '{ crossCompile, fetchNodeApi, installCompiler }';
  const program = `const ${names} = await import('${script}'); ${statement}`;
  const { stdout } = await executeFile(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
  return stdout;
}

/** Decibels of expected speech over what differs from it: 24 or more by rounding, below 10 for another seed. */
export function signalToNoise(samples: Float32Array, expected: Float32Array): number {
  let signal = 0;
  let noise = 0;
  for (const [i, value] of expected.entries()) {
    signal += value ** 2;
    noise += (value - (samples[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}
