import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { nativeSources } from '../support/native-sources.ts';
import { sharedFolder } from '../support/test-folder.ts';

const root = process.cwd();
const folder = sharedFolder();
const megabyte = 1e6;

/** Files that `npm pack` would pack, without a build. It compresses all that it lists, so it gets empty ones. */
let paths: readonly string[];
beforeAll(() => {
  copyEmpty(root, folder);
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(text) as [{ readonly files: readonly { readonly path: string }[] }];
  paths = files.map(({ path }) => path);
});

const sizeIn = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + lstatSync(join(root, name)).size, 0);

/** Files that decide what is packed. */
const deciding = ['package.json', '.gitignore', '.npmignore'];

function copyEmpty(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (deciding.includes(entry.name)) copyFileSync(source, copy);
    else if (!entry.isDirectory()) writeFileSync(copy, '');
    else if (!['node_modules', '.git', '.cache'].includes(entry.name)) {
      mkdirSync(copy);
      copyEmpty(source, copy);
    }
  }
}

describe('the package', () => {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)));

  it('contains everything needed to run', () => {
    const docs = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'];
    const pages = ['playground', 'local', 'docs'].flatMap((page) =>
      ['index.html', 'main.js', 'style.css', 'theme.js', 'icon.svg'].map((name) => `${page}/${name}`),
    );
    const needed = [
      'bin/svc.js',
      'models/demo.gguf',
      'LICENSE',
      'README.md',
      'THIRD_PARTY.md',
      ...[...docs.map((name) => `docs/${name}`), ...pages].map((name) => `dist/web/${name}`),
      ...below('models/voices'),
    ];
    expect(paths).toEqual(expect.arrayContaining(needed));
  });

  it('contains everything needed to build from source', () => {
    const { folders, probeFolder, gpuFolders, buildFiles } = nativeSources();
    expect(paths).toEqual(expect.arrayContaining(folders.flatMap((name) => below(`native/${name}`))));
    expect(
      paths.filter((path) => [probeFolder, ...gpuFolders].some((name) => path.startsWith(`native/${name}`))),
    ).toEqual([]);
    const others = [...buildFiles, 'ggml/ggml.h', 'ggml/LICENSE'].map((name) => `native/${name}`);
    expect(paths).toEqual(expect.arrayContaining(others));
    const { scripts, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts.install).toBe('node scripts/install.mjs');
    // Each packed script, with the scripts and packages that it imports.
    const packed = paths.filter((path) => path.startsWith('scripts/') && path.endsWith('.mjs'));
    expect(packed).toContain('scripts/install.mjs');
    for (const path of packed) {
      const source = readFileSync(join(root, path), 'utf8');
      for (const [, specifier = ''] of source.matchAll(/(?:from|run\(|resolve\(|\)\()\s*'([^']+)'/g)) {
        if (specifier.startsWith('.')) expect(paths).toContain(join('scripts', specifier));
        else if (specifier.endsWith('.mjs')) expect(paths).toContain(`scripts/${specifier}`);
        // An installed package builds with the node-gyp of npm.
        else if (!/^(node:|node-gyp\/)/.test(specifier)) {
          expect(dependencies).toHaveProperty([specifier.split('/')[0] ?? '']);
        }
      }
    }
  });

  it('contains nothing else', () => {
    const strange = paths.filter((path) =>
      /(^|\/)(tests?|fixtures|examples|\.ci|build|native\/generated)\//.test(path),
    );
    expect(strange).toEqual([]);
    expect(paths.filter((path) => path.endsWith('.map'))).toEqual([]);
    expect(paths.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    // Includes the demo model (22 MB) and onnxruntime for browsers (10 MB); a release has the addons of all platforms too.
    expect(sizeIn(paths.filter((path) => !path.startsWith('native/prebuilds/')))).toBeLessThan(56e6);
  });
});

interface Locked {
  readonly dev?: boolean;
}

/** Bytes of the files of a package, without those of packages inside. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return sum + lstatSync(path).size;
    return entry.name === 'node_modules' ? sum : sum + sizeOf(path);
  }, 0);
}

/** Size of `npm install --global` on this machine; `tests/system/packaging.test.ts` weighs a real installation. */
describe('an installation', () => {
  let packages: ReadonlyMap<string, number>;
  beforeAll(() => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, Locked>>;
    };
    const installed = Object.entries(lock.packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]));
    packages = new Map(
      installed.filter((path) => existsSync(join(root, path))).map((path) => [path, sizeOf(join(root, path))]),
    );
  });

  const total = (): number => sizeIn(paths) + [...packages.values()].reduce((sum, size) => sum + size, 0);

  it('stays within 445 MB, 137 of them without onnxruntime, with the addons of all platforms', () => {
    const onnxruntime = packages.get('node_modules/onnxruntime-node') ?? 0;
    expect(onnxruntime).toBeGreaterThan(megabyte);
    expect(total()).toBeLessThan(445 * megabyte);
    expect(total() - onnxruntime).toBeLessThan(137 * megabyte);
  });

  it('has none of the optional peers, and no package that is inlined or needed for builds alone', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const others = ['mediabunny', '@huggingface/hub', '@libav.js/variant-obsolete', 'node-gyp', 'tar'];
    for (const name of [...Object.keys(peerDependencies), ...others]) {
      expect(packages.has(`node_modules/${name}`)).toBe(false);
    }
  });

  /** Text for clients, with imports of theirs. */
  const codeSamples = join('server', 'openapi', 'samples.js');

  it('has no compiled module that imports a package it lacks', () => {
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const known = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    const modules = ['src', 'export'].flatMap((folder) =>
      readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js') && name !== codeSamples)
        .map((name) => join(root, 'dist', folder, name)),
    );
    expect(modules.length).toBeGreaterThan(100);
    const unknown = modules.flatMap((path) =>
      [
        ...readFileSync(path, 'utf8').matchAll(
          /(?:^(?:import|export)\b[^'"]*? from |\bimport\()\s*['"]([^'".$][^'"]*)['"]/gm,
        ),
      ]
        .map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
        .filter((name) => !isBuiltin(name) && !Object.hasOwn(known, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
