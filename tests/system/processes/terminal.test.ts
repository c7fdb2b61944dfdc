/** Screens of svc on a pseudo-terminal, by `script` of util-linux. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { childrenOfTest } from '../../support/children.ts';
import { eventually } from '../../support/eventually.ts';
import { screenOf } from '../../support/screen.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { freshFolder } from '../../support/test-folder.ts';

const children = childrenOfTest();
const folder = freshFolder();

interface Session {
  /** All that the terminal got so far. */
  readonly screen: () => string;
  readonly type: (keys: string) => void;
  readonly code: Promise<number>;
}

const shellWords = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

function start(argv: readonly string[], variables: Readonly<Record<string, string>> = {}): Session {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, TERM: 'xterm', SVC_SQLITE_PATH: folder.join('voices.sqlite'), ...variables };
  // Without exec, Ctrl-C would end the shell as well, and the exit code would be its own.
  const command = `exec ${shellWords([process.execPath, svcProgram, ...argv])}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env });
  children.push(child);
  let screen = '';
  child.stdout.on('data', (part: Buffer) => {
    screen += part.toString();
  });
  return {
    screen: () => screen,
    type: (keys) => void child.stdin.write(keys),
    code: once(child, 'close').then(([code]) => code as number),
  };
}

const esc = '\u001b';

describe('svc on a terminal', () => {
  it('fills a bar, and ends with a summary', async () => {
    const { code, screen } = start(['tts', 'The weather is nice today.', '--seed', '3', '-o', folder.join('out.wav')]);
    expect(await code).toBe(0);
    const shares = [...screen().matchAll(/speaking \[=* *\] (\d+) %/g)].map((match) => Number(match[1]));
    expect(shares.at(-1)).toBe(100);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(screen().split('svc: this is the demo model, ')).toHaveLength(2);
    expect(screen()).toMatch(/svc: \S+out\.wav: \d\.\d\d? s of speech in \d\S* s \(RTF \d\S*\), seed 3\r\n$/);
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.wav'))).toEqual(['out.wav']);
  });

  it('keeps the messages of a batch above its bar, and leaves no bar', async () => {
    const list = folder.join('list.txt');
    await writeFile(list, 'Hello one.\nHello two ឡ.\n');
    const { code, screen } = start(['batch', '--input', list, '--output-dir', folder.join('spoken')]);
    expect(await code).toBe(0);
    expect(screen()).toMatch(/speaking \[=+ +\] 50 %, 1 of 2 lines/);
    expect(screenOf(screen())).toEqual([
      expect.stringMatching(/^svc: this is the demo model, .*--model voxcpm-0\.5b$/),
      expect.stringMatching(/^svc: warning: line 2 \(output_002\): this model cannot read "ឡ"/),
      expect.stringMatching(/^svc: 2 spoken, 0 unchanged, 0 failed, /),
      '',
    ]);
  });

  it('leaves no bar when it is killed by a second Ctrl-C', async () => {
    const list = folder.join('list.txt');
    await writeFile(list, 'Hello there, and good morning.\n'.repeat(50));
    const { code, screen, type } = start(['batch', '--input', list, '--output-dir', folder.join('spoken')]);
    await eventually(() => screen().includes('1 of 50 lines'), 'the first line');
    type('\u0003\u0003');
    expect(await code).not.toBe(0);
    expect(screenOf(screen()).at(-1)).toBe('');
  });

  it('shows nothing with --quiet', async () => {
    const { code, screen } = start(['tts', 'Hello there.', '--quiet', '-o', folder.join('out.wav')]);
    expect([await code, screen()]).toEqual([0, '']);
  });

  it.each([
    [{}, `svc: ${esc}[31merror:${esc}[39m --threads must be`],
    [{ NO_COLOR: '1' }, 'svc: error: --threads must be'],
    [{ TERM: 'dumb' }, 'svc: error: --threads must be'],
  ])('colors errors with %j', async (variables: Readonly<Record<string, string>>, beginning) => {
    const { code, screen } = start(['tts', 'hi', '--threads', 'x'], variables);
    expect(await code).toBe(2);
    expect(screen().startsWith(beginning)).toBe(true);
  });

  it('prints the address of the server for people, and logs in lines for them until Ctrl-C', async () => {
    const { code, screen, type } = start(['serve', '--port', '0']);
    const address = (): string | undefined => /Listening on (http:\S+) \(playground; /.exec(screen())?.[1];
    await eventually(() => address() !== undefined, 'the address on the terminal');
    expect(screen()).not.toContain('{"');
    expect((await fetch(`${address()}/health`)).status).toBe(200);
    expect((await fetch(`${address()}/nowhere`)).status).toBe(404);
    await eventually(() => /GET \/nowhere 404 \(\d+ ms\)/.test(screen()), 'the requests in the log');
    expect(screen()).toMatch(new RegExp(`\\[\\d\\d:\\d\\d:\\d\\d\\] ${esc}\\[32mINFO.*GET /health 200 \\(\\d+ ms\\)`));
    type('\u0003');
    expect(await code).toBe(0);
    expect(screen()).toContain('shutting down');
  });

  it('logs in JSON with --log-format json', async () => {
    const { code, screen, type } = start(['serve', '--port', '0', '--log-format', 'json']);
    await eventually(() => screen().includes('"msg":"listening"'), 'listening');
    expect(screen()).not.toContain('Listening on');
    type('\u0003');
    expect(await code).toBe(0);
  });
});
