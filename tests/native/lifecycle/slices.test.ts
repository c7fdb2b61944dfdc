/** Recordings and prefixes are computed in slices: others run in between, and a signal stops them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NativeBackend, openNativeBackend } from '../../../src/engine/backends/native/native.ts';
import { createEngineFromBackend, type Engine } from '../../../src/engine/engine.ts';
import { seededNoise } from '../../../src/engine/noise.ts';
import { fixture } from './child.ts';

let backend: NativeBackend;
let engine: Engine;
beforeAll(async () => {
  backend = await openNativeBackend(fixture('tiny-v2'), { backend: 'cpu', threads: 1 });
  engine = createEngineFromBackend(backend, { maxBatch: 4 });
});
afterAll(() => engine.close());

const noise = (): Float32Array => seededNoise(3).next(backend.info.patchSize * backend.info.featureDim);
const recording = (seconds: number, seed = 5): Float32Array =>
  seededNoise(seed).next(seconds * backend.info.inputSampleRate);
const prefix = () => ({
  tokens: new Int32Array(202).map((_, at) => (at < 2 ? 5 : 0)),
  audioMask: new Uint8Array(202).map((_, at) => (at < 2 ? 0 : 1)),
  features: seededNoise(8).next(200 * backend.info.patchSize * backend.info.featureDim),
});

describe.each([
  [
    'a recording',
    async (signal?: AbortSignal, pause?: () => Promise<void>) => backend.encode(recording(12), signal, pause),
  ],
  [
    'a prefix with a long recording',
    async (signal?: AbortSignal, pause?: () => Promise<void>) => {
      // Another model object, without a cached voice.
      await using fresh = await openNativeBackend(fixture('tiny-v2'), { backend: 'cpu', threads: 1 });
      const session = await fresh.open({ ...prefix(), cfg: 2, timesteps: 4 }, signal, pause);
      const [step] = await fresh.step([{ session, noise: noise() }]);
      await session.close();
      return step?.patch as Float32Array;
    },
  ],
])('%s', (_, compute) => {
  it('returns the same values whatever runs between its slices', async () => {
    const alone = await compute();
    const session = await backend.open({ ...prefix(), tokens: new Int32Array(202), cfg: 2, timesteps: 4 });
    let pauses = 0;
    const interrupted = await compute(undefined, async () => {
      pauses += 1;
      await backend.step([{ session, noise: noise() }]);
      await backend.encode(recording(1));
    });
    await session.close();
    expect(pauses).toBeGreaterThan(2);
    expect(interrupted).toEqual(alone);
  });

  it('ends with CANCELLED at the next slice when its signal aborts', async () => {
    const controller = new AbortController();
    let pauses = 0;
    const canceled = compute(controller.signal, async () => {
      pauses += 1;
      if (pauses === 2) controller.abort();
    });
    await expect(canceled).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(pauses).toBe(2);
    await expect(compute(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('ends with an error thrown between slices, and leaves nothing behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      await expect(compute(undefined, () => Promise.reject(new Error('no more')))).rejects.toThrow('no more');
    }
    expect((await compute()).length).toBeGreaterThan(0);
  });
});

describe('an engine that encodes a long recording', () => {
  // Each is new, as encodings are remembered.
  let recordings = 10;
  const audio = () => ({ samples: recording(30, recordings++), sampleRate: backend.info.inputSampleRate, channels: 1 });

  it('generates speech meanwhile', async () => {
    const events: string[] = [];
    const encoding = engine.encode(audio(), 'prompt').then(() => events.push('encoded'));
    for await (const chunk of engine.stream({ text: 'Hello.', seed: 1, minLength: 4, maxLength: 6 })) {
      events.push(`patch ${chunk.samples.length > 0}`);
    }
    await encoding;
    expect(events.slice(0, 4)).toEqual(Array(4).fill('patch true'));
    expect(events.at(-1)).toBe('encoded');
  });

  it('stops encoding when its signal aborts, also for an utterance', async () => {
    const { encode } = backend.model;
    let slices = 0;
    let controller = new AbortController();
    Object.defineProperty(backend.model, 'encode', {
      configurable: true,
      value: (encoding: number) => {
        slices += 1;
        if (slices === 2) controller.abort();
        return encode.call(backend.model, encoding);
      },
    });
    try {
      for (const run of [
        (signal: AbortSignal) => engine.encode(audio(), 'prompt', { signal }),
        (signal: AbortSignal) =>
          engine.synthesize({ text: 'Hello.', promptText: 'A', promptAudio: audio(), seed: 1 }, { signal }),
      ]) {
        slices = 0;
        controller = new AbortController();
        await expect(run(controller.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
        await engine.synthesize({ text: 'Hello.', seed: 1, maxLength: 3, retryBadcase: false });
        expect(slices).toBe(2);
      }
    } finally {
      Reflect.deleteProperty(backend.model, 'encode');
    }
  });
});
