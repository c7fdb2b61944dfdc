import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { followLinks, makeFolder, reasonOf, replaceWhole } from '../../src/files/file-system.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

describe('makeFolder', () => {
  it('creates missing folders and returns the first', async () => {
    const path = folder.join('a', 'b', 'c');
    expect(await makeFolder(path, 0o700)).toBe(folder.join('a'));
    expect(statSync(path).isDirectory()).toBe(true);
    expect(statSync(folder.join('a')).mode & 0o777).toBe(0o700);
    expect(await makeFolder(path)).toBeUndefined();
    expect(await makeFolder(relative(process.cwd(), join(path, 'd')))).toBe(join(path, 'd'));
  });

  it('follows links to folders', async () => {
    symlinkSync(folder.path, folder.join('link'));
    expect(await makeFolder(folder.join('link', 'a'))).toBe(folder.join('link', 'a'));
    expect(existsSync(folder.join('a'))).toBe(true);
  });

  it('supports concurrent calls', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeFolder(folder.join('a', 'b', String(index % 4)))),
    );
    expect(made).toContain(folder.join('a'));
    expect(existsSync(folder.join('a', 'b', '3'))).toBe(true);
  });

  it.each([
    ['a file', 'file', 'a file is in the way'],
    ['a file above', 'file/deeper/still', 'a file is in the way'],
    ['a link to nothing', 'nothing', 'a file is in the way'],
    ['a link to nothing above', 'nothing/deeper', 'a file is in the way'],
  ])('refuses %s', async (_what, name, reason) => {
    writeFileSync(folder.join('file'), '');
    symlinkSync(folder.join('missing'), folder.join('nothing'));
    const path = folder.join(name);
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'IO',
      message: `cannot create folder ${path}: ${reason}`,
    });
  });

  // Node's own mkdir never returns for these.
  const whereOnLinux = process.platform === 'linux' ? ['/proc/nope', '/proc/nope/deeper'] : [];
  it.each([...whereOnLinux, '/dev/null/nope'])('refuses %s', async (path) => {
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'IO',
      message: expect.not.stringMatching(/\bE[A-Z]+\b/),
    });
  });
});

describe('reasonOf', () => {
  it('leaves out the code and the call of other errors', () => {
    const error = Object.assign(new Error("EMFILE: too many open files, open '/x'"), { code: 'EMFILE' });
    expect(reasonOf(error)).toBe('too many open files');
    expect(reasonOf(new Error('it is a folder'))).toBe('it is a folder');
  });
});

describe('a symbolic link as an output', () => {
  it.each([
    ['a file', 'old'],
    ['nothing yet', undefined],
  ])('to %s stays, and its target is written', async (_, content) => {
    mkdirSync(folder.join('disk'));
    const target = folder.join('disk', 'target.txt');
    if (content !== undefined) writeFileSync(target, content);
    symlinkSync(join('disk', 'target.txt'), folder.join('second'));
    symlinkSync('second', folder.join('link'));
    await replaceWhole(folder.join('link'), async (temporary) => writeFileSync(temporary, 'new'));
    expect(lstatSync(folder.join('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect([readdirSync(folder.path).sort(), readdirSync(folder.join('disk'))]).toEqual([
      ['disk', 'link', 'second'],
      ['target.txt'],
    ]);
  });

  it('is an error in a circle', async () => {
    symlinkSync('b', folder.join('a'));
    symlinkSync('a', folder.join('b'));
    await expect(followLinks(folder.join('a'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
