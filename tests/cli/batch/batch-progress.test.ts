import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type BatchProgressOptions, createBatchProgress, nameLine } from '../../../src/cli/batch/batch-progress.ts';
import type { Io } from '../../../src/cli/io.ts';
import type { ModelInfo } from '../../../src/engine/backend.ts';
import { SvcError } from '../../../src/errors.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const info = { name: 'tiny', device: 'cpu' } as ModelInfo;
const result = (audioSeconds: number, warnings: readonly string[] = [], end: 'stop' | 'limit' = 'stop') => ({
  audioSeconds,
  end,
  warnings,
});
const failure = new SvcError('IO', 'no disk');

/** A progress whose output is read in pieces. */
function open(total: number, options: Partial<BatchProgressOptions> = {}, isTTY = false) {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY, columns: 200 })];
  const progress = createBatchProgress(
    total,
    { maxBatch: 2, ...options } as BatchProgressOptions,
    { stdout, stderr, environment: {} } as unknown as Io,
  );
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  /** The last state of the progress bar. */
  const shown = (): string | undefined => stripVTControlCharacters(read(stderr)).split('] ').at(-1);
  return { progress, stdout: () => read(stdout), stderr: () => read(stderr), shown };
}

describe('the progress of a batch', () => {
  it('counts every outcome, and estimates from the lines that took time', () => {
    const { progress, shown } = open(8, {}, true);
    expect(shown()).toBe('0 %, 0 of 8 lines');
    progress.begin(info);
    progress.skipped();
    jest.advanceTimersByTime(2_000);
    progress.done(2, 'b', result(4));
    expect(shown()).toBe('25 %, 2 of 8 lines, 0.5 lines/s, 12 s left, RTF 0.5');
    jest.advanceTimersByTime(2_000);
    progress.failed(3, 'c', failure);
    expect(shown()).toBe('37 %, 3 of 8 lines, 0.5 lines/s, 10 s left, RTF 1, 1 failed');
    // A run that is resumed repeats what failed.
    expect(progress.describe()).toBe('2 of 8 lines');
    progress.stop();
  });
});

describe('the report of a batch', () => {
  it('has the counts and times in JSON', () => {
    const { progress, stdout } = open(3, { json: true });
    progress.begin(info);
    jest.advanceTimersByTime(1_500);
    progress.done(1, 'a', result(1.00004, ['quiet', 'noisy'], 'limit'));
    progress.done(2, 'b', result(2, []));
    progress.skipped();
    progress.report('m.jsonl');
    expect(JSON.parse(stdout())).toEqual({
      utterances: 3,
      ...{ done: 2, skipped: 1, failed: 0, limited: 1, warned: 1 },
      ...{ audioSeconds: 3, seconds: 1.5, rtf: 0.5, maxBatch: 2, model: 'tiny', backend: 'cpu', manifest: 'm.jsonl' },
    });
  });

  it('lists twenty warnings and failures, in the order of lines, and counts the others', () => {
    const { progress, stderr } = open(100);
    for (let line = 45; line > 0; line -= 1) {
      if (line > 22) progress.failed(line, null, failure);
      else progress.done(line, `id-${line}`, result(1, ['each', `only ${line}`]));
    }
    expect(() => progress.report('m.jsonl')).toThrow('23 of 100 lines failed; see m.jsonl');
    const lines = stderr().trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('only'))).toHaveLength(19);
    expect(lines.slice(0, 2)).toEqual([
      'svc: warning: line 22 (id-22) and 21 more: each',
      'svc: warning: line 22 (id-22): only 22',
    ]);
    expect(lines).toContain('svc: warning: 3 more warnings are in m.jsonl');
    const failures = Array.from({ length: 20 }, (_, index) => `svc: error: line ${26 + index}: no disk`);
    expect(lines.slice(-21)).toEqual([...failures, 'svc: error: 3 more failures are in m.jsonl']);
  });

  it.each([
    [['IO', 'IO'], 'IO'],
    [['IO', 'CONFLICT'], 'INTERNAL'],
  ] as const)('fails after %j with %s', (codes, code) => {
    const { progress } = open(2);
    for (const [index, each] of codes.entries()) progress.failed(index + 1, null, new SvcError(each, 'problem'));
    expect(() => progress.report('m.jsonl')).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [{}, false, ''],
    [{ quiet: true }, true, ''],
    [{ verbose: true }, false, 'svc: 1 spoken, 0 unchanged, 0 failed, 2 s of speech in 1 s (RTF 0.5)\n'],
  ] as const)('with %j, terminal %s, is summarized as %j', (options, isTTY, expected) => {
    const { progress, stderr } = open(1, options, isTTY);
    progress.begin(info);
    jest.advanceTimersByTime(1_000);
    progress.done(1, 'a', result(2));
    progress.report('m.jsonl');
    expect(stderr()).toBe(expected);
  });
});

describe('nameLine', () => {
  it.each([
    [null, 'line 3'],
    ['a'.repeat(40), `line 3 (${'a'.repeat(40)})`],
    ['a'.repeat(41), `line 3 (${'a'.repeat(40)}…)`],
  ])('of %j is %j', (id, name) => {
    expect(nameLine(3, id)).toBe(name);
  });
});
