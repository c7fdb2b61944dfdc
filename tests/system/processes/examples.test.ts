import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { transform } from 'esbuild';
import { parseFile } from 'music-metadata';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { writeEpub } from '../../book/write-epub.ts';
import { type ChildOutcome, outcomeOf } from '../../support/children.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';

const root = process.cwd();
const recording = join(root, 'models', 'voices', 'alma.wav');
const transcript = readFileSync(join(root, 'models', 'voices', 'alma.txt'), 'utf8').trim();

const folder = freshFolder();
const compiled = sharedFolder();

const execute = (command: string, parameters: readonly string[], variables = {}): Promise<ChildOutcome> =>
  outcomeOf(spawn(command, parameters, { cwd: root, env: { ...process.env, ...variables } }));

const library = join(root, '.cache', 'compiled', 'src', 'index.js');

/** Command that runs an example as its comment describes, with it and the library compiled, which starts in half the time. */
async function commandOf(name: string): Promise<string[]> {
  const source = await readFile(join(root, 'examples', `${name}.ts`), 'utf8');
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' });
  const path = join(compiled, `${name}.mjs`);
  await writeFile(path, code.replace('"voxcpm"', JSON.stringify(library)));
  return [process.execPath, path];
}

async function example(name: string, ...parameters: string[]): Promise<ChildOutcome> {
  const [command = '', path = ''] = await commandOf(name);
  return execute(command, [path, ...parameters]);
}

/** Length of the speech in seconds; throws for silence. */
function audible(wav: Uint8Array): number {
  const { samples, sampleRate } = decodeWav(wav);
  expect(samples.some((sample) => Math.abs(sample) > 0.01)).toBe(true);
  return samples.length / sampleRate;
}

/** Minimum length in seconds. The demo model was not trained on prompts and generates little after one. */
async function lengthOfFile(name: string): Promise<number> {
  const { samples, sampleRate } = decodeWav(await readFile(folder.join(name)));
  return samples.length / sampleRate;
}

const audibleFile = async (name: string): Promise<number> => audible(await readFile(folder.join(name)));

describe('examples', () => {
  it('speak', async () => {
    const path = folder.join('hello.mp3');
    const { code, stdout, stderr } = await example('speak', 'Hello there.', path);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatch(/^.*hello\.mp3: \d\.\d\d s, seed \d+\n$/);
    expect((await readFile(path)).length).toBeGreaterThan(1000);
  });

  it('audiobook', async () => {
    const chapters = [
      ['One', '<p>Hello.</p>'],
      ['Two', '<p>Hello there.</p>'],
    ] as const;
    const book = await writeEpub(folder.join('book.epub'), { title: 'The Book', chapters });
    const { code, stdout, stderr } = await example('audiobook', book, folder.join('book.m4b'), '2');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatch(/book\.m4b: 1 of 2 chapters\n$/);
    const { format } = await parseFile(folder.join('book.m4b'), { includeChapters: true });
    expect(format.chapters?.map(({ title }) => title)).toEqual(['Two']);
  });

  it('stream', async () => {
    const { code, stdout, stderr } = await example('stream', 'Hello there.');
    expect([code, stderr]).toEqual([0, '']);
    expect(audible(stdout)).toBeGreaterThan(0.3);
  });

  it('stream, with a reader that closes the pipe', async () => {
    const command = (await commandOf('stream')).map((part) => `'${part}'`).join(' ');
    const line = `${command} 'Hello there.' | head -c 50`;
    const { code, stdout, stderr } = await execute('bash', ['-c', line]);
    expect([code, stdout.length, stderr]).toEqual([0, 50, '']);
  });

  it('clone', async () => {
    const { code, stderr } = await example('clone', recording, transcript, folder.path);
    expect([code, stderr]).toEqual([0, '']);
    expect(await lengthOfFile('cloned-1.wav')).toBeGreaterThan(0.1);
    expect(await lengthOfFile('cloned-2.wav')).toBeGreaterThan(0.1);
  });

  it('clone, with a missing recording', async () => {
    const { code, stderr } = await example('clone', folder.join('none.wav'), transcript, folder.path);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^cannot read audio file .*: no such file\n$/)]);
  });

  it('batch', async () => {
    const { code, stdout, stderr } = await example('batch', folder.path, 'One.', '', 'Three.');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.toString().trimEnd().split('\n');
    expect(lines).toEqual([folder.join('1.wav'), expect.stringMatching(/^failed: /), folder.join('3.wav')]);
    expect(await audibleFile('3.wav')).toBeGreaterThan(0.2);
  });

  it('voices', async () => {
    const [store, output] = [folder.join('voices.sqlite'), folder.join('out.wav')];
    const words = [store, 'anna', recording, transcript, 'Good morning.', output];
    const { code, stdout, stderr } = await example('voices', ...words);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toBe('anna\n');
    expect(await lengthOfFile('out.wav')).toBeGreaterThan(0.1);
  });

  it('voices, with a missing recording, creates no store', async () => {
    const { code } = await example('voices', folder.join('voices.sqlite'), 'anna', folder.join('none.wav'));
    expect([code, await readdir(folder.path)]).toEqual([1, []]);
  });

  it('speak, as in README.md', async () => {
    const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    const path = folder.join('sample.mts');
    const source = code
      .replace("'voxcpm'", JSON.stringify(join(root, 'src', 'index.ts')))
      .replace('hello.wav', folder.join('hello.wav'));
    await writeFile(path, source);
    const { code: exit, stderr } = await execute(process.execPath, ['--import', 'tsx', path]);
    expect([exit, stderr]).toEqual([0, '']);
    expect(await audibleFile('hello.wav')).toBeGreaterThan(0.3);
  });

  it('are all tested and documented', async () => {
    const [names, source, page] = await Promise.all([
      readdir(join(root, 'examples')),
      readFile(new URL(import.meta.url), 'utf8'),
      readFile(join(root, 'docs', 'library.md'), 'utf8'),
    ]);
    for (const name of names.filter((file) => file.endsWith('.ts'))) {
      expect(source).toContain(`it('${name.replace('.ts', '')}'`);
      expect(page).toContain(`examples/${name}`);
    }
  });
});

describe('examples/ci.sh', () => {
  let variables: Record<string, string>;
  beforeEach(async () => {
    const svc = folder.join('svc');
    const program = `exec '${process.execPath}' '${svcProgram}' "$@"`;
    // Ten processes, which tests/doctor/doctor.test.ts has: here the exit code that a test gives.
    const diagnosis = '[ "$1" = doctor ] && echo Diagnosed. && exit "$DOCTOR"';
    await writeFile(svc, `#!/bin/sh\n${diagnosis}\n${program}\n`);
    await chmod(svc, 0o755);
    const PATH = `${folder.path}${delimiter}${process.env.PATH}`;
    variables = { PATH, SVC_CACHE_DIR: folder.join('cache'), DOCTOR: '0' };
  });

  const pipeline = (...parameters: string[]): Promise<ChildOutcome> =>
    execute('bash', ['-eu', join('examples', 'ci.sh'), ...parameters], variables);

  it('writes a file per line, and continues from existing files', async () => {
    const texts = folder.join('texts.txt');
    await writeFile(texts, 'Hello there.\nGood morning.\n');
    const first = await pipeline(texts, folder.join('spoken'));
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout.toString()).toMatch(/^Diagnosed\.\n/);
    expect(await audibleFile(join('spoken', 'output_001.wav'))).toBeGreaterThan(0.3);
    expect(await audibleFile(join('spoken', 'output_002.wav'))).toBeGreaterThan(0.3);
    expect(await pipeline(texts, folder.join('spoken'))).toMatchObject({ code: 0 });
  });

  it('exits with the exit code of svc', async () => {
    const speak = () => pipeline(folder.join('none.txt'), folder.join('spoken'));
    expect(await speak()).toMatchObject({ code: 2 });
    variables.DOCTOR = '5';
    expect(await speak()).toMatchObject({ code: 5, stderr: '' });
    expect((await pipeline()).stderr).toContain('usage: ci.sh TEXTS FOLDER');
  });
});
