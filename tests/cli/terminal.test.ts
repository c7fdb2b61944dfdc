/** What people see: svc on a pseudo-terminal, by `script` of util-linux. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { svcProgram } from '../support/svc-program.ts';
import { freshFolder } from '../support/test-folder.ts';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
});
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
