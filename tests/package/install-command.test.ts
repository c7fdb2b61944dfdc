import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { installCommand } from '../../src/package/install-command.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

function svcIn(...path: readonly string[]): string {
  const root = folder.join(...path, 'voxcpm');
  mkdirSync(root, { recursive: true });
  return root;
}

it('installs next to a global svc', () => {
  const root = svcIn('lib', 'node_modules');
  expect(installCommand('a@1', root)).toBe(`npm install --global --prefix ${folder.path} --ignore-scripts a@1`);
});

it('installs in the project that depends on svc', () => {
  const root = svcIn('node_modules');
  writeFileSync(folder.join('package.json'), '{}');
  expect(installCommand('a', root)).toBe(`npm install --prefix ${folder.path} --ignore-scripts a`);
});

it('installs in a clone without changing package.json', () => {
  const root = svcIn('my projects');
  expect(installCommand('a', root)).toBe(`npm install --no-save --prefix "${root}" --ignore-scripts a`);
});
