import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = process.cwd();

// npm omits optional packages that don't support the machine or whose script fails; `prepare` runs anyway.
it('compiles without optional dependencies', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // `tests/runner/compile.js` compiles all that a build does, and leaves the list of what the compiler read.
  const information = readFileSync(join(root, '.cache', 'compiled', 'tsconfig.tsbuildinfo'), 'utf8');
  const { fileNames: files } = JSON.parse(information) as { readonly fileNames: readonly string[] };
  expect(files.some((file) => file.includes('/node_modules/onnxruntime-common/'))).toBe(true);
  const optional = Object.keys(optionalDependencies).map((name) => `/node_modules/${name}/`);
  expect(optional.length).toBeGreaterThan(5);
  expect(files.filter((file) => optional.some((folder) => file.includes(folder)))).toEqual([]);
});
