import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPackage } from '../../src/package/package-root.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

describe('findPackage', () => {
  it('finds this package from its sources', () => {
    expect(findPackage()).toMatchObject({ root: process.cwd() });
  });

  it('skips other packages and invalid files', async () => {
    const inner = folder.join('node_modules', 'inner', 'dist');
    await mkdir(inner, { recursive: true });
    await writeFile(
      folder.join('package.json'),
      '{"name":"voxcpm","version":"1.2.3","optionalDependencies":{"a":"1"},"peerDependencies":{"b":"^2"}}',
    );
    await writeFile(join(inner, 'package.json'), '{"type":"module"');
    await writeFile(join(inner, '..', 'package.json'), '{"name":"inner","version":"9.9.9"}');
    expect(findPackage(inner)).toEqual({ root: folder.path, version: '1.2.3', optional: { a: '1', b: '^2' } });
  });

  it('reports a missing package', () => {
    expect(() => findPackage(folder.path)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
