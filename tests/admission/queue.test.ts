import { setMaxListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createQueue, type Job } from '../../src/admission/queue.ts';
import { eventually as eventuallyNamed } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';

const eventually = (check: () => boolean): Promise<void> => eventuallyNamed(check, 'it is so');
const never = new AbortController().signal;
// Requests of a test share it.
setMaxListeners(Number.POSITIVE_INFINITY, never);
const enter = (queue: ReturnType<typeof createQueue>, name = 'n', signal = never) => queue.enter({ name, signal });
/** A queue with one slot, which a job has. */
async function busy(maxWaiting = 9) {
  const queue = createQueue({ slots: 1, maxWaiting });
  return { queue, job: await enter(queue, 'first') };
}

describe('createQueue', () => {
  it('runs up to `slots` jobs at once, others in order of arrival', async () => {
    const queue = createQueue({ slots: 2, maxWaiting: 9 });
    const order: string[] = [];
    const first = await enter(queue);
    const second = await enter(queue);
    const rest = ['c', 'd', 'e'].map(async (name) => {
      const job = await enter(queue, name);
      order.push(name);
      return job;
    });
    expect([queue.active, queue.waiting, queue.current]).toEqual([2, 3, first.id]);
    second.release();
    await rest[0];
    expect(order).toEqual(['c']);
    first.release();
    await rest[1];
    (await rest[0])?.release();
    await rest[2];
    expect(order).toEqual(['c', 'd', 'e']);
  });

  it('gives a slot to the key that has the fewest for its weight', async () => {
    const queue = createQueue({ slots: 3, maxWaiting: 99 });
    const began: string[] = [];
    const running: Job[] = [];
    const ask = async (owner: string, weight = 1): Promise<void> => {
      running.push(await queue.enter({ name: owner, owner, weight, signal: never }));
      began.push(owner);
    };
    for (let index = 0; index < 9; index += 1) void ask('anna');
    for (let index = 0; index < 3; index += 1) void ask('ben', 2);
    await eventually(() => began.length === 3);
    for (let count = 4; count <= 5; count += 1) {
      running.shift()?.release();
      await eventually(() => began.length === count);
    }
    expect(began).toEqual(['anna', 'anna', 'anna', 'ben', 'ben']);
    for (let count = 6; count <= 12; count += 1) {
      running.shift()?.release();
      await eventually(() => began.length === count);
    }
    for (const job of running) job.release();
  });

  it('refuses immediately when too many wait', async () => {
    const { queue, job } = await busy(1);
    const waiting = enter(queue);
    await expect(enter(queue)).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    expect(() => queue.assertRoom()).toThrow(expect.objectContaining({ code: 'QUEUE_FULL' }));
    expect(queue.retryAfter).toBeGreaterThanOrEqual(1);
    job.release();
    (await waiting).release();
    (await enter(queue)).release();
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });

  it('removes a waiting client that disconnects, and never admits one that is already gone', async () => {
    const { queue, job } = await busy(1);
    const gone = new AbortController();
    const waiting = enter(queue, 'w', gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(queue.waiting).toBe(0);
    await expect(enter(queue, 'x', gone.signal)).rejects.toThrow('gone');
    job.release();
    expect(queue.active).toBe(0);
  });

  it('alternates between new jobs and jobs that yielded', async () => {
    const { queue, job: first } = await busy();
    await first.yieldToWaiting(); // no other job waits
    const order: string[] = [];
    const jobs = ['a', 'b', 'c'].map(async (name) => {
      const job = await enter(queue, name);
      order.push(name);
      return job;
    });
    const back = first.yieldToWaiting().then(() => void order.push('first'));
    await jobs[0];
    expect([queue.active, queue.waiting]).toEqual([1, 3]);
    const a = await (jobs[0] as (typeof jobs)[0]);
    // The yielding job waits too, so no job keeps the slot.
    void a.yieldToWaiting().then(() => void order.push('a again'));
    await back;
    first.release();
    await jobs[1];
    (await jobs[1])?.release();
    await eventually(() => order.includes('a again'));
    a.release();
    (await jobs[2])?.release();
    expect(order).toEqual(['a', 'first', 'b', 'a again', 'c']);
    expect(first.yieldedSeconds()).toBeGreaterThan(0);
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });

  it('starts at most four jobs per slot, all of which make progress', async () => {
    const queue = createQueue({ slots: 1, maxWaiting: 9 });
    const turns = [0, 0, 0, 0, 0, 0];
    const over = new Set<number>();
    const works = turns.map(async (_, index) => {
      const job = await enter(queue);
      for (; !over.has(index); await new Promise(setImmediate)) {
        turns[index] = (turns[index] ?? 0) + 1;
        await job.yieldToWaiting();
      }
      job.release();
    });
    await eventually(() => turns.slice(0, 4).every((count) => count > 20));
    expect(turns.slice(4)).toEqual([0, 0]);
    over.add(0);
    await eventually(() => (turns[4] ?? 0) > 20);
    expect(turns[5]).toBe(0);
    for (const index of turns.keys()) over.add(index);
    await Promise.all(works);
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });

  it('ends a yielding job when it is canceled', async () => {
    const { queue, job: long } = await busy(2);
    const other = enter(queue, 'other');
    const back = long.yieldToWaiting();
    await other;
    expect(queue.cancel('first')).toEqual([long.id]);
    await expect(back).rejects.toMatchObject({ code: 'CANCELLED' });
    long.release();
    (await other).release();
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
    (await enter(queue)).release();
  });

  it('cancels by number, by name, or all jobs', async () => {
    const queue = createQueue({ slots: 2, maxWaiting: 9 });
    const jobs = [await enter(queue, 'a'), await enter(queue, 'b')] as const;
    const waiting = enter(queue, 'c');
    waiting.catch(() => undefined);
    expect(queue.cancel(99)).toEqual([]);
    expect(queue.cancel(jobs[0].id)).toEqual([jobs[0].id]);
    expect(jobs[0].signal.reason).toMatchObject({ code: 'CANCELLED' });
    expect(jobs[1].signal.aborted).toBe(false);
    expect(queue.cancel('c')).toHaveLength(1);
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(queue.cancel()).toContain(jobs[1].id);
  });

  it('cancels only jobs of the same owner', async () => {
    const queue = createQueue({ slots: 3, maxWaiting: 9 });
    const signal = never;
    const [anna, ben] = [
      await queue.enter({ name: 'a', owner: 'anna', signal }),
      await queue.enter({ name: 'b', owner: 'ben', signal }),
    ];
    for (const which of [undefined, 'a', anna.id]) {
      expect(queue.cancel(which)).toEqual([]);
      expect(queue.cancel(which, 'cleo')).toEqual([]);
    }
    expect(queue.cancel(anna.id, 'ben')).toEqual([]);
    expect(queue.cancel(undefined, 'ben')).toEqual([ben.id]);
    expect([anna.signal.aborted, ben.signal.aborted]).toEqual([false, true]);
    anna.release();
  });

  it('releases a slot only once', async () => {
    const { queue, job } = await busy(2);
    const [second, third] = [enter(queue), enter(queue)];
    job.release();
    job.release();
    await second;
    expect([queue.active, queue.waiting]).toEqual([1, 1]);
    (await second).release();
    (await third).release();
  });

  it('lends the slot of a paused job, which continues immediately when resumed', async () => {
    const { queue, job: paused } = await busy();
    const waiting = enter(queue);
    paused.pause();
    const second = await waiting;
    const third = enter(queue);
    paused.resume();
    expect([queue.active, queue.waiting]).toEqual([2, 1]);
    second.release();
    // Only now are no more jobs running than there are slots.
    expect([queue.active, queue.waiting]).toEqual([1, 1]);
    paused.release();
    (await third).release();
    paused.pause();
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });

  it('counts a paused job that gives up its slot no longer as paused', async () => {
    const { queue, job } = await busy();
    job.pause();
    const second = await enter(queue);
    void job.releaseSlotUntil(new Promise(() => undefined)).catch(() => undefined);
    void enter(queue);
    expect([queue.active, queue.waiting]).toEqual([1, 1]);
    second.release();
  });

  it('ends the longest paused job when the paused fill all slots and others wait', async () => {
    const queue = createQueue({ slots: 2, maxWaiting: 9 });
    const enterMany = (count: number) => Promise.all(Array.from({ length: count }, () => enter(queue)));
    const jobs = await enterMany(2);
    for (const job of jobs) job.pause();
    jobs.push(...(await enterMany(2)));
    const waiting = enterMany(2);
    expect([queue.active, queue.waiting]).toEqual([4, 2]);
    expect(jobs.map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
    jobs[2]?.pause();
    expect(jobs.map(({ signal }) => signal.aborted)).toEqual([true, false, false, false]);
    const message = expect.stringContaining('read nothing');
    expect(jobs[0]?.signal.reason).toMatchObject({ code: 'CANCELLED', message });
    expect([queue.active, queue.waiting]).toEqual([4, 1]);
    // It no longer has a slot to release.
    jobs[0]?.release();
    expect([queue.active, queue.waiting]).toEqual([4, 1]);
    jobs[3]?.pause();
    jobs.push(...(await waiting));
    expect(jobs.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false, false, false]);
    for (const job of jobs) job.release();
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });

  it('drains: finishes present jobs and admits no others', async () => {
    const { queue, job } = await busy(2);
    const waiting = enter(queue);
    let isDrained = false;
    queue.assertReady();
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    await expect(enter(queue)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    job.release();
    const last = await waiting;
    expect(isDrained).toBe(false);
    last.release();
    expect(queue.assertReady).toThrow('shutting down');
    await drained;
    await createQueue({ slots: 1, maxWaiting: 0 }).drain();
  });
});

describe('rest', () => {
  it('leaves the slot to others until it wakes, then lines up again', async () => {
    const { queue, job } = await busy();
    const { passed: text, open: wake } = createGate();
    const resting = job.releaseSlotUntil(text);
    const other = await enter(queue);
    wake();
    await eventually(() => queue.waiting === 1);
    other.release();
    await resting;
    expect([queue.active, queue.waiting, queue.current]).toEqual([1, 0, job.id]);
    expect(job.yieldedSeconds()).toBeGreaterThan(0);
    job.release();
    expect(queue.active).toBe(0);
  });

  it('is open to any number of jobs, which can be canceled and are waited for by a drain', async () => {
    const queue = createQueue({ slots: 1, maxWaiting: 9 });
    const jobs: Job[] = [];
    for (let count = 0; count < 20; count += 1) {
      const job = await enter(queue, `job ${count}`);
      job.releaseSlotUntil(new Promise(() => undefined)).catch(() => undefined);
      jobs.push(job);
    }
    expect(queue.cancel('job 7')).toEqual([jobs[7]?.id]);
    expect(jobs.map(({ signal }) => signal.aborted).indexOf(true)).toBe(7);
    jobs[7]?.release();
    const drained = queue.drain(20);
    await eventually(() => jobs.every(({ signal }) => signal.aborted));
    for (const job of jobs) job.release();
    await drained;
  });

  it('does not come back after its release', async () => {
    const { queue, job } = await busy();
    const { passed, open: wake } = createGate();
    const resting = job.releaseSlotUntil(passed);
    job.release();
    wake();
    await expect(resting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([queue.active, queue.waiting]).toEqual([0, 0]);
  });
});
