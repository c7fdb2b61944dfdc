import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { freshFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = freshFolder();
let out: string;
beforeEach(() => {
  out = folder.join('out.wav');
});

const spoken = async (...argv: readonly string[]): Promise<readonly number[]> => {
  const { code, backend } = await invoke(argv.map((word) => (word === '@' ? out : word)));
  expect(code).toBe(0);
  expect(await readdir(folder.path)).toEqual(['out.wav']);
  return [...(backend.prefixes[0]?.tokens ?? [])];
};

describe('the text as an argument', () => {
  it.each([
    [['tts', 'Hello there.', '-o', '@']],
    [['tts', '-o', '@', 'Hello there.']],
    [['tts', '-t', 'Hello there.', '--output', '@']],
    [['tts', '--text=Hello there.', '-o', '@']],
    [['Hello there.', '-o', '@']],
    [['-o', '@', 'Hello there.']],
    [['--output', '@', '--', 'Hello there.']],
    [['-t', 'Hello there.', '-o', '@']],
  ])('%j', async (argv) => {
    expect(await spoken(...argv)).toEqual(await spoken('tts', '--text', 'Hello there.', '--output', '@'));
  });

  it.each([
    [['tts', '-5 degrees'], 'svc tts -- "-5 degrees"'],
    [['-5 degrees', '-o', 'out.wav'], 'svc tts -- "-5 degrees"'],
    [['clone', '-o', 'out.wav', '- Hello.'], 'svc clone -- "- Hello."'],
  ])('%j is no option, but needs --', async (argv, command) => {
    const { code, stderr } = await invoke(argv);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^svc: error: unknown option "-[^"]+"; to speak it, put -- before it: /),
    ]);
    expect(stderr.trimEnd().endsWith(command)).toBe(true);
  });

  it.each([[['tts', '--nosuch']], [['tts', '-x', 'Hello.']], [['batch', '-5 degrees']]])(
    '%j is only an unknown option',
    async (argv) => {
      const { stderr } = await invoke(argv);
      expect(stderr).toMatch(/^svc: error: unknown option "[^"]+"; see svc \w+ --help\n$/);
    },
  );

  it.each([
    [['Hello.', '-o', '@'], 'Hello.'],
    [['你好', '-o', '@'], '你好'],
    [['-o', '@', '--', 'serve'], 'serve'],
    [['tts', '-o', '@', '--', '--help'], '--help'],
    [['tts', 'help', '-o', '@'], 'help'],
  ])('%j may be a single word', async (argv, text) => {
    expect(await spoken(...argv)).toEqual(await spoken('tts', `--text=${text}`, '--output', '@'));
  });

  it('is also that of svc clone', async () => {
    const prompt = ['--prompt-audio', 'tests/fixtures/tiny-v1/prompt_a.wav', '--prompt-text', 'one'];
    const backend = { stopAt: 4, info: { contextLength: 100_000 } };
    const [argument, option] = [
      await invoke(['clone', ...prompt, 'Hello there.', '-o', out], { backend }),
      await invoke(['clone', ...prompt, '--text', 'Hello there.', '-o', out], { backend }),
    ];
    expect([argument.code, argument.stderr]).toEqual([0, '']);
    expect(argument.backend.prefixes).toEqual(option.backend.prefixes);
  });

  it('leaves the help and the version of svc alone', async () => {
    for (const flag of ['--help', '-h']) {
      expect((await invoke([flag])).stdout.toString()).toMatch(/^Usage: svc \[options\] \[command\]/);
    }
    expect((await invoke(['-V'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
