import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../../src/engine/backend.ts';
import { generate, type Utterance } from '../../src/engine/generate.ts';
import { recordedNoise, seededNoise } from '../../src/engine/noise.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';
import { collect } from '../support/collect.ts';
import { createFakeBackend, type FakeBackend } from './fake-backend.ts';

const utterance = (changes: Partial<Utterance> = {}): Utterance => ({
  ...{ tokens: new Int32Array(5), audioMask: new Uint8Array(5), features: new Float32Array(0) },
  ...{ textStart: 0, targetTokens: 5, context: new Float32Array(0), contextPatches: 0, discardPatches: 0 },
  ...{ maxPatches: 10, minLength: 2, cfg: 2, timesteps: 10, noise: seededNoise(1) },
  ...changes,
});

function withContext(contextPatches: number, discardPatches: number): Partial<Utterance> {
  return { context: new Float32Array(contextPatches * 6), contextPatches, discardPatches };
}

/** Wraps the fake in a scheduler, since it refuses overlapping calls like a runtime may. */
const queued = (backend: FakeBackend): Backend => createScheduler(backend, { maxBatch: 4 });

/** Calls of these kinds fail. */
const failing = (...kinds: readonly string[]): FakeBackend =>
  createFakeBackend({
    onCall: ({ kind }) => {
      if (kinds.includes(kind)) throw new Error(kind);
    },
  });

const expectClosed = (backend: FakeBackend): void => {
  expect(backend.opened.map(({ closed }) => closed)).toEqual(backend.opened.map(() => true));
};

describe('generate', () => {
  it('computes nothing before the first pull', async () => {
    const backend = createFakeBackend();
    const chunks = generate(queued(backend), utterance());
    await backend.settled();
    expect(backend.log).toEqual([]);
    await chunks.return();
    expect(backend.log).toEqual([]);
  });

  it('decodes each patch before the next step and closes the session', async () => {
    const backend = createFakeBackend();
    const chunks = await collect(generate(queued(backend), utterance({ maxPatches: 3 })));
    expect(backend.log).toEqual(['open', 'step 0', 'decode 0', 'step 0', 'decode 0', 'step 0', 'decode 0', 'close 0']);
    expect(chunks.map(({ index, end }) => `${index} ${end}`)).toEqual(['0 undefined', '1 undefined', '2 limit']);
    expect(chunks.map(({ samples }) => samples)).toEqual([0, 1, 2].map((value) => new Float32Array(4).fill(value)));
    const noise = seededNoise(1);
    for (const { index, patch } of chunks) expect([...patch]).toEqual([...noise.next(6).map((value) => value + index)]);
  });

  it.each([
    { stopAt: 0, minLength: 2, patches: 4, end: 'stop' },
    { stopAt: 0, minLength: 0, patches: 2, end: 'stop' },
    { stopAt: 5, minLength: 2, patches: 6, end: 'stop' },
    { stopAt: 0, minLength: 100, patches: 10, end: 'limit' },
    { stopAt: undefined, minLength: 2, patches: 10, end: 'limit' },
    { stopAt: 9, minLength: 2, patches: 10, end: 'stop' },
  ])(
    'stop flag from step $stopAt, minLength $minLength: $patches patches',
    async ({ stopAt, minLength, patches, end }) => {
      const backend = createFakeBackend(stopAt === undefined ? {} : { stopAt });
      const chunks = await collect(generate(queued(backend), utterance({ minLength })));
      expect(chunks).toHaveLength(patches);
      expect(chunks.at(-1)?.end).toBe(end);
      expect(backend.log.filter((entry) => entry === 'step 0')).toHaveLength(patches);
    },
    10_000,
  );

  it('yields nothing if no patch is allowed', async () => {
    const backend = createFakeBackend();
    expect(await collect(generate(queued(backend), utterance({ maxPatches: 0 })))).toEqual([]);
    expectClosed(backend);
  });

  it('primes the decoder with the context and drops its audio', async () => {
    const backend = createFakeBackend();
    const chunks = await collect(generate(queued(backend), utterance({ ...withContext(3, 3), maxPatches: 2 })));
    expect(backend.log.slice(0, 3)).toEqual(['open', 'decode 0', 'step 0']);
    expect(chunks.map(({ samples }) => samples[0])).toEqual([3, 4]);
  });

  it('drops the audio of the first generated patch if more is discarded than the context has', async () => {
    const backend = createFakeBackend();
    const chunks = await collect(generate(queued(backend), utterance({ ...withContext(1, 2), maxPatches: 3 })));
    expect(chunks.map(({ samples }) => [...samples])).toEqual([[], [2, 2, 2, 2], [3, 3, 3, 3]]);
    expect(chunks.every(({ patch }) => patch.length === 6)).toBe(true);
  });

  it('runs at most one step ahead of the consumer', async () => {
    const backend = createFakeBackend();
    const chunks = generate(queued(backend), utterance());
    await chunks.next();
    await backend.settled();
    expect(backend.log).toEqual(['open', 'step 0', 'decode 0', 'step 0']);
    await chunks.next();
    await backend.settled();
    expect(backend.log).toEqual(['open', 'step 0', 'decode 0', 'step 0', 'decode 0', 'step 0']);
    await chunks.return();
    expectClosed(backend);
  });

  it('withdraws the waiting step when the consumer leaves', async () => {
    const backend = createFakeBackend();
    const chunks = generate(queued(backend), utterance());
    await chunks.next();
    await chunks.return();
    await backend.settled();
    expect(backend.log).toEqual(['open', 'step 0', 'decode 0', 'close 0']);
  });

  it('requests no step after the last patch', async () => {
    const backend = createFakeBackend({ stopAt: 0 });
    const chunks = generate(queued(backend), utterance());
    for (let index = 0; index < 4; index += 1) await chunks.next();
    await backend.settled();
    expect(backend.log.filter((entry) => entry === 'step 0')).toHaveLength(4);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it.each([1, 2, 3])('closes the session when the consumer breaks after %i chunks', async (count) => {
    for (const backend of [createFakeBackend(), createFakeBackend({ delayMilliseconds: 5 })]) {
      let seen = 0;
      for await (const _ of generate(queued(backend), utterance(withContext(2, 2)))) {
        seen += 1;
        if (seen === count) break;
      }
      expectClosed(backend);
    }
  });

  it('rejects without opening a session if the signal is already aborted', async () => {
    const backend = createFakeBackend();
    const run = collect(generate(queued(backend), utterance(), AbortSignal.abort()));
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(backend.log).toEqual([]);
  });

  // Calls with context: open, decode of the context, then a step and a decode per patch.
  it.each([0, 1, 2, 3, 4, 5, 6, 7])('closes the session when the signal aborts during call %i', async (victim) => {
    const controller = new AbortController();
    let calls = 0;
    const backend = createFakeBackend({
      onCall: () => {
        if (calls === victim) controller.abort();
        calls += 1;
      },
    });
    const scheduler = queued(backend);
    const run = collect(generate(scheduler, utterance(withContext(2, 2)), controller.signal));
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED', message: 'canceled' });
    expect(calls).toBeLessThanOrEqual(victim + 2);
    expectClosed(backend);
  });

  it('closes the session when the signal aborts and the consumer never pulls again', async () => {
    const backend = createFakeBackend();
    const controller = new AbortController();
    const chunks = generate(queued(backend), utterance(), controller.signal);
    await chunks.next();
    controller.abort();
    await backend.settled();
    expectClosed(backend);
    expect(backend.opened).toHaveLength(1);
    await expect(chunks.next()).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('reports a failure of call %i unchanged and closes the session', async (victim) => {
    let calls = 0;
    const backend = createFakeBackend({
      onCall: () => {
        calls += 1;
        if (calls - 1 === victim) throw Object.assign(new Error('no memory'), { code: 'OUT_OF_MEMORY' });
      },
    });
    const scheduler = queued(backend);
    const run = collect(generate(scheduler, utterance(withContext(2, 2))));
    await expect(run).rejects.toMatchObject({ code: 'OUT_OF_MEMORY', message: 'no memory' });
    expectClosed(backend);
  });

  it('reports the first failure if closing fails too', async () => {
    await expect(collect(generate(queued(failing('step', 'close')), utterance()))).rejects.toThrow('step');
  });

  it('reports a failure of closing after success', async () => {
    const run = collect(generate(queued(failing('close')), utterance({ maxPatches: 1 })));
    await expect(run).rejects.toThrow('close');
  });

  it('closes the session when the noise fails', async () => {
    const backend = createFakeBackend();
    const noise = recordedNoise([new Float32Array(6)]);
    const run = collect(generate(queued(backend), utterance({ noise })));
    await expect(run).rejects.toThrow('recorded noise ends after 1 frames');
    expectClosed(backend);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    await collect(generate(queued(createFakeBackend()), utterance({ maxPatches: 1 }), signal));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
