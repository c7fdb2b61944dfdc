import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = process.cwd();

// npm omits optional packages that don't support the machine or whose script fails; `prepare` runs anyway.
it('compiles without optional dependencies', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const compiler = join(root, 'node_modules', 'typescript', 'lib', 'tsc.js');
  const files = execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--listFilesOnly'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n');
  expect(files.some((file) => file.includes('/node_modules/onnxruntime-common/'))).toBe(true);
  const optional = Object.keys(optionalDependencies).map((name) => `/node_modules/${name}/`);
  expect(optional.length).toBeGreaterThan(5);
  expect(files.filter((file) => optional.some((folder) => file.includes(folder)))).toEqual([]);
});
