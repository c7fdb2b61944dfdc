/** A device of this process that is lost, and one that decodes beside steps, as executors report both. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Session } from '../../src/engine/backend.ts';
import type { NativeDevice } from '../../src/engine/backends/native/addon.ts';
import { loadNative } from '../../src/engine/backends/native/load-addon.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createScheduler } from '../../src/engine/scheduler.ts';

const native = loadNative();
const devices = native.runtime.devices as NativeDevice[];
const never = -1;
const lose = (steps: number): void => native.addon.faultyDevice?.(true, steps, false);

beforeEach(() => {
  lose(never);
  devices.push({
    engine: 'faulty',
    name: 'Faulty0',
    description: 'a device of tests',
    type: 'gpu',
    freeBytes: 0,
    totalBytes: 0,
    features: [],
  });
});
afterEach(() => {
  devices.pop();
  native.addon.faultyDevice?.(false, never, false);
});

const openBackend = (): Promise<NativeBackend> =>
  openNativeBackend('tests/fixtures/peer-tiny-v1.gguf', { backend: 'auto', threads: 1 });

const prefix = { tokens: Int32Array.of(1, 2, 3), audioMask: new Uint8Array(3), features: new Float32Array(0) };
const settings = { ...prefix, cfg: 2, timesteps: 2 };

const input = ({ info }: Pick<NativeBackend, 'info'>, session: Session) => ({
  session,
  noise: new Float32Array(info.patchSize * info.featureDim).fill(0.5),
});

describe('a lost device', () => {
  it('fails the sessions that it hits; the model is opened again, and others go on', async () => {
    await using backend = await openBackend();
    await using other = await openBackend();
    expect(backend.info.device).toBe('Faulty0');
    const [hit, idle, elsewhere] = await Promise.all([
      backend.open(settings),
      backend.open(settings),
      other.open(settings),
    ]);
    const [before] = await backend.step([input(backend, hit)]);

    lose(0);
    const lost = {
      code: 'DEVICE_LOST',
      message: expect.stringMatching(
        /^Faulty0 \(a device of tests\) stopped working: the device Faulty0 is lost \(as the test wants\); retry; /,
      ),
    };
    await expect(backend.step([input(backend, hit)])).rejects.toMatchObject(lost);
    // Its memory was on the device.
    await expect(backend.step([input(backend, idle)])).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await expect(backend.decode([{ session: hit, patches: before?.patch as Float32Array }])).rejects.toMatchObject({
      code: 'DEVICE_LOST',
    });
    // Another model on the device has memory of its own.
    expect(await other.step([input(other, elsewhere)])).toEqual([before]);

    const next = await backend.open(settings);
    expect(await backend.step([input(backend, next)])).toEqual([before]);
    await expect(backend.step([input(backend, idle)])).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    for (const session of [hit, idle, next, elsewhere]) await session.close();
  });

  it('fails its utterances in a batch alone', async () => {
    await using scheduler = createScheduler(await openBackend(), { maxBatch: 4 });
    const first = await scheduler.open(settings);
    lose(0);
    await expect(scheduler.step([input(scheduler, first)])).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    const [second, third] = await Promise.all([scheduler.open(settings), scheduler.open(settings)]);
    const outcomes = await Promise.allSettled(
      [first, second, third].map((session) => scheduler.step([input(scheduler, session)])),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    for (const session of [first, second, third]) await session.close();
  });
});

describe('a device that decodes beside steps', () => {
  beforeEach(() => native.addon.faultyDevice?.(true, never, true));

  it('computes the next step while the samples are waited for', async () => {
    await using plain = await openNativeBackend('tests/fixtures/peer-tiny-v1.gguf', {
      backend: 'cpu',
      threads: 1,
      kernels: 'reference',
    });
    await using backend = await openBackend();
    await using scheduler = createScheduler(backend, { maxBatch: 4 });
    const outputs = async (engine: typeof scheduler | typeof plain) => {
      const session = await engine.open(settings);
      const [first] = await engine.step([input(engine, session)]);
      const { patch } = first as { readonly patch: Float32Array };
      // As generate() does. The samples of this device are there once the step has begun.
      const [samples, [second]] = await Promise.all([
        engine.decode([{ session, patches: patch }]),
        engine.step([input(engine, session)]),
      ]);
      await session.close();
      return [patch, samples, second?.patch];
    };
    expect(await outputs(scheduler)).toEqual(await outputs(plain));
  });

  it('is waited for before a session is closed', async () => {
    await using backend = await openBackend();
    const session = await backend.open(settings);
    const [first] = await backend.step([input(backend, session)]);
    const decoding = backend.decode([{ session, patches: first?.patch as Float32Array }]);
    const step = backend.step([input(backend, session)]);
    const closing = session.close();
    const [[samples]] = await Promise.all([decoding, step, closing]);
    expect(samples).toHaveLength(backend.info.patchSamples);
  });
});
