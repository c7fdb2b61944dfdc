import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { brokerKeys } from '../../src/broker/keys.ts';
import type { Listeners } from '../../src/broker/listeners.ts';
import { pack } from '../../src/broker/packing.ts';
import { protocolVersion, type TaskData, type TaskKind } from '../../src/broker/task.ts';
import { type TaskContext, workTask } from '../../src/broker/work-task.ts';
import { createEngineOver } from '../../src/engine/engine.ts';
import { SvcError } from '../../src/errors.ts';
import { createFakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import { createMemoryAnswers, type MemoryAnswers } from './memory-answers.ts';

const never = new AbortController().signal;

/** A task, and the context of a worker with a fake backend. */
function prepare(kind: TaskKind, request: object, answers: MemoryAnswers, options: FakeOptions = {}) {
  const { json, floats } = pack(request);
  const task: TaskData = { version: protocolVersion, task: 'one', kind, request: json, news: 'news', model: 'model' };
  const leaving = new AbortController();
  const listeners: Listeners = {
    watch: () => ({ signal: leaving.signal, room: async () => 'room', stop: () => undefined }),
    close: () => undefined,
  };
  const backend = createFakeBackend({ stopAt: 9, ...options });
  const engine = createEngineOver(backend, { maxBatch: 2 });
  const redis = { getBuffer: async () => (floats.length > 0 ? floats : null) } as unknown as Redis;
  const context: TaskContext = { redis, keys: brokerKeys('test'), engine, answers, listeners, identity: 'model' };
  return { task, context, engine, backend, leaving };
}

const request = { text: 'Hello there.', seed: 7 };

async function direct(): Promise<readonly number[]> {
  const { engine } = prepare('stream', request, createMemoryAnswers());
  return [...(await engine.synthesize({ ...request, retryBadcase: false })).samples];
}

describe('workTask', () => {
  it('sends the same audio as the engine, piece by piece', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('stream', request, answers);
    expect(await workTask(context, task, never)).toEqual({ end: 'done', made: answers.heard.length });
    expect(answers.heard).toEqual(await direct());
    expect(answers.outcome).toMatchObject({ kind: 'done' });
    expect(answers.pieces.length).toBeGreaterThan(5);
    expect(answers.pieces.at(-1)?.details).toMatchObject({ part: 0, end: 'stop' });
  });

  it('continues where another worker died', async () => {
    const dying = new AbortController();
    const answers = createMemoryAnswers((count) => {
      if (count === 4) dying.abort(new SvcError('CANCELLED', 'the worker dies'));
    });
    const first = prepare('stream', request, answers);
    await expect(workTask(first.context, first.task, dying.signal)).rejects.toThrow('the worker dies');
    expect(answers.outcome).toBeUndefined();
    const before = answers.heard.length;
    const second = prepare('stream', request, answers);
    await workTask(second.context, second.task, never);
    expect(answers.heard).toEqual(await direct());
    expect(answers.pieces.some(({ start }) => start === before)).toBe(true);
    expect(answers.outcome).toMatchObject({ kind: 'done' });
  });

  it('gives the same answer when two workers run the task', async () => {
    const answers = createMemoryAnswers();
    const workers = [prepare('stream', request, answers), prepare('stream', request, answers)];
    await Promise.all(workers.map(({ context, task }) => workTask(context, task, never)));
    expect(answers.heard).toEqual(await direct());
  });

  it('computes nothing when nobody listens or the task has ended', async () => {
    for (const end of [(answers: MemoryAnswers) => answers.leave(), (answers: MemoryAnswers) => finish(answers)]) {
      const answers = createMemoryAnswers();
      end(answers);
      const { task, context, backend } = prepare('stream', request, answers);
      expect(await workTask(context, task, never)).toEqual({ end: 'left', made: 0 });
      expect(backend.calls).toEqual([]);
    }
  });

  it('stops within a step when the listener leaves', async () => {
    let leave = (): void => undefined;
    const answers = createMemoryAnswers((count) => {
      if (count === 3) leave();
    });
    const { task, context, backend } = prepare('stream', request, answers, { stopAt: 1000 });
    leave = () => answers.leave();
    expect((await workTask(context, task, never)).end).toBe('left');
    expect(backend.log.filter((call) => call.startsWith('step')).length).toBeLessThanOrEqual(6);
    expect(backend.opened.every(({ closed }) => closed)).toBe(true);
  });

  it('stops when the listener reads nothing for too long', async () => {
    const answers = createMemoryAnswers((count) => {
      if (count === 3) prepared.leaving.abort();
    });
    const prepared = prepare('stream', request, answers, { stopAt: 1000 });
    expect((await workTask(prepared.context, prepared.task, never)).end).toBe('left');
    expect(answers.outcome).toBeUndefined();
  });

  it('reports errors to the listener', async () => {
    const answers = createMemoryAnswers();
    const onCall = (): void => {
      throw new SvcError('OUT_OF_MEMORY', 'out of memory in a step');
    };
    const { task, context } = prepare('stream', request, answers, { onCall });
    expect((await workTask(context, task, never)).end).toBe('failed');
    expect(answers.outcome).toEqual({
      kind: 'failed',
      code: 'OUT_OF_MEMORY',
      message: 'out of memory in a step',
    });
  });

  it('refuses tasks for another model', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('stream', request, answers);
    expect((await workTask(context, { ...task, model: 'other' }, never)).end).toBe('failed');
    expect(answers.outcome).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('generates parts, and encodes recordings', async () => {
    const parts = createMemoryAnswers();
    const one = prepare('parts', { ...request, retryBadcase: true }, parts);
    await workTask(one.context, one.task, never);
    expect(parts.heard).toEqual(await direct());
    expect(parts.pieces[0]?.details).toMatchObject({ index: 0, text: 'Hello there.', attempts: 1, end: 'stop' });

    const audio = { samples: new Float32Array(64).fill(0.5), sampleRate: 16_000, channels: 1 };
    const patches = createMemoryAnswers();
    const two = prepare('encode', { audio, role: 'prompt' }, patches);
    await workTask(two.context, two.task, never);
    expect(patches.heard).toEqual([...(await two.engine.encode(audio, 'prompt')).patches]);
  });
});

const finish = (answers: MemoryAnswers): void => void answers.finish({ task: 'one', news: '' }, { kind: 'done' });

it('refuses tasks of another protocol version', async () => {
  const answers = createMemoryAnswers();
  const { task, context, backend } = prepare('stream', request, answers);
  const other = { ...task, version: 2, text: 'of a form that is not known here' };
  expect(await workTask(context, other, never)).toEqual({ end: 'failed', made: 0 });
  expect(answers.outcome).toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining('versions') });
  expect(backend.opened).toEqual([]);
});

describe('warnings', () => {
  const text = 'hello 你好';

  it('come with the first piece that has audio', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('stream', { ...request, text }, answers);
    await workTask(context, task, never);
    expect(answers.pieces.map(({ warnings }) => warnings.length)).toEqual([1, ...answers.pieces.slice(1).map(() => 0)]);
    expect(answers.pieces[0]?.warnings[0]).toContain('你好');
  });

  it('come with the outcome if they arise at the end', async () => {
    const answers = createMemoryAnswers();
    const { task, context } = prepare('parts', request, answers, { loudness: () => 0 });
    await workTask(context, task, never);
    expect(answers.pieces.at(-1)?.warnings).toEqual(['the speech is silent; try another seed or another text']);
    expect(answers.outcome).toEqual({ kind: 'done', warnings: [] });
  });
});
