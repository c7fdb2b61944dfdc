/** Sessions that wait for the memory of a device. */
import { expect, it } from '@jest/globals';
import type { Backend, Prefix, Session } from '../../src/engine/backend.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';
import { SvcError } from '../../src/errors.ts';
import { turns } from '../support/turns.ts';
import { createFakeBackend, type FakeBackend } from './fake-backend.ts';

const prefix: Prefix = { tokens: new Int32Array(2), audioMask: new Uint8Array(2), features: new Float32Array(0) };
const noise: Float32Array = new Float32Array(6);

/** A device that has memory for `most` sessions, and whose recordings take none. */
function deviceFor(most: number, mostStreams?: number) {
  const backend: FakeBackend = createFakeBackend({
    slices: 2,
    onCall: ({ kind }) => {
      const open = backend.opened.filter(({ closed }) => !closed).length;
      if (kind === 'open' && open >= most) throw new SvcError('OUT_OF_MEMORY', 'the device is full');
    },
  });
  const scheduler = createScheduler(Object.assign(backend, { mostStreams }), { maxBatch: 8 });
  return { backend, scheduler };
}

const open = (scheduler: Backend, signal?: AbortSignal): Promise<Session> =>
  scheduler.open({ ...prefix, cfg: 2, timesteps: 10 }, signal);

/** Indexes of the promises that are settled once the backend has nothing to do. */
async function settled(backend: FakeBackend, promises: readonly Promise<unknown>[]): Promise<readonly number[]> {
  const done: number[] = [];
  for (const [index, promise] of promises.entries()) {
    const note = (): unknown => done.push(index);
    promise.then(note, note);
  }
  await turns();
  await backend.settled();
  return done;
}

it('wait in the order in which they came, and others speak meanwhile', async () => {
  const { backend, scheduler } = deviceFor(2);
  const sessions = Array.from({ length: 5 }, () => open(scheduler));
  expect(await settled(backend, sessions)).toEqual([0, 1]);
  const [first, second] = (await Promise.all(sessions.slice(0, 2))) as [Session, Session];
  expect(await scheduler.step([{ session: first, noise }])).toHaveLength(1);
  await second.close();
  expect(await settled(backend, sessions.slice(2))).toEqual([0]);
  await first.close();
  await (await sessions[2])?.close();
  expect(await settled(backend, sessions.slice(3))).toEqual([0, 1]);
});

it('leave the line when they are canceled, and when the engine closes', async () => {
  const { backend, scheduler } = deviceFor(1);
  const first = await open(scheduler);
  const controller = new AbortController();
  const [second, third, fourth] = [open(scheduler, controller.signal), open(scheduler), open(scheduler)];
  expect(await settled(backend, [second, third, fourth])).toEqual([]);
  controller.abort();
  await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
  await first.close();
  await third;
  const closing = scheduler[Symbol.asyncDispose]();
  await expect(fourth).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  await closing;
});

it('are refused where they would be alone', async () => {
  const { scheduler } = deviceFor(0);
  await expect(open(scheduler)).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
  await expect(Promise.all([open(scheduler), open(scheduler)])).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
});

it('step in batches for which the device has memory', async () => {
  const { backend, scheduler } = deviceFor(8, 2);
  const sessions = await Promise.all(Array.from({ length: 5 }, () => open(scheduler)));
  backend.calls.length = 0;
  await Promise.all(sessions.map((session) => scheduler.step([{ session, noise }])));
  expect(backend.log).toEqual(['step 0+1', 'step 2+3', 'step 4']);
});
