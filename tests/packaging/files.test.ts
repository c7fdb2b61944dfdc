import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

const root = process.cwd();

interface Listing {
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Files that `npm pack` would pack, without a build. */
describe('the package', () => {
  let paths: readonly string[];
  let size: number;
  beforeAll(() => {
    const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [listing] = JSON.parse(text) as [Listing];
    paths = listing.files.map(({ path }) => path);
    size = listing.size;
  });

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
    const folders = ['addon', 'kernels', 'model', 'runtime'].map((name) => `native/${name}`);
    const gyp = readFileSync(join(root, 'native', 'binding.gyp'), 'utf8');
    for (const folder of folders) expect(gyp).toContain(`'${folder.replace('native/', '')}'`);
    expect(paths).toEqual(expect.arrayContaining(folders.flatMap(below)));
    expect(paths).toEqual(expect.arrayContaining(['native/binding.gyp', 'native/ggml/ggml.h', 'native/ggml/LICENSE']));
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
    const strange = paths.filter((path) => /(^|\/)(tests?|fixtures|examples|\.ci|build|generated)\//.test(path));
    expect(strange).toEqual([]);
    expect(paths.filter((path) => path.endsWith('.map'))).toEqual([]);
    expect(paths.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    // Includes the demo model (22 MB) and onnxruntime for browsers (10 MB).
    expect(size).toBeLessThan(40e6);
  });
});
