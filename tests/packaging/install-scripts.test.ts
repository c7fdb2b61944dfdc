import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};

// npm 11 goes by `allowScripts`. npm 10 runs the scripts of packages that have the mark in the lock file, and an update of
// the package sets it again.
it('no script of onnxruntime runs in a clone, which would download CUDA', () => {
  expect(packages['node_modules/onnxruntime-node']).toBeDefined();
  expect(packages['node_modules/onnxruntime-node']?.hasInstallScript).toBeUndefined();
  expect(allowScripts['onnxruntime-node']).toBe(false);
});

// npm 11 warns before each command about a setting that it doesn't know.
it('npm has no settings in a clone', () => expect(existsSync('.npmrc')).toBe(false));
