import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect, it } from '@jest/globals';

type Variables = Readonly<Record<string, string>>;

/** In a process of its own, whose home follows its variables. */
function foldersOf(variables: Variables, platform: NodeJS.Platform): unknown {
  const script = `import('./src/files/user-folders.ts').then(({ userFolder }) =>
    console.log(JSON.stringify(['data', 'cache'].map((kind) => userFolder(kind, '${platform}')))))`;
  const settings = ['--import', './tests/runner/register.js', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, settings, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...variables },
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const anna = '/home/anna';
const usual = ['/home/anna/.local/share/svc', '/home/anna/.cache/svc'];
const rootless = ['/.local/share/svc', '/.cache/svc'];

describe('the folders of a user', () => {
  it.each<readonly [Variables, readonly string[]]>([
    [{ HOME: anna }, usual],
    [{ HOME: anna, XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' }, ['/data/svc', '/cache/svc']],
    // Relative ones are ignored, as the specification demands.
    [{ HOME: anna, XDG_DATA_HOME: 'data', XDG_CACHE_HOME: './cache' }, usual],
    [{ HOME: anna, XDG_DATA_HOME: '' }, usual],
    [{ HOME: '' }, rootless],
  ])('with %j are %j on Linux', (variables, folders) => {
    expect(foldersOf(variables, 'linux')).toEqual(folders);
  });

  it('are those of the system elsewhere', () => {
    const library = '/Users/anna/Library';
    expect(foldersOf({ HOME: '/Users/anna' }, 'darwin')).toEqual([
      `${library}/Application Support/svc`,
      `${library}/Caches/svc`,
    ]);
  });
});
