import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEngine } from '../../src/engine/open-engine.ts';
import { requestFields } from '../../src/engine/request-fields.ts';
import { reasonOf } from '../../src/files/file-system.ts';
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
});

/** `@` is replaced by the test's folder. */
const inFolder = (text: string): string => text.replaceAll('@', folder);

const good = '--text hi --output @/out.wav';

const cases: readonly (readonly [string, string, number?])[] = [
  ['--foo', 'unknown option "--foo"; see svc --help'],
  ['say', 'unknown command "say"; did you mean "tts"? To speak the word: svc tts say'],
  ['peace', 'unknown command "peace"; to speak the word: svc tts peace'],
  ['version', 'unknown command "version"; did you mean "svc --version"? To speak the word: svc tts version'],
  [
    'rm',
    'unknown command "rm"; did you mean "svc voices remove" or "svc models remove"? To speak the word: svc tts rm',
  ],
  ['-v', 'unknown option "-v"; did you mean "--version"?'],
  ['voices rm anna', 'unknown command "rm"; did you mean "remove"?'],
  ['voices delete anna', 'unknown command "delete"; did you mean "remove"?'],
  ['voices ls', 'unknown command "ls"; did you mean "list"?'],
  ['voices new', 'unknown command "new"; did you mean "add"?'],
  ['voices xyzzy', 'unknown command "xyzzy"; see svc voices --help'],
  ['models rm x', 'unknown command "rm"; did you mean "remove"?'],
  ['models download x', 'unknown command "download"; did you mean "pull"?'],
  ['tts hi --format mp3', 'unknown option "--format"; did you mean "--response-format"?'],
  ['tts hi --output-format=mp3', 'unknown option "--output-format"; did you mean "--response-format"?'],
  ['tts hi --Output_Format mp3', 'unknown option "--Output_Format"; did you mean "--response-format"?'],
  ['tts hi -f mp3', 'unknown option "-f"; did you mean "--response-format" or "--text-file"?'],
  ['tts hi -v anna', 'unknown option "-v"; did you mean "--voice" or "--verbose"?'],
  ['tts hi -voice anna', 'unknown option "-voice"; did you mean "--voice"?'],
  ['tts hi --rate 2', 'unknown option "--rate"; did you mean "--speed"?'],
  ['tts hi --volume 2', 'unknown option "--volume"; did you mean "--loudness"?'],
  ['tts hi --output-file x.wav', 'unknown option "--output-file"; did you mean "--output"?'],
  ['tts hi --ref a.wav', 'unknown option "--ref"; did you mean "--reference-audio"?'],
  ['tts hi --xyzzy', 'unknown option "--xyzzy"; see svc tts --help'],
  ['serve --listen ::', 'unknown option "--listen"; did you mean "--host" or "--port"?'],
  ['batch -f mp3', 'unknown option "-f"; did you mean "--response-format" or "--input"?'],
  ['serv', 'unknown command "serv"; did you mean "serve"? To speak the word: svc tts serv'],
  ['hello', 'unknown command "hello"; did you mean "help"? To speak the word: svc tts hello'],
  ['dub --srt talk.srt -o @/out.wav', 'unknown option "--srt"; did you mean "--captions"?'],
  ['dub -o @/out.wav', '--captions is required; see svc dub --help'],
  ['dub --captions talk.srt', '--output is required; see svc dub --help'],
  [
    'dub --captions talk.srt -o @/out.mp4',
    '--output "@/out.mp4" is no audio file: name a .wav, and join it with the video, as with ffmpeg',
  ],
  ['voices lst', 'unknown command "lst"; did you mean "list"?'],
  ['help nosuch', 'unknown command "nosuch"'],
  ['voices help nosuch', 'unknown command "nosuch"'],
  ['voices list --voice-dir @/blank.txt', '--voice-dir must be a folder, got the file "@/blank.txt"'],
  ['tts --txt hi', 'unknown option "--txt"; did you mean "--text"?'],
  ['tts hello there', 'unexpected argument "there"; put the text in quotes'],
  ['voices list hello', 'unexpected argument "hello"; see svc voices list --help'],
  ['batch texts.txt', 'unexpected argument "texts.txt"; name the input with --input'],
  [`tts ${good} --quiet --verbose`, '--verbose and --quiet cannot be combined'],
  [`tts ${good} --model voxcpm-2 --model-path x.gguf`, '--model and --model-path cannot be combined'],
  [`tts ${good} --model-path=`, '--model-path is empty: name a .gguf file or a folder'],
  ['bench --type q8_0', '--type needs --model or --synthetic'],
  [
    'batch --input - --output-dir @/spoken --response-format mp3 --sample-format f32',
    '--sample-format f32 needs WAV; mp3 files use s16',
  ],
  ['export --format gguf --model-path @/nope --output @/x.gguf', 'no such folder: @/nope', 3],
  ['tts hello --text hi', 'the text is given twice: as the argument "hello" and with --text'],
  ['clone hello --text-file a.txt', 'svc clone needs a voice'],
  [
    'clone hello --voice anna --text-file a.txt',
    'the text is given twice: as the argument "hello" and with --text-file',
  ],
  [
    'tts --text --output @/out.wav',
    '--text needs a value, got the option --output; to pass "--output" itself: --text=--output',
  ],
  ['tts -t --help', '--text needs a value, got the option --help; to pass "--help" itself: --text=--help'],
  ['tts -t -o @/out.wav', '--text needs a value, got the option -o; to pass "-o" itself: --text=-o'],
  ['tts hi -o --play', '--output needs a value, got the option --play; to pass "--play" itself: --output=--play'],
  ['tts hi -o @/out.wav --play', '--play and --output cannot be combined'],
  ['tts hi --response-format mp3', '--response-format needs --output: name an audio file, or - for standard output'],
  ['tts hi --type q8_00', '--type must be one of f32, f16,'],
  ['tts hi --type q4_kk', 'got "q4_kk"; did you mean "q4_k"?'],
  ['tts hi --backend vulcan', 'got "vulcan"; did you mean "vulkan"?'],
  ['tts --threads', '--threads needs a value'],
  [`tts ${good} --threads abc`, '--threads must be an integer from 1 to 1024, got "abc"'],
  [`tts ${good} --threads 0`, '--threads must be an integer from 1 to 1024, got "0"'],
  [`tts ${good} --threads 2.5`, '--threads must be an integer from 1 to 1024, got "2.5"'],
  [`tts ${good} --threads 0x4`, '--threads must be an integer from 1 to 1024, got "0x4"'],
  [`tts ${good} --cfg-value 11`, '--cfg-value must be a number from 0 to 10, got "11"'],
  [`tts ${good} --cfg-value NaN`, '--cfg-value must be a number from 0 to 10, got "NaN"'],
  [`tts ${good} --inference-timesteps 0`, '--inference-timesteps must be an integer from 1 to 100, got "0"'],
  [`tts ${good} --seed -1`, '--seed must be an integer from 0 to 4294967295, got "-1"'],
  [`tts ${good} --min-length -1`, '--min-length must be an integer from 0 to 65536, got "-1"'],
  [`tts ${good} --min-length 10 --max-length 5`, '--min-length (10) must not exceed --max-length (5)'],
  [`tts ${good} --max-length 0`, '--max-length must be an integer from 1 to 65536, got "0"'],
  [
    `tts ${good} --backend tpu`,
    '--backend must be one of cpu, cuda, ggml-cuda, vulkan, metal, coreml, webgpu, auto, got "tpu"',
  ],
  [`tts ${good} --backend gpu`, 'got "gpu"; auto uses a GPU if there is one'],
  [`tts ${good} --backend nvidia`, 'got "nvidia"; did you mean "cuda"?'],
  [
    'tts --text hi',
    '--output is required, because this machine has no audio output: name an audio file, as in -o out.wav, or - for',
  ],
  ['tts hi --output=', '--output is empty: name an audio file, or - for standard output'],
  [
    'tts --text-file @/pipe.wav --output @/out.wav',
    'cannot read the text file "@/pipe.wav": it is a named pipe; pipe the text to standard input instead',
  ],
  [
    'batch --input @/pipe.wav --output-dir @/spoken',
    'cannot read --input "@/pipe.wav": it is a named pipe; use --input - and a pipe instead',
  ],
  [
    'tts --text hi --input-format markdown --output @/out.m4b',
    '--output "@/out.m4b" holds plain text and books; for other input, name a .wav or .mp3',
  ],
  [
    'tts --text hi --output @/out.doc',
    'unknown audio format of --output "@/out.doc": use one of .wav, .flac, .mp3, .opus, .ogg, .aac, .pcm, or set',
  ],
  [
    `tts ${good} --response-format m4a`,
    '--response-format must be one of wav, flac, mp3, opus, ogg, aac, pcm, got "m4a"',
  ],
  [`tts ${good} --sample-format s24`, '--sample-format must be one of s16, f32, got "s24"'],
  ['tts --text hi --output @/out.flac --sample-format f32', '--sample-format f32 needs WAV; flac files use s16'],
  [`tts ${good} --speed 0.2`, '--speed must be a number from 0.25 to 4, got "0.2"'],
  [`tts ${good} --speed 4.5`, '--speed must be a number from 0.25 to 4, got "4.5"'],
  ['tts --text hi --output @/none/out.wav', 'no folder "@/none" for --output "@/none/out.wav"'],
  ['tts --text hi --output @/folder.wav', '--output must be an audio file or -, got the folder "@/folder.wav"'],
  ['tts --output @/out.wav', 'no text to speak: give it as an argument, with --text-file, or on standard input'],
  [`tts ${good} --text-file a.txt`, 'the text is given twice: with --text and with --text-file'],
  [
    'tts --text-file @/none.txt --output @/out.wav',
    `cannot read the text file "@/none.txt": ${reasonOf({ code: 'ENOENT' })}`,
  ],
  ['tts --text-file @ --output @/out.wav', `cannot read the text file "@": ${reasonOf({ code: 'EISDIR' })}`],
  ['tts --text-file /dev/zero --output @/out.wav', '"/dev/zero" exceeds the limit of 16 MiB of text'],
  ['tts --text-file @/binary.txt --output @/out.wav', '"@/binary.txt" is not UTF-8 text but binary data'],
  ['tts --text-file @/blank.txt --output @/out.wav', 'text must contain a visible character, got ""'],
  [`tts ${good} --prompt-text hello`, 'prompt text needs prompt audio: give the recording and its transcript together'],
  [`tts ${good} --prompt-audio @/none.wav`, 'cannot read audio file @/none.wav: no such file'],
  [`tts ${good} --prompt-audio= --prompt-text hi`, 'the path of the audio file is empty'],
  [`tts ${good} --prompt-audio @/pipe.wav --prompt-text hi`, 'cannot read audio file @/pipe.wav: it is a named pipe'],
  [`tts ${good} --prompt-audio @/noise.wav --prompt-text hi`, 'unsupported audio format: unknown file of 14 bytes', 2],
  [`clone ${good}`, 'svc clone needs a voice: --prompt-audio with --prompt-text, --reference-audio, or --voice'],
];

describe('svc with invalid arguments', () => {
  it.each(cases)('%s: %s', async (line, message, code = 2) => {
    const outcome = await invoke(line.split(' ').map(inFolder));
    const lines = outcome.stderr.split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^svc: error: /);
    expect(lines[0]).toContain(inFolder(message));
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toHaveLength(0);
    // Errors in arguments are reported before a model is loaded.
    expect(outcome.opened).toEqual([]);
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
