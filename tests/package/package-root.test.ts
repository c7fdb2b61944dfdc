import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findPackage } from '../../src/package/package-root.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
});

afterEach(async () => rm(folder, { recursive: true, force: true }));

describe('findPackage', () => {
  it('finds this package from its sources', () => {
    expect(findPackage()).toMatchObject({ root: process.cwd() });
  });

  it('skips other packages and invalid files', async () => {
    const inner = join(folder, 'node_modules', 'inner', 'dist');
    await mkdir(inner, { recursive: true });
    await writeFile(
      join(folder, 'package.json'),
      '{"name":"voxcpm","version":"1.2.3","optionalDependencies":{"a":"1"},"peerDependencies":{"b":"^2"}}',
    );
    await writeFile(join(inner, 'package.json'), '{"type":"module"');
    await writeFile(join(inner, '..', 'package.json'), '{"name":"inner","version":"9.9.9"}');
    expect(findPackage(inner)).toEqual({ root: folder, version: '1.2.3', optional: { a: '1', b: '^2' } });
  });

  it('reports a missing package', () => {
    expect(() => findPackage(folder)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
