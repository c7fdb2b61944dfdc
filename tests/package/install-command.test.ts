import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { installCommand } from '../../src/package/install-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-install-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function svcIn(...path: readonly string[]): string {
  const root = join(folder, ...path, 'voxcpm');
  mkdirSync(root, { recursive: true });
  return root;
}

it('installs next to a global svc', () => {
  const root = svcIn('lib', 'node_modules');
  expect(installCommand('a@1', root)).toBe(`npm install --global --prefix ${folder} --ignore-scripts a@1`);
});

it('installs in the project that depends on svc', () => {
  const root = svcIn('node_modules');
  writeFileSync(join(folder, 'package.json'), '{}');
  expect(installCommand('a', root)).toBe(`npm install --prefix ${folder} --ignore-scripts a`);
});

it('installs in a clone without changing package.json', () => {
  const root = svcIn('my projects');
  expect(installCommand('a', root)).toBe(`npm install --no-save --prefix "${root}" --ignore-scripts a`);
});
