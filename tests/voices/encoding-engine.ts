import { createEngineFromBackend, type Engine } from '../../src/engine/engine.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../engine/fake-backend.ts';

/** An engine whose encoder repeats one frame. */
export function encodingEngine(
  frame: readonly number[],
  options: FakeOptions = {},
): { readonly engine: Engine; readonly backend: FakeBackend } {
  const fake = createFakeBackend({ stopAt: 4, ...options });
  const backend: FakeBackend = {
    ...fake,
    get log() {
      return fake.log;
    },
    encode: async (samples) => (await fake.encode(samples)).map((_, index) => frame[index % frame.length] as number),
  };
  return { engine: createEngineFromBackend(backend, { maxBatch: 1 }), backend };
}
