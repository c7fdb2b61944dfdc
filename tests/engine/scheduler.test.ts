import { describe, expect, it } from '@jest/globals';
import type { Backend, Prefix, Session } from '../../src/engine/backend.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';
import { createFakeBackend, type FakeCall, type FakeOptions } from './fake-backend.ts';

const prefix: Prefix = { tokens: new Int32Array(2), audioMask: new Uint8Array(2), features: new Float32Array(0) };
const noise: Float32Array = new Float32Array(6);

const open = (scheduler: Backend, signal?: AbortSignal, timesteps = 10): Promise<Session> =>
  scheduler.open({ ...prefix, cfg: 2, timesteps }, signal);
const openMany = (scheduler: Backend, count: number, timesteps?: number): Promise<Session[]> =>
  Promise.all(Array.from({ length: count }, () => open(scheduler, undefined, timesteps)));

function setUp(maxBatch = 8, options: FakeOptions = {}) {
  const backend = createFakeBackend(options);
  return { backend, scheduler: createScheduler(backend, { maxBatch }) };
}

const step = (scheduler: Backend, session: Session) => scheduler.step([{ session, noise }]);
const decode = (scheduler: Backend, session: Session, patches = noise) => scheduler.decode([{ session, patches }]);

describe('createScheduler', () => {
  it('runs waiting steps as one batch, at most maxBatch, oldest first', async () => {
    const { backend, scheduler } = setUp(3);
    const sessions = await openMany(scheduler, 5);
    backend.calls.length = 0;
    await Promise.all(sessions.map((session) => step(scheduler, session)));
    expect(backend.log).toEqual(['step 0+1+2', 'step 3+4']);
  });

  it('returns to each caller its own results', async () => {
    const { scheduler } = setUp(3);
    const sessions = await openMany(scheduler, 3);
    const stepWith = (session: Session, value: number) =>
      scheduler.step([{ session, noise: new Float32Array(6).fill(value) }]);
    const steps = await Promise.all(sessions.map(stepWith));
    expect(steps.map(([first]) => first?.patch[0])).toEqual([0, 1, 2]);
  });

  it('keeps batches together over many steps', async () => {
    const { backend, scheduler } = setUp();
    const sessions = await openMany(scheduler, 3);
    backend.calls.length = 0;
    const speak = async (session: Session): Promise<void> => {
      for (let index = 0; index < 3; index += 1) {
        const [result] = await step(scheduler, session);
        await decode(scheduler, session, result?.patch);
      }
    };
    await Promise.all(sessions.map(speak));
    expect(backend.log).toEqual(Array.from({ length: 3 }, () => ['step 0+1+2', 'decode 0+1+2']).flat());
  });

  it('adds new steps to the next batch', async () => {
    const { backend, scheduler } = setUp();
    const [first, second, third] = (await openMany(scheduler, 3)) as [Session, Session, Session];
    backend.calls.length = 0;
    const release = backend.hold();
    const running = step(scheduler, first);
    await backend.settled();
    const newcomers = [step(scheduler, second), step(scheduler, third)];
    await backend.settled();
    expect(backend.log).toEqual(['step 0']);
    release();
    await Promise.all([running, ...newcomers]);
    expect(backend.log).toEqual(['step 0', 'step 1+2']);
  });

  it('batches only equal timesteps and equal lengths', async () => {
    const { backend, scheduler } = setUp();
    const sessions = [...(await openMany(scheduler, 2, 10)), ...(await openMany(scheduler, 2, 4))];
    backend.calls.length = 0;
    await Promise.all(sessions.map((session) => step(scheduler, session)));
    const decodeSome = (session: Session, index: number) =>
      decode(scheduler, session, new Float32Array(index % 2 ? 12 : 6));
    await Promise.all(sessions.map(decodeSome));
    expect(backend.log).toEqual(['step 0+1', 'step 2+3', 'decode 0+2', 'decode 1+3']);
  });

  it('keeps the order of a session: a step does not overtake its decode', async () => {
    const { backend, scheduler } = setUp();
    const [first, second] = (await openMany(scheduler, 2)) as [Session, Session];
    backend.calls.length = 0;
    const before = [step(scheduler, first), decode(scheduler, second)];
    await Promise.all([...before, step(scheduler, second), step(scheduler, first)]);
    expect(backend.log).toEqual(['step 0', 'decode 1', 'step 1+0']);
  });

  it('is fair: a prefill waits for the calls before it and no others', async () => {
    const { backend, scheduler } = setUp(1);
    const [first, second] = (await openMany(scheduler, 2)) as [Session, Session];
    backend.calls.length = 0;
    await Promise.all([step(scheduler, first), open(scheduler), step(scheduler, second)]);
    expect(backend.log).toEqual(['step 0', 'open', 'step 1']);
  });

  it('accepts several members in one call', async () => {
    const { scheduler } = setUp();
    const sessions = await openMany(scheduler, 2);
    expect(await scheduler.step(sessions.map((session) => ({ session, noise })))).toHaveLength(2);
    expect(await scheduler.step([])).toEqual([]);
  });

  it('rejects exactly the members of a failed batch', async () => {
    let failing = true;
    const onCall = ({ kind }: FakeCall): void => {
      if (kind !== 'step' || !failing) return;
      failing = false;
      throw Object.assign(new Error('no memory'), { code: 'OUT_OF_MEMORY' });
    };
    const { scheduler } = setUp(2, { onCall });
    const sessions = await openMany(scheduler, 3);
    const outcomes = await Promise.allSettled(sessions.map((session) => step(scheduler, session)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect((outcomes[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'OUT_OF_MEMORY' });
    await expect(step(scheduler, sessions[0] as Session)).resolves.toHaveLength(1);
  });

  it('rejects the batch if the backend returns too few results', async () => {
    const backend = createFakeBackend();
    const scheduler = createScheduler({ ...backend, step: async () => [] }, { maxBatch: 2 });
    const [session] = (await openMany(scheduler, 1)) as [Session];
    await expect(step(scheduler, session)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('withdraws only the waiting calls of a session whose signal aborts', async () => {
    const { backend, scheduler } = setUp();
    const controller = new AbortController();
    const canceled = await open(scheduler, controller.signal);
    const [other] = (await openMany(scheduler, 1)) as [Session];
    const release = backend.hold();
    const running = step(scheduler, other);
    await backend.settled();
    const waiting = step(scheduler, canceled);
    const alsoWaiting = decode(scheduler, other);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(step(scheduler, canceled)).rejects.toMatchObject({ code: 'CANCELLED' });
    release();
    await Promise.all([running, alsoWaiting]);
    await canceled.close();
    expect(backend.log).toEqual(['open', 'open', 'step 1', 'decode 1', 'close 0']);
  });

  it('withdraws a waiting prefill', async () => {
    const { backend, scheduler } = setUp();
    const [session] = (await openMany(scheduler, 1)) as [Session];
    const release = backend.hold();
    const running = step(scheduler, session);
    const controller = new AbortController();
    const opening = open(scheduler, controller.signal);
    await backend.settled();
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' });
    release();
    await running;
    expect(backend.opened).toHaveLength(1);
  });

  it('closes a session that was opened after its signal aborted', async () => {
    const { backend, scheduler } = setUp();
    const release = backend.hold();
    const controller = new AbortController();
    const opening = open(scheduler, controller.signal);
    await backend.settled();
    controller.abort();
    const outcome = expect(opening).rejects.toMatchObject({ code: 'CANCELLED' });
    release();
    await outcome;
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true]);
  });

  it('closes a session once, before waiting calls, and withdraws its calls', async () => {
    const { backend, scheduler } = setUp();
    const [first, second] = (await openMany(scheduler, 2)) as [Session, Session];
    backend.calls.length = 0;
    const release = backend.hold();
    const running = step(scheduler, second);
    await backend.settled();
    const waiting = [decode(scheduler, second), step(scheduler, first)];
    const closing = Promise.all([first.close(), first.close()]);
    await expect(waiting[1]).rejects.toMatchObject({ code: 'CANCELLED' });
    release();
    await Promise.all([running, waiting[0], closing]);
    expect(backend.log).toEqual(['step 1', 'close 0', 'decode 1']);
    await expect(step(scheduler, first)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('on disposal, withdraws waiting calls, closes all sessions and disposes the backend last', async () => {
    const { backend, scheduler } = setUp();
    const [first, second] = (await openMany(scheduler, 2)) as [Session, Session];
    const release = backend.hold();
    const running = step(scheduler, first);
    await backend.settled();
    const waiting = [step(scheduler, second), scheduler.encode(new Float32Array(4)), open(scheduler)];
    const outcomes = Promise.allSettled(waiting);
    const disposing = [scheduler[Symbol.asyncDispose](), scheduler[Symbol.asyncDispose]()];
    release();
    await Promise.all([running, ...disposing]);
    for (const outcome of await outcomes) expect(outcome.status).toBe('rejected');
    expect(backend.opened.every(({ closed }) => closed)).toBe(true);
    expect(backend.disposed()).toBe(true);
    await expect(open(scheduler)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(scheduler.encode(new Float32Array(4))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(step(scheduler, second)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('closes a session whose prefill is running during disposal', async () => {
    const { backend, scheduler } = setUp();
    const release = backend.hold();
    const opening = open(scheduler);
    const outcome = expect(opening).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await backend.settled();
    const disposing = scheduler[Symbol.asyncDispose]();
    release();
    await Promise.all([outcome, disposing]);
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true]);
  });

  describe('calls in slices', () => {
    /** Each starts a long call; the backend sees its kind. */
    const longCalls: [string, (scheduler: Backend, signal?: AbortSignal) => Promise<unknown>][] = [
      ['encode', (scheduler, signal) => scheduler.encode(new Float32Array(4), signal)],
      ['open', open],
    ];

    /** An open session, and a backend whose later calls take three slices. */
    async function openOne(onCall?: FakeOptions['onCall']) {
      const slicing: { slices: number } & FakeOptions = { slices: 1, ...(onCall === undefined ? {} : { onCall }) };
      const { backend, scheduler } = setUp(8, slicing);
      const [session] = (await openMany(scheduler, 1)) as [Session];
      slicing.slices = 3;
      backend.calls.length = 0;
      return { backend, scheduler, session };
    }

    it.each(longCalls)('%s lets steps of others run between slices', async (kind, begin) => {
      const { backend, scheduler, session } = await openOne();
      const calling = begin(scheduler);
      for (let index = 0; index < 3; index += 1) await step(scheduler, session);
      await calling;
      expect(backend.log).toEqual([kind, 'step 0', kind, 'step 0', kind, 'step 0']);
    });

    it.each(longCalls)('two of %s take turns', async (kind, begin) => {
      const { backend, scheduler } = await openOne();
      await Promise.all([begin(scheduler), begin(scheduler)]);
      expect(backend.log).toEqual(Array(6).fill(kind));
    });

    it.each(longCalls)('%s ends between two slices when its signal aborts', async (kind, begin) => {
      const { backend, scheduler, session } = await openOne();
      const controller = new AbortController();
      const release = backend.hold();
      const calling = begin(scheduler, controller.signal);
      await backend.settled();
      const stepping = step(scheduler, session);
      controller.abort();
      release();
      await expect(calling).rejects.toMatchObject({ code: 'CANCELLED' });
      await stepping;
      expect(backend.log).toEqual([kind, 'step 0']);
    });

    it.each(longCalls)('%s is withdrawn while it waits for its next slice', async (kind, begin) => {
      const controller = new AbortController();
      const onCall = (call: FakeCall): void => {
        if (call.kind === 'step') controller.abort();
      };
      const { backend, scheduler, session } = await openOne(onCall);
      const calling = begin(scheduler, controller.signal);
      await Promise.all([expect(calling).rejects.toMatchObject({ code: 'CANCELLED' }), step(scheduler, session)]);
      await scheduler.encode(new Float32Array(4));
      expect(backend.log.slice(0, 2)).toEqual([kind, 'step 0']);
      expect(backend.log).toHaveLength(5);
    });

    it.each(longCalls)('%s ends on disposal, before the backend', async (kind, begin) => {
      const { backend, scheduler } = await openOne();
      const release = backend.hold();
      const outcome = expect(begin(scheduler)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
      await backend.settled();
      const disposing = scheduler[Symbol.asyncDispose]();
      release();
      await Promise.all([outcome, disposing]);
      expect(backend.log.filter((entry) => entry === kind)).toHaveLength(1);
      expect(backend.disposed()).toBe(true);
    });
  });
});
