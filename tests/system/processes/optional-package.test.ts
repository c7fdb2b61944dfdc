import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkPackages } from '../../../src/cli/doctor/system.ts';
import {
  loadOptional,
  optionalCommand,
  optionalPackages,
  optionalVersion,
} from '../../../src/package/optional-package.ts';
import { outcomeOf } from '../../support/children.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { freshFolder } from '../../support/test-folder.ts';

const root = process.cwd();
const prefix = `npm install --no-save --prefix ${root} --ignore-scripts`;

const folder = freshFolder();

describe('loadOptional', () => {
  const failing = (code: string, message: string) => () => Promise.reject(Object.assign(new Error(message), { code }));

  it('gives what is loaded', async () => {
    expect(await loadOptional('playback', async () => 7)).toBe(7);
  });

  it('names all that a feature needs, with one command', async () => {
    const load = failing('ERR_MODULE_NOT_FOUND', "Cannot find package 'ioredis' imported from /somewhere");
    await expect(loadOptional('svc worker', load)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      exitCode: 5,
      message: `svc worker needs bullmq and ioredis; install them with: ${prefix} bullmq@6.7.0 ioredis@6`,
    });
  });

  it.each([
    ['ERR_MODULE_NOT_FOUND', "Cannot find package 'luxon' imported from bullmq"],
    ['ERR_DLOPEN_FAILED', "cannot load 'bullmq'"],
  ])('leaves another failure (%s) as it is', async (code, message) => {
    await expect(loadOptional('svc worker', failing(code, message))).rejects.toMatchObject({ code, message });
  });
});

describe('optionalVersion', () => {
  it('looks where Node looks: in the package, beside it, and above', async () => {
    const inner = folder.join('lib', 'node_modules', 'voxcpm');
    const install = async (place: string, version: string): Promise<void> => {
      await mkdir(join(place, 'node_modules', 'pg'), { recursive: true });
      await writeFile(join(place, 'node_modules', 'pg', 'package.json'), JSON.stringify({ version }));
    };
    await mkdir(inner, { recursive: true });
    expect(optionalVersion('pg', inner)).toBeUndefined();
    await install(folder.join('lib'), '8.1.0');
    expect(optionalVersion('pg', inner)).toBe('8.1.0');
    await install(inner, '8.2.0');
    expect(optionalVersion('pg', inner)).toBe('8.2.0');
  });
});

describe('the optional packages', () => {
  it('are all in package.json, and installed in a clone', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const names = [...new Set<string>(Object.values(optionalPackages).flat())];
    for (const name of names) {
      expect({ ...manifest.peerDependencies, ...manifest.optionalDependencies }).toHaveProperty([name]);
      expect(optionalVersion(name)).toBeDefined();
    }
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.peerDependencies)));
    for (const [name, range] of Object.entries(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
      expect(manifest.devDependencies[name]).toBe(range);
      expect(manifest.dependencies).not.toHaveProperty([name]);
    }
    expect(checkPackages().map(({ name }) => name)).toEqual(names.sort());
    expect(optionalCommand(['pg'])).toBe(`${prefix} pg@8`);
  });

  it.each([
    ['bullmq', 'svc worker', ['worker', '--broker', 'redis://127.0.0.1:1'], 'bullmq@6.7.0 ioredis@6'],
    ['ioredis', 'svc worker', ['worker', '--broker', 'redis://127.0.0.1:1'], 'bullmq@6.7.0 ioredis@6'],
    ['bullmq', 'svc serve --broker', ['serve', '--broker', 'redis://127.0.0.1:1'], 'bullmq@6.7.0 ioredis@6'],
    ['ioredis', 'svc serve --broker', ['serve', '--broker', 'redis://127.0.0.1:1'], 'bullmq@6.7.0 ioredis@6'],
    ['pg', 'a voice store in PostgreSQL', ['voices', 'list'], 'pg@8'],
  ])('without %s, %s says so in one line', async (missing, feature, parameters, specifiers) => {
    const { code, stderr } = await svc(parameters, missing);
    const names = specifiers.replaceAll(/@[\d.]+/g, '').replace(' ', ' and ');
    expect(stderr.replace(/^svc: (error: )?/, '')).toBe(
      `${feature} needs ${names}; install ${names.includes(' ') ? 'them' : 'it'} with: ${prefix} ${specifiers}\n`,
    );
    expect(code).toBe(5);
  });
});

/** Runs a command as a process in which one package is not installed. */
function svc(parameters: readonly string[], missing: string) {
  const hook = join(root, 'tests', 'support', 'without-packages.mjs');
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import ${hook}`,
    TEST_WITHOUT: missing,
    SVC_DATABASE_URL: parameters[0] === 'voices' ? 'postgres://127.0.0.1:1/voices' : '',
    SVC_SQLITE_PATH: folder.join('voices.sqlite'),
  };
  return outcomeOf(spawn(process.execPath, [svcProgram, ...parameters], { env, timeout: 60_000 }));
}
