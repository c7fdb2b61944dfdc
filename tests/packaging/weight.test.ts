import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

const root = process.cwd();
const megabyte = 1e6;

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

/** What `npm install --global` brings to this machine; `tests/system/packaging.test.ts` weighs a real installation. */
describe('an installation', () => {
  let own: number;
  let packages: ReadonlyMap<string, number>;
  beforeAll(() => {
    const parameters = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const listing = execFileSync('npm', parameters, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    own = (JSON.parse(listing) as [{ readonly unpackedSize: number }])[0].unpackedSize;
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, Locked>>;
    };
    const paths = Object.entries(lock.packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]));
    packages = new Map(
      paths.filter((path) => existsSync(join(root, path))).map((path) => [path, sizeOf(join(root, path))]),
    );
  });

  const total = (): number => own + [...packages.values()].reduce((sum, size) => sum + size, 0);

  it('stays within 435 MB, 130 of them without onnxruntime', () => {
    const onnxruntime = packages.get('node_modules/onnxruntime-node') ?? 0;
    expect(onnxruntime).toBeGreaterThan(megabyte);
    expect(total()).toBeLessThan(435 * megabyte);
    expect(total() - onnxruntime).toBeLessThan(130 * megabyte);
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
