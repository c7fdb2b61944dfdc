/** Books and long texts whose process is killed, with the demo model and the native runtime. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { parseFile } from 'music-metadata';
import { writeEpub } from '../../book/write-epub.ts';
import { outcomeOf } from '../../support/children.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { sharedFolder } from '../../support/test-folder.ts';

const folder = sharedFolder();
let epub: string;
beforeAll(async () => {
  epub = await writeEpub(join(folder, 'in.epub'), {
    title: 'A Book',
    chapters: [
      ['One', '<p>It was warm.</p>'],
      ['Two', '<p>The river was wide and cold.</p>'],
      ['Three', '<p>Nobody came.</p>'],
    ],
  });
});

const start = (input: string, output: string, settings: readonly string[] = []): ChildProcess => {
  const own = ['--seed', '7', '--backend', 'cpu', '--threads', '1'];
  const argv = ['tts', '--text-file', input, '-o', output, ...own, ...settings];
  return spawn(process.execPath, [svcProgram, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
};

async function finish(child: ChildProcess): Promise<string> {
  const { code, stderr } = await outcomeOf(child);
  expect([code, stderr]).toEqual([0, stderr]);
  return stderr;
}

/** Ends the wait for the lock that a killed process has left, which shows by its age. */
async function expireLock(): Promise<void> {
  const locks = (await readdir(folder)).filter((name) => name.endsWith('.lock'));
  expect(locks).toHaveLength(1);
  for (const name of locks) await utimes(join(folder, name), 0, 0);
}

const unfinished = async (): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.includes('.unfinished'));

it('a book resumes after kill -9, to the bytes of a run that was left alone', async () => {
  const output = join(folder, 'out.m4b');
  const killed = start(epub, output);
  while (!existsSync(`${output}.unfinished/chapter-001.json`)) await wait(20);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(existsSync(output)).toBe(false);
  await expireLock();
  expect(await finish(start(epub, output))).toMatch(
    /^(svc: waiting for another run .*\n)?svc: resuming: [12] of 3 chapters are finished\n$/,
  );
  const alone = join(folder, 'alone.m4b');
  await finish(start(epub, alone));
  expect((await readFile(output)).equals(await readFile(alone))).toBe(true);
  expect(await unfinished()).toEqual([]);
  const { format } = await parseFile(output, { includeChapters: true });
  expect(format.chapters?.map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
});

/** Several sections, which are kept one by one. */
const paragraph = 'The river was wide and cold, and they crossed it at the old bridge in the evening. '.repeat(12);
const paragraphs = Array<string>(4).fill(paragraph);

const kinds: (readonly [string, string, string])[] = [
  ['SSML', 'in.ssml', `<speak>${paragraphs.map((text) => `<p>${text}</p>`).join('<break time="1s"/>')}</speak>`],
  ['plain text', 'in.txt', paragraphs.join('\n\n')],
  ['Markdown', 'in.md', `# Title\n\n${paragraphs.join('\n\n')}\n`],
];

it.each(kinds)(
  'a long text resumes after kill -9, to the bytes of a run that was left alone: %s',
  async (_what, name, text) => {
    const input = join(folder, name);
    await writeFile(input, text);
    const [output, alone] = [join(folder, `${name}.wav`), join(folder, `${name}.alone.wav`)];
    // Parts that are cut off, which take less time.
    const settings = ['--max-length', '8'];
    const killed = start(input, output, settings);
    const over = once(killed, 'close').then(() => true);
    while (!existsSync(`${output}.unfinished/part-00001.json`)) {
      if ((await Promise.race([over, wait(20)])) === true) break;
    }
    killed.kill('SIGKILL');
    await over;
    expect([killed.signalCode, existsSync(output)]).toEqual(['SIGKILL', false]);
    await expireLock();
    expect(await finish(start(input, output, settings))).toMatch(/svc: resuming: [1-9]\d* of \d+ parts are finished\n/);
    await finish(start(input, alone, settings));
    expect((await readFile(output)).equals(await readFile(alone))).toBe(true);
    expect(await unfinished()).toEqual([]);
  },
);
