/** Checks the package's addons for macOS as far as that goes without a Mac: what dyld would look for is there. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { crossCompiler, crossCompileUnoptimized } from './compiled-project.ts';

interface Facts {
  readonly processor: string;
  readonly libraries: readonly string[];
  readonly commands: readonly string[];
  readonly oldest: readonly number[];
  readonly imported: readonly string[];
  readonly exported: readonly string[];
  readonly isSigned: boolean;
}

const root = process.cwd();

let folder: string;
/** Functions of Node-API, and symbols of the system's library as Apple lists them. */
let known: ReadonlySet<string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-macos-'));
  const { program, nodeApi } = await crossCompiler();
  const list = readFileSync(join(nodeApi, 'def', 'node_api.def'), 'utf8');
  const system = readFileSync(join(dirname(program), 'lib', 'libc', 'darwin', 'libSystem.tbd'), 'utf8');
  known = new Set([
    ...(list.match(/^\s*napi_\w+|^\s*node_api_\w+/gm) ?? []).map((name) => `_${name.trim()}`),
    ...(system.match(/[\w$.]+/g) ?? []),
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Symbols of the C++ library. */
const isOfLibrary = (name: string): boolean =>
  /^__Z(T[ISTV])?N?K?(St|10__cxxabiv1)|^__Z(n[aw]|d[al])[Pm]|^___(cxa_|gxx_|dynamic_cast$)/.test(name);

it.each([
  ['darwin-arm64', 'ARM64', []],
  // The C++ library, the same for both processors, takes as long to compile as the addon.
  ['darwin-x64', 'X86_64', ['-nostdlib++']],
])('%s: needs nothing that macOS 14 and Node.js lack', async (platform, processor, linker) => {
  const path = join(folder, `${platform}.node`);
  await crossCompileUnoptimized(platform, path, linker);
  const script = join(root, 'tests', 'system', 'macos', 'facts.py');
  const facts = JSON.parse(execFileSync('python3', [script, path], { encoding: 'utf8' })) as Facts;
  expect(facts).toMatchObject({
    processor,
    libraries: ['/usr/lib/libSystem.B.dylib'],
    oldest: [14, 0, 0],
    // Apple's processors run nothing that is not signed, be it by nobody.
    isSigned: processor === 'ARM64',
  });
  expect(facts.commands).not.toContain('RPATH');
  expect(facts.exported).toContain('_napi_register_module_v1');
  expect(facts.imported).toEqual(expect.arrayContaining(['_napi_create_function', '_dlopen', '_malloc']));
  const missing = facts.imported.filter((name) => !known.has(name));
  expect(missing.filter((name) => linker.length === 0 || !isOfLibrary(name))).toEqual([]);
  const bytes = readFileSync(path, 'latin1');
  expect([root, tmpdir(), '/home/', '/Users/'].filter((text) => bytes.includes(text))).toEqual([]);
});
