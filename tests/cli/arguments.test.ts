import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestFields } from '../../src/engine/request.ts';
import { invoke } from './invoke.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-arguments-'));
  await mkdir(join(folder, 'folder.wav'));
  await writeFile(join(folder, 'binary.txt'), Buffer.from([0x68, 0, 0x69, 0]));
  await writeFile(join(folder, 'latin1.txt'), Buffer.from('größe', 'latin1'));
  await writeFile(join(folder, 'blank.txt'), ' \n');
  await writeFile(join(folder, 'noise.wav'), 'not a WAV file');
  execFileSync('mkfifo', [join(folder, 'pipe.wav')]);
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

/** `@` stands for the test's folder. */
const inFolder = (text: string): string => text.replaceAll('@', folder);

const good = '--text hi --output @/out.wav';

const cases: readonly (readonly [string, string, number?])[] = [
  ['--foo', "unknown option '--foo'"],
  ['say', "unknown command 'say'"],
  ['help nosuch', "unknown command 'nosuch'"],
  ['voices help nosuch', "unknown command 'nosuch'"],
  ['voices list --voice-dir @/blank.txt', 'expected a folder for --voice-dir, received a file', 2],
  ['tts --txt hi', "unknown option '--txt' (Did you mean --text?)"],
  ['tts hello', "too many arguments for 'tts'. Expected 0 arguments but got 1."],
  ['tts --threads', "option '--threads <number>' argument missing"],
  [`tts ${good} --threads abc`, 'expected an integer from 1 to 1024 for --threads, received abc'],
  [`tts ${good} --threads 0`, 'expected an integer from 1 to 1024 for --threads, received 0'],
  [`tts ${good} --threads 2.5`, 'expected an integer from 1 to 1024 for --threads, received 2.5'],
  [`tts ${good} --threads 0x4`, 'expected an integer from 1 to 1024 for --threads, received 0x4'],
  [`tts ${good} --cfg-value 11`, 'expected a number from 0 to 10 for --cfg-value, received 11'],
  [`tts ${good} --cfg-value NaN`, 'expected a number from 0 to 10 for --cfg-value, received NaN'],
  [`tts ${good} --inference-timesteps 0`, 'expected an integer from 1 to 100 for --inference-timesteps, received 0'],
  [`tts ${good} --seed -1`, 'expected an integer from 0 to 4294967295 for --seed, received -1'],
  [`tts ${good} --min-length -1`, 'expected an integer from 0 to 65536 for --min-length, received -1'],
  [`tts ${good} --max-length 0`, 'expected an integer from 1 to 65536 for --max-length, received 0'],
  [
    `tts ${good} --backend tpu`,
    'expected one of cpu, cuda, vulkan, metal, coreml, webgpu, auto for --backend, received tpu',
  ],
  ['tts --text hi', 'expected an audio file or - for --output, received none'],
  [
    'tts --text-file @/pipe.wav --output @/out.wav',
    'expected a readable text file for --text-file @/pipe.wav, received a named pipe; pipe the text to standard input instead',
  ],
  [
    'batch --input @/pipe.wav --output-dir @/spoken',
    'expected a readable text file for --input @/pipe.wav, received a named pipe; use --input - and a pipe instead',
  ],
  [
    'tts --text hi --output @/out.m4a',
    'expected a file name that ends in one of .wav, .flac, .mp3, .opus, .ogg, .aac, .pcm for --output, received @/out.m4a',
  ],
  [
    `tts ${good} --response-format m4a`,
    'expected one of wav, flac, mp3, opus, ogg, aac, pcm for --response-format, received m4a',
  ],
  [`tts ${good} --sample-format s24`, 'expected one of s16, f32 for --sample-format, received s24'],
  ['tts --text hi --output @/out.flac --sample-format f32', 'expected s16 for --sample-format of flac, received f32'],
  [`tts ${good} --speed 0.2`, 'expected a number from 0.25 to 4 for --speed, received 0.2'],
  [`tts ${good} --speed 4.5`, 'expected a number from 0.25 to 4 for --speed, received 4.5'],
  [
    'tts --text hi --output @/none/out.wav',
    'expected a file in an existing folder for --output, received @/none/out.wav',
  ],
  ['tts --text hi --output @/folder.wav', 'expected an audio file or - for --output, received the folder @/folder.wav'],
  ['tts --output @/out.wav', 'expected a text for --text, --text-file or standard input, received none'],
  [`tts ${good} --text-file a.txt`, 'expected one text for --text and --text-file, received both'],
  [
    'tts --text-file @/none.txt --output @/out.wav',
    'expected a readable text file for --text-file @/none.txt, received no such file',
  ],
  ['tts --text-file @ --output @/out.wav', 'expected a readable text file for --text-file @, received a folder'],
  [
    'tts --text-file /dev/zero --output @/out.wav',
    'expected at most 16777216 bytes of text for --text-file /dev/zero, received more',
  ],
  [
    'tts --text-file @/binary.txt --output @/out.wav',
    'expected UTF-8 text for --text-file @/binary.txt, received binary data',
  ],
  [
    'tts --text-file @/latin1.txt --output @/out.wav',
    'expected UTF-8 text for --text-file @/latin1.txt, received other bytes',
  ],
  ['tts --text-file @/blank.txt --output @/out.wav', 'text must contain a visible character, got ""'],
  [
    `tts ${good} --prompt-text hello`,
    'expected prompt audio and prompt text together for a prompt, received prompt text without prompt audio',
  ],
  [`tts ${good} --prompt-audio @/none.wav`, 'cannot read audio file @/none.wav: no such file'],
  [`tts ${good} --prompt-audio= --prompt-text hi`, 'expected an audio file for audio, received an empty path'],
  [`tts ${good} --prompt-audio @/pipe.wav --prompt-text hi`, 'cannot read audio file @/pipe.wav: it is a named pipe'],
  [`tts ${good} --prompt-audio @/noise.wav --prompt-text hi`, 'unsupported audio format: ', 2],
  [
    `clone ${good}`,
    'expected --prompt-audio with --prompt-text, --reference-audio or --voice for svc clone, received none',
  ],
];

describe('svc with invalid arguments', () => {
  it.each(cases)('%s: %s', async (line, message, code = 2) => {
    const outcome = await invoke(line.split(' ').map(inFolder));
    const lines = outcome.stderr.split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`svc: ${inFolder(message)}`);
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toHaveLength(0);
    // Errors in arguments are reported before a model is loaded.
    expect(outcome.opened).toEqual([]);
  });

  it('refuses to write audio to a terminal', async () => {
    const { code, stderr } = await invoke(['tts', '--text', 'hi', '--output', '-'], { terminal: 'stdout' });
    expect(stderr).toBe('svc: expected a pipe or a file on standard output for --output -, received a terminal\n');
    expect(code).toBe(2);
  });

  it('shows the stack with --verbose', async () => {
    const { stderr } = await invoke(['tts', '--text', 'hi', '--verbose']);
    expect(stderr).toMatch(/^svc: expected an audio file .*\n(.*\n)*\s+at /);
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
    const { code, stdout } = await invoke([command, '--help']);
    const help = stdout.toString().replace(/\s+/g, ' ');
    expect(code).toBe(0);
    for (const option of [
      '--model-path',
      '--backend',
      '--threads',
      '--text',
      '--text-file',
      '--output',
      '--prompt-audio',
      '--prompt-text',
      '--reference-audio',
      '--control',
      '--seed',
      '--retry-badcase',
      '--no-retry-badcase',
      '--json',
      '--verbose',
      '--quiet',
    ]) {
      expect(help).toContain(`${option} `);
    }
    for (const [flag, { default: fallback }] of [
      ['--inference-timesteps', requestFields.timesteps],
      ['--cfg-value', requestFields.cfg],
      ['--min-length', requestFields.minLength],
      ['--max-length', requestFields.maxLength],
    ] as const) {
      expect(help).toMatch(new RegExp(`${flag} <number> .{1,120}?\\(default: ${fallback}\\)`));
    }
    expect(help).toContain(`svc ${command} --`);
  });

  it("prints the package's version", async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const { code, stdout } = await invoke(['--version']);
    expect([code, stdout.toString()]).toEqual([0, `${version}\n`]);
  });
});

describe('the process', () => {
  it.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['tts', '--threads', 'abc'], 2, /^$/, /^svc: expected an integer from 1 to 1024 for --threads, received abc\n$/],
    [
      ['tts', '--text', 'hi', '--output', 'out.wav', '--model-path', '.'],
      4,
      /^$/,
      /^svc: \. contains neither an ONNX model nor a checkpoint; give a \.gguf file\n$/,
    ],
    [
      ['tts', '--text', 'hi', '--output', 'out.wav', '--model-path', 'none.gguf'],
      3,
      /^$/,
      /^svc: no such file or folder: none\.gguf\n$/,
    ],
  ])('svc %j exits with %i', async (argv, code, stdout, stderr) => {
    const outcome = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...argv], (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, stdout: out, stderr: err }),
      );
    });
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toMatch(stdout);
    expect(outcome.stderr).toMatch(stderr);
  });

  it.each([
    ['a full disk', '> /dev/full', [1, 'svc: expected to write to standard output, received a full disk\n']],
    ['a reader that has gone', '| true', [0, '']],
  ])('reports %s on standard output', (_, where, expected) => {
    const line = `'${process.execPath}' --import tsx src/cli/main.ts --help ${where}`;
    const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], { encoding: 'utf8' });
    expect([status, stderr]).toEqual(expected);
  });
});
