import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { openRecognizer } from '../../src/recognition/open-recognizer.ts';
import { expectError, expectErrorWith } from '../support/errors.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { createFakeCommand, isRunning } from './fake-command.ts';

const folder = freshFolder();

const environment = { PATH: process.env.PATH };
const audio = { samples: new Float32Array(16_000).fill(0.1), sampleRate: 16_000 };
const never = new AbortController().signal;
const program = JSON.stringify(process.execPath);

describe('a command', () => {
  it('gets a WAV file of 16 kHz and prints the transcript', async () => {
    const { line, calls } = createFakeCommand(folder.path, ['Hello there.', 'Again.']);
    const recognize = await openRecognizer(line, environment);
    expect(await recognize(audio, never)).toBe('Hello there.');
    expect(await recognize({ samples: new Float32Array(48_000), sampleRate: 48_000 }, never)).toBe('Again.');
    const [first, second] = calls();
    expect(first).toMatchObject({ tag: 'RIFF', sampleRate: 16_000, channels: 1, bits: 16, samples: 16_000 });
    expect(second).toMatchObject({ sampleRate: 16_000 });
    expect(Math.abs(Number(second?.samples) - 16_000)).toBeLessThan(20);
    // No recording is left behind.
    expect(existsSync(dirname(String(first?.file)))).toBe(false);
  });

  it('may have the file elsewhere, and is given to no shell', async () => {
    const script = folder.join('show.cjs');
    writeFileSync(script, 'console.log(process.argv.slice(2).map((word) => word.replace(/\\S*speech/, "")).join("|"))');
    const recognize = await openRecognizer(`${program} ${script} --file={} '$HOME; ls' "a b" *`, environment);
    expect(await recognize(audio, never)).toBe('.wav|$HOME; ls|a b|*');
  });

  it('gets no secrets of the environment', async () => {
    const script = folder.join('show.cjs');
    writeFileSync(script, 'console.log(Object.keys(process.env).sort().join(" "))');
    const names =
      'SVC_API_KEY SVC_CHECK_KEY SVC_BROKER_SENTINEL_PASSWORD OPENAI_API_KEY HF_TOKEN AWS_SECRET_ACCESS_KEY';
    const secrets = {
      ...Object.fromEntries(`${names} PGPASSWORD`.split(' ').map((name) => [name, 'a'])),
      SVC_DATABASE_URL: 'postgres://svc:secret@host/voices',
      SVC_BROKER_URL: 'redis://:secret@host',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=a',
    };
    const plain = { ...environment, LANG: 'C', HF_HOME: '/models', WHISPER_MODEL: 'base', PROXY: 'http://host:1' };
    const recognize = await openRecognizer(`${program} ${script}`, { ...plain, ...secrets });
    expect(await recognize(audio, never)).toBe(Object.keys(plain).sort().join(' '));
  });

  it.each([
    ['!exit 3 CUDA out of memory', /^the recognizer "node[^"]*" failed with exit code 3: CUDA out of memory$/],
    ['!flood', /printed more than 1 MiB$/],
  ])('reports a failure in one line: %s', async (line, message) => {
    const command = createFakeCommand(folder.path, [line]);
    const recognize = await openRecognizer(command.line, environment);
    await expectError(recognize(audio, never), 'IO', message);
    expect(existsSync(dirname(String(command.calls()[0]?.file)))).toBe(false);
  });

  it('is killed with its children when the signal fires, and those that wait do not start', async () => {
    const command = createFakeCommand(folder.path, ['!hang', 'unheard']);
    const recognize = await openRecognizer(command.line, environment);
    const controller = new AbortController();
    const calls = [recognize(audio, controller.signal), recognize(audio, controller.signal)];
    const outcomes = Promise.allSettled(calls);
    await eventually(() => command.pids() !== undefined, 'it hangs');
    const pids = command.pids() as readonly number[];
    controller.abort();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await eventually(() => !pids.some(isRunning), 'both are killed');
    expect(command.calls()).toHaveLength(1);
    expect(existsSync(dirname(String(command.calls()[0]?.file)))).toBe(false);
  });

  /** A script whose child leaves the group and holds the output open. */
  function createLeaver(rest: string): { readonly line: string; readonly pid: () => number | undefined } {
    const script = folder.join('leave.cjs');
    const file = folder.join('pid');
    writeFileSync(
      script,
      `const { spawn } = require('child_process');
       const child = spawn(process.execPath, ['-e', 'setTimeout(() => 0, 30000)'], { stdio: 'inherit', detached: true });
       require('fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
       child.unref();
       ${rest}`,
    );
    const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined) || undefined;
    return { line: `${program} ${script}`, pid };
  }

  it.each([
    ['when the signal fires', 'setTimeout(() => 0, 30000)', { status: 'rejected', reason: 'enough' }],
    ['when it has ended', "console.log('Hello.')", { status: 'fulfilled', value: 'Hello.' }],
    ['when it prints without end', "setInterval(() => process.stdout.write('a'.repeat(65536)), 1)", undefined],
  ])('does not wait for a process that outlives it, %s', async (_, rest, outcome) => {
    const { line, pid } = createLeaver(rest);
    const controller = new AbortController();
    const hearing = (await openRecognizer(line, environment))(audio, controller.signal);
    const settled = Promise.allSettled([hearing]);
    await eventually(() => pid() !== undefined, 'its child runs');
    try {
      if (outcome?.status === 'rejected') controller.abort('enough');
      const expected = outcome ?? { reason: { message: expect.stringMatching(/printed more than 1 MiB$/) } };
      expect((await settled)[0]).toMatchObject(expected);
      expect(isRunning(pid() as number)).toBe(true);
    } finally {
      process.kill(pid() as number, 'SIGKILL');
    }
  });

  it('runs one at a time', async () => {
    const script = folder.join('alone.cjs');
    const [begun, end] = [folder.join('begun'), folder.join('end')];
    writeFileSync(
      script,
      `const fs = require('fs');
       fs.appendFileSync(${JSON.stringify(begun)}, '.');
       const wait = () => (fs.existsSync(${JSON.stringify(end)}) ? console.log('heard') : setTimeout(wait, 10));
       wait();`,
    );
    const recognize = await openRecognizer(`${program} ${script}`, environment);
    const received = [1, 2, 3].map(() => recognize(audio, never));
    await eventually(() => existsSync(begun), 'the first one has begun');
    // Processes that had been started with it would also have begun when this one, which starts now, has ended.
    await promisify(execFile)(process.execPath, ['--eval', '']);
    expect(readFileSync(begun, 'utf8')).toBe('.');
    writeFileSync(end, '');
    expect(await Promise.all(received)).toEqual(['heard', 'heard', 'heard']);
  });

  it.each([
    ['', '--check-with is empty: give a command or a URL'],
    ['no-such-program --model x', '--check-with: command "no-such-program" not found'],
    ['/etc/passwd', '--check-with: command "/etc/passwd" not found'],
    ['whisper "open', '--check-with has an open quote: "whisper \\"open"'],
    ['http://', '--check-with: invalid URL "http://"'],
    ['http://me:sec/r@t@[bad/', '--check-with: invalid URL "http://***@[bad/"'],
    ['https://me:secret@example.org', '--check-with: the URL must not contain a password; set SVC_CHECK_KEY'],
  ])('is checked before it is needed: %j', async (line, message) => {
    await expectErrorWith(openRecognizer(line, environment), 'INVALID_REQUEST', message);
  });
});
