import { describe, expect, it } from '@jest/globals';
import type { ModelInfo } from '../../../src/engine/backend.ts';
import { HandleBackend } from '../../../src/engine/backends/handle-backend.ts';
import type { ModelPort } from '../../../src/engine/backends/model-port.ts';

const prefix = { tokens: Int32Array.of(1), audioMask: Uint8Array.of(0), features: new Float32Array(0) };
const options = { cfg: 2, timesteps: 4 };

/** A model with three slices that records its calls. */
function recordingModel(overrides: Partial<ModelPort> = {}): { readonly model: ModelPort; readonly calls: string[] } {
  const calls: string[] = [];
  let slices = 0;
  const port: ModelPort = {
    openEncoding: async () => 7,
    encode: async () => new Float32Array(slices++ < 3 ? 2 : 0).fill(slices),
    closeEncoding: async () => undefined,
    open: async () => 5,
    prefill: async () => ++slices === 3,
    step: async (sessions) => sessions.map(() => ({ patch: Float32Array.of(1), stopLogits: Float32Array.of(0, 1) })),
    decode: async (sessions) => sessions.map(() => Float32Array.of(1)),
    closeSession: async () => undefined,
    close: async () => undefined,
    ...overrides,
  };
  const model = new Proxy(port, {
    get: (target, name: keyof ModelPort) => {
      const call = target[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      // a part of the interface that this model lacks
      if (call === undefined) return undefined;
      return (...args: unknown[]) => {
        calls.push(name);
        return call(...args);
      };
    },
  });
  return { model, calls };
}

const backendOf = (model: ModelPort): HandleBackend =>
  new HandleBackend(model, { info: {} as ModelInfo, metadata: () => undefined });

const cancelAfter = (slices: number, controller: AbortController) => async (): Promise<void> => {
  if (--slices === 0) controller.abort();
};

describe('HandleBackend', () => {
  it('combines the slices of a recording', async () => {
    const { model, calls } = recordingModel();
    expect([...(await backendOf(model).encode(new Float32Array(9)))]).toEqual([1, 1, 2, 2, 3, 3]);
    expect(calls).toEqual(['openEncoding', 'encode', 'encode', 'encode', 'encode', 'closeEncoding']);
  });

  it('closes handles canceled between two slices', async () => {
    for (const [start, end] of [
      [
        (backend: HandleBackend, signal: AbortSignal, pause: () => Promise<void>) =>
          backend.encode(new Float32Array(9), signal, pause),
        'closeEncoding',
      ],
      [
        (backend: HandleBackend, signal: AbortSignal, pause: () => Promise<void>) =>
          backend.open({ ...prefix, ...options }, signal, pause),
        'closeSession',
      ],
    ] as const) {
      const { model, calls } = recordingModel();
      const controller = new AbortController();
      const started = start(backendOf(model), controller.signal, cancelAfter(2, controller));
      await expect(started).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(calls).toHaveLength(4);
      expect(calls.at(-1)).toBe(end);
    }
  });

  it('closes handles that failed, and reports the error', async () => {
    const { model, calls } = recordingModel({ prefill: () => Promise.reject(new Error('broken')) });
    await expect(backendOf(model).open({ ...prefix, ...options })).rejects.toThrow('broken');
    expect(calls).toEqual(['open', 'prefill', 'closeSession']);
  });

  it('passes steps on', async () => {
    const backend = backendOf(recordingModel().model);
    const session = await backend.open({ ...prefix, ...options });
    const noise = Float32Array.of(0);
    expect(await backend.step([{ session, noise }])).toEqual([
      { patch: Float32Array.of(1), stopLogits: Float32Array.of(0, 1) },
    ]);
  });

  it('refuses closed and foreign sessions, and closes once', async () => {
    const { model, calls } = recordingModel();
    const backend = backendOf(model);
    const session = await backend.open({ ...prefix, ...options });
    const foreign = await backendOf(recordingModel().model).open({ ...prefix, ...options });
    await Promise.all([session.close(), session.close()]);
    for (const refused of [session, foreign]) {
      const input = { session: refused, noise: Float32Array.of(0), patches: Float32Array.of(0) };
      for (const call of [backend.step([input]), backend.traceStep([input]), backend.decode([input])]) {
        await expect(call).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      }
    }
    await Promise.all([backend[Symbol.asyncDispose](), backend[Symbol.asyncDispose]()]);
    expect(calls).toEqual(['open', 'prefill', 'prefill', 'prefill', 'closeSession', 'close']);
  });
});
