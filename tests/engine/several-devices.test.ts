import { describe, expect, it } from '@jest/globals';
import type { Adapter, Backend, Prefix, Session } from '../../src/engine/backend.ts';
import { createSpread } from '../../src/engine/several-devices.ts';
import { SvcError } from '../../src/errors.ts';
import { createFakeBackend, type FakeOptions } from './fake-backend.ts';

const prefix: Prefix = { tokens: new Int32Array(2), audioMask: new Uint8Array(2), features: new Float32Array(0) };
const noise: Float32Array = new Float32Array(6);
const settings = { ...prefix, cfg: 2, timesteps: 10 };

function spreadOver(...options: readonly FakeOptions[]) {
  const [first = {}, ...others] = options.map((one, index) => ({ ...one, info: { device: `CUDA${index}` } }));
  const backends = [createFakeBackend(first), ...others.map(createFakeBackend)] as const;
  const spread = createSpread(backends, { maxBatch: 8 });
  const openMany = (count: number): Promise<Session[]> =>
    Promise.all(Array.from({ length: count }, () => spread.open(settings)));
  return { spread, backends, openMany };
}

const step = (spread: Backend, session: Session) => spread.step([{ session, noise }]);

describe('a model on several devices', () => {
  it('opens sessions where the fewest are, and steps those of a device together', async () => {
    const { spread, backends, openMany } = spreadOver({}, {}, {});
    expect(spread.info.device).toBe('CUDA0, CUDA1, CUDA2');
    const sessions = await openMany(5);
    expect(backends.map(({ opened }) => opened.length)).toEqual([2, 2, 1]);
    for (const { calls } of backends) calls.length = 0;
    const steps = await Promise.all(sessions.map((session) => step(spread, session)));
    expect(steps.flat()).toHaveLength(5);
    expect(backends.map(({ log }) => log)).toEqual([['step 0+1'], ['step 0+1'], ['step 0']]);
    await sessions[4]?.close();
    await sessions[2]?.close();
    await openMany(1);
    // Two, one and none were left.
    expect(backends.map(({ opened }) => opened.length)).toEqual([2, 2, 2]);
    const [samples] = await spread.decode([{ session: sessions[1] as Session, patches: noise }]);
    expect(samples).toHaveLength(4);
    await expect(step(spread, sessions[4] as Session)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it.each(['DEVICE_LOST', 'BACKEND_UNAVAILABLE', 'OUT_OF_MEMORY'] as const)(
    'goes on to another device where one fails with %s',
    async (code) => {
      const failing: FakeOptions = {
        onCall: ({ kind }) => {
          if (kind === 'open' || kind === 'encode') throw new SvcError(code, 'no');
        },
      };
      const { spread, backends, openMany } = spreadOver(failing, {});
      await openMany(3);
      expect(await spread.encode(new Float32Array(8))).toHaveLength(12);
      expect(backends[1]?.opened).toHaveLength(3);
      await expect(spreadOver(failing, failing).openMany(1)).rejects.toMatchObject({ code });
    },
  );

  it('does not repeat what fails everywhere', async () => {
    const { openMany, backends } = spreadOver(
      {
        onCall: ({ kind }) => {
          if (kind === 'open') throw new SvcError('INVALID_REQUEST', 'no');
        },
      },
      {},
    );
    await expect(openMany(1)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(backends[1]?.opened).toHaveLength(0);
  });

  it('has an adapter on each device', async () => {
    const { spread, backends } = spreadOver({ adapters: 'supported' }, { adapters: 'supported' });
    const adapter = (await spread.openAdapter?.({ scale: 1, updates: [] })) as Adapter;
    const adapted = { ...settings, adapter: { adapter, weight: 0.5 } };
    await Promise.all([spread.open(adapted), spread.open(adapted)]);
    for (const { opened, adapters } of backends) {
      expect(opened[0]?.use).toEqual({ adapter: adapters[0], weight: 0.5 });
    }
    await adapter.close();
    expect(backends.map(({ adapters }) => adapters[0]?.closed)).toEqual([true, true]);
  });

  it('sums what they remember of voices, where they do', () => {
    const memory = (bytes: number) => ({ bytes, remembered: 2 * bytes, computed: 3 * bytes });
    const remembering = (...sizes: readonly number[]) => {
      const [first = createFakeBackend(), ...others] = sizes.map((bytes) =>
        Object.assign(createFakeBackend(), { voiceMemory: () => memory(bytes) }),
      );
      return createSpread([first, createFakeBackend(), ...others], { maxBatch: 8 }).voiceMemory?.();
    };
    expect([remembering(1, 10), remembering()]).toEqual([memory(11), undefined]);
  });

  it('disposes all', async () => {
    const { spread, backends, openMany } = spreadOver({}, {});
    await openMany(2);
    await spread[Symbol.asyncDispose]();
    expect(backends.map(({ disposed }) => disposed())).toEqual([true, true]);
  });
});
