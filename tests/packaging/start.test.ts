import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { describeOldNode } from '../../bin/node-version.js';
import { freshFolder } from '../support/test-folder.ts';

const root = process.cwd();
const version = (text: string): string =>
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${text}"})`;
const advice = /^svc needs Node\.js 20\.17 or newer, this is 18\.20\.4 \(.+\); see https:\/\/nodejs\.org\S+\n$/;

function run(script: string, { cwd = root, imports = [] as readonly string[], variables = {} } = {}) {
  const settings = imports.flatMap((name) => ['--import', name]);
  const env = { ...process.env, ...variables };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...settings, script], { cwd, encoding: 'utf8', env });
  return { code: status, stdout, stderr };
}

describe('an old Node.js', () => {
  it.each(['18.20.4', '20.16.0', '16.0.0'])('%s is refused', (old) => {
    expect(describeOldNode(old)).toContain(`this is ${old} `);
  });

  it.each(['20.17.0', '20.20.2', '22.0.0', '100.1.0'])('%s is accepted', (recent) => {
    expect(describeOldNode(recent)).toBeUndefined();
  });

  it.each(['bin/svc.js', 'scripts/install.mjs'])('gets one sentence from %s', (script) => {
    const outcome = run(script, { imports: [version('18.20.4')] });
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(advice) });
  });
});

describe('the first npx svc in a clone', () => {
  it.each([
    ['scripts/install.mjs', 'native/build/Release/svc.node'],
    ['scripts/prepare.mjs', 'dist/src/cli/main.js'],
  ])('does not need %s to rebuild %s', (script, product) => {
    const before = statSync(product, { bigint: true }).mtimeNs;
    expect(run(script, { variables: { npm_command: 'exec' } })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(product, { bigint: true }).mtimeNs).toBe(before);
  });
});

describe('a clone without its compilers', () => {
  const folder = freshFolder();
  beforeEach(() => {
    for (const name of ['bin', 'package.json', 'scripts/prepare.mjs']) {
      cpSync(join(root, name), folder.join(name), { recursive: true });
    }
    mkdirSync(folder.join('node_modules'));
  });

  it('prepares with a warning', () => {
    const { code, stderr } = run('scripts/prepare.mjs', { cwd: folder.path });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^svc: warning: nothing was compiled, because esbuild is not installed; .+\n$/);
  });

  it('is distinguished from a compiled one', () => {
    const { code, stderr } = run('bin/svc.js', { cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toBe(`svc is not compiled yet; run: npm run --prefix ${folder.path}/ prepare\n`);
  });
});
