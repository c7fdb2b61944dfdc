import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEngine } from '../../src/engine/open-engine.ts';
import { requestFields } from '../../src/engine/request-fields.ts';
import { reasonOf } from '../../src/files/file-system.ts';
import { shortBook, writeEpub } from '../book/write-epub.ts';
import { readRows } from '../support/rows.ts';
import { svcProgram } from '../support/svc-program.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = sharedFolder();

beforeAll(async () => {
  await mkdir(join(folder, 'folder.wav'));
  await writeFile(join(folder, 'binary.txt'), Buffer.from([0x68, 0, 0x69, 0]));
  await writeFile(join(folder, 'blank.txt'), ' \n');
  await writeFile(join(folder, 'noise.wav'), 'not a WAV file');
  execFileSync('mkfifo', [join(folder, 'pipe.wav')]);
  await writeFile(join(folder, 'lines.txt'), 'One.\nTwo.\n');
  await writeFile(join(folder, 'in.srt'), '1\n00:00:01,000 --> 00:00:02,000\nOne.\n');
  await writeFile(join(folder, 'text.epub'), 'Hello');
  await writeFile(join(folder, 'words.txt'), 'gif');
  await writeEpub(join(folder, 'in.epub'), shortBook);
});

/** `@` is replaced by the test's folder. */
const inFolder = (text: string): string => text.replaceAll('@', folder);

describe('svc with invalid arguments', () => {
  it.each(readRows<'line' | 'message' | 'code' | 'variables'>('tests/cli/arguments.tsv'))(
    '$variables $line',
    async ({ line, message, code, variables }) => {
      const given = variables.split(' ').flatMap((pair) => (pair === '' ? [] : [pair.split('=')]));
      const environment = { SVC_CACHE_DIR: join(folder, 'cache'), XDG_DATA_HOME: folder, ...Object.fromEntries(given) };
      const { stderr, stdout, ...outcome } = await invoke(line.split(' ').map(inFolder), { environment });
      expect(stderr).toMatch(/^svc: error: [^\n]+\n$/);
      expect(stderr).toContain(inFolder(message));
      // Errors in arguments are reported before a model is loaded.
      expect([outcome.code, stdout.length, outcome.opened]).toEqual([Number(code || 2), 0, []]);
    },
  );

  it('leaves no output', async () => {
    const made = ['cache', 'out.wav', 'out.flac', 'out.m4b', 'spoken', 'x.mp3', 'x.wav', 'x.gguf', 't.m4a', 'svc'];
    expect((await readdir(folder)).filter((name) => made.includes(name))).toEqual([]);
  });

  it('refuses to write audio to a terminal', async () => {
    const { code, stderr } = await invoke(['tts', '--text', 'hi', '--output', '-'], { terminal: 'stdout' });
    expect(stderr).toBe(
      'svc: error: cannot write audio to the terminal: redirect standard output, or name a file with --output\n',
    );
    expect(code).toBe(2);
  });

  it.each(['', ' \n'])('refuses %j on standard input', async (stdin) => {
    const { code, stderr, opened } = await invoke(['tts', '-o', join(folder, 'out.wav')], { stdin });
    expect(stderr).toBe(
      'svc: error: no text to speak: standard input is empty; give the text as an argument or with --text-file\n',
    );
    expect([code, opened]).toEqual([2, []]);
  });

  it('shows the stack with --verbose', async () => {
    const { stderr } = await invoke(['tts', '--text', 'hi', '--verbose']);
    expect(stderr).toMatch(/^svc: error: --output is required.*\n(.*\n)*\s+at /);
  });

  it.each([['help'], ['help', 'help'], ['voices', 'help']])('accepts %s %s', async (...argv) => {
    const { stdout, stderr } = await invoke(argv);
    expect(`${stdout}${stderr}`).toMatch(/^Usage: svc /);
  });

  it('prints help to standard error without a command', async () => {
    const { code, stdout, stderr } = await invoke([]);
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain('Usage: svc [options] [command]');
  });
});

describe('svc --help', () => {
  it('shows commands and examples', async () => {
    const { code, stdout, stderr } = await invoke(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const part of ['tts', 'clone', 'export', 'Examples:']) expect(stdout.toString()).toContain(part);
  });

  it.each(['tts', 'clone'])('shows options, defaults and examples of %s', async (command) => {
    const { code, stdout } = await invoke([command, '--help', 'all']);
    const help = stdout.toString().replace(/\s+/g, ' ');
    expect(code).toBe(0);
    const model = '--model-path --backend --threads';
    const voice = '--prompt-audio --prompt-text --reference-audio --control';
    const others = '--text --text-file --output --seed --retry-badcase --no-retry-badcase --json --verbose --quiet';
    for (const option of `${model} ${voice} ${others}`.split(' ')) expect(help).toContain(`${option} `);
    for (const [flag, { default: fallback }] of [
      ['--inference-timesteps', requestFields.timesteps],
      ['--cfg-value', requestFields.cfg],
      ['--min-length', requestFields.minLength],
      ['--max-length', requestFields.maxLength],
    ] as const) {
      expect(help).toMatch(new RegExp(`${flag} <number> .{1,120}?\\(default: ${fallback}\\)`));
    }
    expect(help).toContain(`svc ${command} [options] [text]`);
  });

  it("prints the package's version", async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const { code, stdout } = await invoke(['--version']);
    expect([code, stdout.toString()]).toEqual([0, `${version}\n`]);

    const asJson = await invoke(['--version', '--json']);
    expect(asJson.code).toBe(0);
    const { platform, arch } = process;
    expect(JSON.parse(asJson.stdout.toString())).toMatchObject({ version, platform: `${platform}-${arch}` });
  });
});

it.each([
  ['.', 4, '. contains neither an ONNX model nor a checkpoint; give a .gguf file'],
  ['none.gguf', 3, 'no such file or folder: none.gguf'],
])('the model %s exits with %i', async (path, code, message) => {
  const argv = ['tts', '--text', 'hi', '--output', join(folder, 'out.wav'), '--model-path', path];
  expect(await invoke(argv, { openEngine: createEngine })).toMatchObject({ code, stderr: `svc: error: ${message}\n` });
});

describe('the process', () => {
  it.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['tts', '--threads', 'abc'], 2, /^$/, /^svc: error: --threads must be an integer from 1 to 1024, got "abc"\n$/],
  ])('svc %j exits with %i', async (argv, code, stdout, stderr) => {
    const outcome = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(process.execPath, [svcProgram, ...argv], (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, stdout: out, stderr: err }),
      );
    });
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toMatch(stdout);
    expect(outcome.stderr).toMatch(stderr);
  });

  it.each([
    [
      'a full disk',
      '--help > /dev/full',
      [1, `svc: error: cannot write to standard output: ${reasonOf({ code: 'ENOSPC' })}\n`],
    ],
    [
      'a full disk for speech',
      'tts hi -o - --max-length 2 --inference-timesteps 1 --backend cpu > /dev/full',
      [1, `svc: error: cannot write to standard output: ${reasonOf({ code: 'ENOSPC' })}\n`],
    ],
    ['a reader that has gone', '--help | true', [0, '']],
  ])('reports %s on standard output', (_, words, expected) => {
    const line = `'${process.execPath}' '${svcProgram}' ${words}`;
    const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], { encoding: 'utf8' });
    expect([status, stderr]).toEqual(expected);
  });
});
