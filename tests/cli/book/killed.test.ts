/** A book whose process is killed, with the demo model and the native runtime. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseFile } from 'music-metadata';
import { writeEpub } from '../../book/write-epub.ts';
import { svcProgram } from '../../support/svc-program.ts';

let folder: string;
let epub: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-killed-'));
  epub = await writeEpub(join(folder, 'in.epub'), {
    title: 'A Book',
    chapters: [
      ['One', '<h1>One</h1><p>It was a warm day.</p>'],
      ['Two', '<h1>Two</h1><p>The river was wide and cold. They crossed it at the old bridge.</p>'],
      ['Three', '<p>Nobody came back.</p>'],
    ],
  });
});
afterAll(() => rm(folder, { recursive: true }));

const start = (output: string): ChildProcess => {
  const argv = ['tts', '--text-file', epub, '-o', output, '--seed', '7', '--backend', 'cpu', '--threads', '1'];
  return spawn(process.execPath, [svcProgram, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
};

async function finish(child: ChildProcess): Promise<string> {
  let stderr = '';
  child.stderr?.on('data', (part: Buffer) => {
    stderr += part;
  });
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([0, stderr]);
  return stderr;
}

it('goes on after kill -9, to the bytes of a run that was left alone', async () => {
  const output = join(folder, 'out.m4b');
  const killed = start(output);
  while (!existsSync(`${output}.unfinished/chapter-001.json`)) await wait(20);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(existsSync(output)).toBe(false);
  expect(await finish(start(output))).toMatch(
    /^(svc: waiting for another run .*\n)?svc: resuming: [12] of 3 chapters are finished\n$/,
  );
  const alone = join(folder, 'alone.m4b');
  await finish(start(alone));
  expect((await readFile(output)).equals(await readFile(alone))).toBe(true);
  expect((await readdir(folder)).sort()).toEqual(['alone.m4b', 'in.epub', 'out.m4b']);
  const { format } = await parseFile(output, { includeChapters: true });
  expect(format.chapters?.map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
});
