/** `--check-with` with a real process as recognizer: checked speech, and transcripts of prompts. */
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createFakeCommand, isRunning } from '../recognition/fake-command.ts';
import { says, startEndpoint } from '../recognition/fake-endpoint.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, endedWith, expectEndWith, invoke, jsonOf, manifestIn, type Outcome } from './invoke.ts';
import { smallModel } from './small-model.ts';

const model = smallModel();
const folder = freshFolder();
let out: string;
beforeEach(() => {
  out = folder.join('out.wav');
});

const wav = 'tests/fixtures/tiny-v1/prompt_a.wav';
const backend = { stopAt: 4, info: { contextLength: 100_000 } };
const environment = { PATH: process.env.PATH };
const svc = (argv: readonly string[], circumstances: Circumstances = {}): Promise<Outcome> =>
  invoke(argv, { backend, environment: { ...environment, SVC_SQLITE_PATH: folder.join('voices') }, ...circumstances });
const hearing = (...lines: readonly string[]) => createFakeCommand(folder.path, lines);
const speech = (...more: readonly string[]) => ['one two three four', '--output', out, '--seed', '7', ...more];
const speak = (...more: readonly string[]): string[] => ['tts', ...speech(...more)];

describe('checked speech', () => {
  it('reports every attempt, and keeps the best one', async () => {
    const { line } = hearing('one', 'one two three', 'nothing like it');
    const outcome = await svc(speak('--check-with', line, '--json'));
    const attempt = (seed: number, transcript: string, wordErrorRate: number) => ({
      ...{ part: 1, seed, problem: 'words', wordErrorRate, transcript, failure: null },
    });
    expect([outcome.code, outcome.stderr]).toEqual([
      0,
      'svc: warning: the speech is not recognized as written, even in the best attempt; try another seed or more attempts\n',
    ]);
    expect(jsonOf(outcome)).toMatchObject({
      seed: 8,
      attempts: [attempt(7, 'one', 0.75), attempt(8, 'one two three', 0.25), attempt(9, 'nothing like it', 1)],
    });
    expect(existsSync(out)).toBe(true);
  });

  it('has as many attempts and errors as requested', async () => {
    const { line, calls } = hearing('one two three', 'one two three');
    const lenient = await svc(speak('--check-with', line, '--max-word-errors', '0.25', '--json'));
    expect(jsonOf(lenient)).toMatchObject({ seed: 7, attempts: [{ problem: null, wordErrorRate: 0.25 }] });
    const once = await svc(speak('--check-with', line, '--retry-badcase-max-times', '1', '--json'));
    expect(jsonOf(once)).toMatchObject({ seed: 7, attempts: [{ problem: 'words' }] });
    expect(calls()).toHaveLength(2);
  });

  it('asks an endpoint', async () => {
    await using endpoint = await startEndpoint(says('no'), says('One, two, three, four!'));
    const outcome = await svc(speak('--check-with', endpoint.url, '--json'));
    expect(jsonOf(outcome)).toMatchObject({ seed: 8, attempts: [{ problem: 'words' }, { problem: null }] });
  });

  it('stays on disk when the recognizer fails, and the command fails', async () => {
    const { line } = hearing('!exit 1 no model');
    const outcome = await svc(speak('--check-with', line, '--json'));
    expect([outcome.code, ...outcome.stderr.split('\n')]).toEqual([
      1,
      expect.stringMatching(
        /warning: the speech is unchecked: the recognizer "node.*" failed with exit code 1: no model$/,
      ),
      `svc: error: ${out} was written, but the recognizer failed, so its words were not checked`,
      '',
    ]);
    expect(jsonOf(outcome)).toMatchObject({ attempts: [{ failure: expect.stringContaining('no model') }] });
    expect(existsSync(out)).toBe(true);
  });

  it('ends with Ctrl-C: no file, no process', async () => {
    const command = hearing('!hang');
    const controller = new AbortController();
    const speaking = svc(speak('--check-with', command.line), { signal: controller.signal });
    while (command.pids() === undefined) await wait(20);
    controller.abort();
    expect((await speaking).code).toBe(130);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('out'))).toEqual([]);
    while (command.pids()?.some(isRunning)) await wait(20);
  });

  it('says that a stream is not checked', async () => {
    const { line, calls } = hearing();
    const outcome = await svc(['tts', 'one', '--output', '-', '--check-with', line]);
    expect(outcome.stderr).toContain('--check-with has no effect on a stream');
    expect([outcome.code, calls()]).toEqual([0, []]);
  });

  it('checks the lines of a batch, whose manifest has the attempts', async () => {
    const { line } = hearing('no', 'one two', 'three four');
    const input = ['batch', '--input', '-', '--output-dir', folder.join('out'), ...model, '--seed', '7'];
    const run = (checkWith: string) =>
      svc([...input, '--max-batch', '1', '--check-with', checkWith, '--json'], { stdin: 'one two\nthree four\n' });
    expect(jsonOf(await run(line))).toMatchObject({ done: 2, failed: 0 });
    const first = { seed: 7, problem: 'words', transcript: 'no' };
    expect(manifestIn(folder.join('out'))).toMatchObject([
      { seed: 8, attempts: [first, { seed: 8, wordErrorRate: 0 }] },
      { seed: 7, attempts: [{ transcript: 'three four' }] },
    ]);
    expect(jsonOf(await run(line))).toMatchObject({ done: 0, skipped: 2 });
    // Another recognizer may judge otherwise.
    await using endpoint = await startEndpoint(says('one two'), says('three four'));
    expect(jsonOf(await run(endpoint.url))).toMatchObject({ done: 2, skipped: 0 });
  });
});

describe('the transcript of a prompt', () => {
  const note = `svc: transcript of ${wav}: "What she says." (correct it with --prompt-text)\n`;

  it('is supplied and shown', async () => {
    const { line, calls } = hearing('What she says.', 'one two three four');
    const outcome = await svc(['clone', ...speech('--prompt-audio', wav, '--check-with', line, '--json')]);
    expectEndWith(outcome, 0, note);
    expect(jsonOf(outcome)).toMatchObject({ promptText: 'What she says.' });
    expect(calls()).toHaveLength(2);
    const tokens = 'What she says.one two three four'.length;
    expect(outcome.backend.prefixes[0]?.tokens.length).toBeGreaterThan(tokens);
  });

  it('is the given one where there is one', async () => {
    const { line, calls } = hearing('one two three four');
    const outcome = await svc(
      speak('--prompt-audio', wav, '--prompt-text', 'By hand.', '--check-with', line, '--json'),
    );
    expect(jsonOf(outcome)).toMatchObject({ promptText: 'By hand.' });
    expect(calls()).toHaveLength(1);
  });

  it.each([
    ['', 2, `no words were recognized in "${wav}"; give its transcript with --prompt-text`],
    ['!exit 2 cannot load', 1, 'failed with exit code 2: cannot load'],
  ])('is needed: %j', async (received, code, message) => {
    const outcome = await svc(speak('--prompt-audio', wav, '--check-with', hearing(received).line));
    expect(outcome).toMatchObject({ ...endedWith(code, message), opened: [] });
  });

  it('is supplied for a stored voice', async () => {
    const add = ['voices', 'add', 'anna', '--audio', wav, '--check-with', hearing('What she says.').line];
    const outcome = await svc([...add, '--json']);
    expectEndWith(outcome, 0, `svc: transcript of ${wav}: "What she says." (correct it with --text)\n`);
    expect(jsonOf(outcome)).toMatchObject({ id: 'anna', text: 'What she says.' });
  });

  it('is supplied once for the lines of a batch', async () => {
    const { line, calls } = hearing('What she says.', 'one', 'two');
    const records = ['one', 'two'].map((text) => JSON.stringify({ text, promptAudio: wav })).join('\n');
    const output = folder.join('out');
    const input = ['batch', '--input', '-', '--output-dir', output, '--max-batch', '1', ...model];
    expectEndWith(await svc(input, { stdin: records }), 2, 'prompt audio needs prompt text');
    const outcome = await svc([...input, '--check-with', line, '--json'], { stdin: records });
    expect([jsonOf(outcome).done, calls().length]).toEqual([2, 3]);
    expect(outcome.stderr).toContain(`transcript of ${wav}: "What she says." (correct it with promptText)`);
    expect(manifestIn(output).at(-1)).toMatchObject({ promptText: 'What she says.' });
  });
});
