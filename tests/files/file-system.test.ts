import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { followLinks, makeFolder, reasonOf, replaceWhole } from '../../src/files/file-system.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-make-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('makeFolder', () => {
  it('creates missing folders and returns the first', async () => {
    const path = join(folder, 'a', 'b', 'c');
    expect(await makeFolder(path, 0o700)).toBe(join(folder, 'a'));
    expect(statSync(path).isDirectory()).toBe(true);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(await makeFolder(path)).toBeUndefined();
    expect(await makeFolder(relative(process.cwd(), join(path, 'd')))).toBe(join(path, 'd'));
  });

  it('follows links to folders', async () => {
    symlinkSync(folder, join(folder, 'link'));
    expect(await makeFolder(join(folder, 'link', 'a'))).toBe(join(folder, 'link', 'a'));
    expect(existsSync(join(folder, 'a'))).toBe(true);
  });

  it('supports concurrent calls', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeFolder(join(folder, 'a', 'b', String(index % 4)))),
    );
    expect(made).toContain(join(folder, 'a'));
    expect(existsSync(join(folder, 'a', 'b', '3'))).toBe(true);
  });

  it.each([
    ['a file', 'file', 'a file is in the way'],
    ['a file above', 'file/deeper/still', 'a file is in the way'],
    ['a link to nothing', 'nothing', 'a file is in the way'],
    ['a link to nothing above', 'nothing/deeper', 'a file is in the way'],
  ])('refuses %s', async (_what, name, reason) => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'missing'), join(folder, 'nothing'));
    const path = join(folder, name);
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
    mkdirSync(join(folder, 'disk'));
    const target = join(folder, 'disk', 'target.txt');
    if (content !== undefined) writeFileSync(target, content);
    symlinkSync(join('disk', 'target.txt'), join(folder, 'second'));
    symlinkSync('second', join(folder, 'link'));
    await replaceWhole(join(folder, 'link'), async (temporary) => writeFileSync(temporary, 'new'));
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect([readdirSync(folder).sort(), readdirSync(join(folder, 'disk'))]).toEqual([
      ['disk', 'link', 'second'],
      ['target.txt'],
    ]);
  });

  it('is an error in a circle', async () => {
    symlinkSync('b', join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    await expect(followLinks(join(folder, 'a'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
