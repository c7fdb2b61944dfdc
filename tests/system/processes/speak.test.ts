/** The command line as a process, with the demo model and the native runtime. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { type ChildOutcome, outcomeOf } from '../../support/children.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { freshFolder, sharedFolder } from '../../support/test-folder.ts';

const folder = freshFolder();
const spoken = join(sharedFolder(), 'spoken.wav');

const start = (...argv: string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [svcProgram, ...argv, '--backend', 'cpu', '--threads', '1']);

const speak = (...argv: string[]): Promise<ChildOutcome> => outcomeOf(start('tts', ...argv));

const sentence = ['--text', 'The weather is nice today.'];
/** Far longer than a test waits. */
const endless = ['--text', 'on and on '.repeat(60), '--min-length', '3000', '--inference-timesteps', '100'];

describe('svc tts on the demo model', () => {
  let outcome: ChildOutcome;
  beforeAll(async () => {
    outcome = await speak(...sentence, '--seed', '3', '--json', '--output', spoken);
  });

  it('writes a file, the same for the same seed, and reports', async () => {
    const [second, other] = [folder.join('2.wav'), folder.join('3.wav')];
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    await speak(...sentence, '--seed', '3', '--output', second);
    await speak(...sentence, '--seed', '4', '--output', other);
    const bytes = await readFile(spoken);
    expect(bytes.equals(await readFile(second))).toBe(true);
    expect(bytes.equals(await readFile(other))).toBe(false);

    const { samples, sampleRate } = decodeWav(bytes);
    const report = JSON.parse(outcome.stdout.toString()) as Record<string, number | string>;
    expect(report).toMatchObject({ model: 'demo', seed: 3, sampleRate: 16_000, backend: expect.stringMatching(/CPU/) });
    expect(report.audioSeconds).toBeCloseTo(samples.length / sampleRate, 3);
    expect(samples).toHaveLength(Number(report.patches) * 1280);
    // Five spoken words, not silence.
    expect(report.audioSeconds).toBeGreaterThan(1);
    expect(report.audioSeconds).toBeLessThan(4);
    expect(Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)).toBeGreaterThan(0.01);
  });

  it('streams the same samples to standard output', async () => {
    const stream = await speak(...sentence, '--seed', '3', '--json', '--output', '-');
    expect(stream.code).toBe(0);
    expect(decodeWav(stream.stdout).samples).toEqual(decodeWav(await readFile(spoken)).samples);
    expect(JSON.parse(stream.stderr)).toMatchObject({ seed: 3 });
  });

  it('reads the text from standard input', async () => {
    const child = start('tts', '--seed', '3', '--output', folder.join('out.wav'), '--json');
    child.stdin.end('Hello.\n');
    const { code, stdout } = await outcomeOf(child);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.toString())).toMatchObject({ seed: 3 });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves no file and exits with 130 at %s', async (signal) => {
    const child = start('tts', ...endless, '--verbose', '--output', folder.join('out.wav'));
    await once(child.stderr, 'data');
    await wait(200);
    child.kill(signal);
    const { code, stdout, stderr } = await outcomeOf(child);
    expect([code, stdout.length]).toEqual([130, 0]);
    expect(stderr).toMatch(/^svc: canceled\n/);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('stops at SIGINT while streaming', async () => {
    const child = start('tts', ...endless, '--quiet', '--output', '-');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await outcomeOf(child)).toMatchObject({ code: 130, stderr: 'svc: canceled\n' });
  });

  it('stops at the first SIGINT where nobody reads', async () => {
    const child = start('tts', ...endless, '--quiet', '--output', '-');
    await once(child.stdout, 'readable');
    // The pipe is full soon.
    await wait(3000);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });

  it('exits silently when the reader of standard output closes the pipe', async () => {
    const child = start('tts', ...endless, '--quiet', '--output', '-');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await outcomeOf(child)).toMatchObject({ code: 0, stderr: '' });
  });

  it('warns about a long text', async () => {
    const prompt = ['--prompt-audio', 'tests/fixtures/tiny-v1/prompt_a.wav', '--prompt-text', 'one two'];
    const limit = ['--no-split', '--max-length', '3', '--no-retry-badcase', '--output', folder.join('out.wav')];
    const { code, stderr } = await outcomeOf(start('clone', ...prompt, '--text', 'on and on '.repeat(14), ...limit));
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /warning: the text has 140 characters, and model .* drops words past \d+; leave out --no-split\n/,
    );
  });
});
