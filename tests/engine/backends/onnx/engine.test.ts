import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Prefix } from '../../../../src/engine/backend.ts';
import { openNativeBackend } from '../../../../src/engine/backends/native/native.ts';
import { type OnnxBackend, openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { createEngineFromBackend, type Engine } from '../../../../src/engine/engine.ts';
import { exportedOnnx } from '../../../support/exported-onnx.ts';
import { expectSameTogether } from '../../../support/in-batches.ts';
import { largestDifference } from '../../../support/largest-difference.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const models = ['tiny-v1', 'tiny-v15', 'tiny-v2'];

describe.each(models)('%s', (name) => {
  let backend: OnnxBackend;
  let onnx: Engine;
  beforeAll(async () => {
    backend = await openOnnxBackend(await exportedOnnx(name), { backend: 'auto', threads: 1 });
    onnx = createEngineFromBackend(backend, { maxBatch: 2 });
  });
  afterAll(() => onnx.close());

  // The last prefix needs several prefill chunks.
  it('computes each of four utterances as if alone', () => expectSameTogether(backend, [3, 17, 6, 200]));

  it('matches the native engine', async () => {
    const path = join(fixtures, `peer-${name}.gguf`);
    const native = createEngineFromBackend(await openNativeBackend(path, { backend: 'cpu', threads: 1 }), {
      maxBatch: 1,
    });
    try {
      const request = { text: 'The birds were singing.', seed: 7, maxLength: 8, retryBadcase: false };
      const expected = await native.synthesize(request);
      const actual = await onnx.synthesize(request);
      expect(actual.samples).toHaveLength(expected.samples.length);
      expect(largestDifference(actual.samples, expected.samples)).toBeLessThan(1e-3);
      const again = await onnx.synthesize(request);
      expect(largestDifference(again.samples, actual.samples)).toBe(0);
    } finally {
      await native.close();
    }
  });
});

describe('an ONNX model', () => {
  let directory: string;
  let exported: OnnxBackend;
  let theirs: OnnxBackend;
  beforeAll(async () => {
    directory = await exportedOnnx('tiny-v1');
    exported = await openOnnxBackend(directory, { backend: 'cpu', threads: 1 });
    theirs = await openOnnxBackend(join(fixtures, 'voxcpm-onnx'), { backend: 'cpu', threads: 1 });
  });
  afterAll(async () => {
    await exported[Symbol.asyncDispose]();
    await theirs[Symbol.asyncDispose]();
  });

  const prefix = (length: number): Prefix => ({
    tokens: new Int32Array(length).fill(300),
    audioMask: new Uint8Array(length),
    features: new Float32Array(0),
  });

  it('does not block the event loop', async () => {
    const session = await exported.open({ ...prefix(250), cfg: 2, timesteps: 50 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await exported.step([{ session, noise: new Float32Array(32) }]);
    clearInterval(timer);
    await session.close();
    expect(ticks).toBeGreaterThan(0);
  });

  it('stops a canceled prefill', async () => {
    const controller = new AbortController();
    const opening = exported.open({ ...prefix(250), cfg: 2, timesteps: 10 }, controller.signal);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  const layouts: readonly (readonly [string, () => OnnxBackend])[] = [
    ['exported', () => exported],
    ['of VoxCPM-ONNX', () => theirs],
  ];

  it.each(layouts)('%s refuses prefixes that it cannot compute', async (_, backend) => {
    for (const given of [
      { ...prefix(3), tokens: Int32Array.of(1, 2, 99999) },
      { ...prefix(3), audioMask: Uint8Array.of(0, 0, 1) },
      prefix(100_000),
      prefix(0),
    ]) {
      const opening = backend().open({ ...given, cfg: 2, timesteps: 10 });
      await expect(opening).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
  });

  it.each(layouts)(
    '%s refuses handles that are not open, and steps before the prefix is computed',
    async (_, backend) => {
      const { model } = backend();
      const session = await model.open({ ...prefix(250), cfg: 2, timesteps: 10 });
      const refused = { code: 'INVALID_REQUEST' };
      const step = () => model.step([session], [new Float32Array(32)], 'plain');
      await expect(step()).rejects.toMatchObject(refused);
      while (!(await model.prefill(session)));
      expect(await step()).toHaveLength(1);
      await model.closeSession(session);
      await expect(step()).rejects.toMatchObject(refused);
      await expect(model.prefill(session)).rejects.toMatchObject({ ...refused, message: 'the session is closed' });
      await expect(model.closeSession(session)).rejects.toMatchObject(refused);
      await expect(model.encode(1)).rejects.toMatchObject(refused);
    },
  );

  it('explains why CUDA is unavailable and what to do', async () => {
    await expect(openOnnxBackend(directory, { backend: 'cuda' })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(
        /cuda.*needs an NVIDIA driver.*CUDA 13.*onnxruntime-gpu.*docs.onnx.*--backend cpu/,
      ),
    });
    await expect(openOnnxBackend(directory, { backend: 'vulkan' })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('fails with what ended its thread', async () => {
    const threads = new Set<Worker>();
    const { postMessage } = Worker.prototype;
    const spy = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
      threads.add(this);
      postMessage.apply(this, message);
    });
    const backend = await openOnnxBackend(directory, { backend: 'cpu', threads: 1 });
    const session = await backend.open({ ...prefix(3), cfg: 2, timesteps: 2 });
    spy.mockRestore();
    const failure = { code: 'INTERNAL', message: expect.stringMatching(/^the ONNX thread failed: .*destructure/) };
    const step = () => backend.step([{ session, noise: new Float32Array(32) }]);
    // No call, which ends the thread; the next one waits for its answer then.
    for (const thread of threads) thread.postMessage(undefined);
    await expect(step()).rejects.toMatchObject(failure);
    await expect(step()).rejects.toMatchObject(failure);
    await expect(backend[Symbol.asyncDispose]()).rejects.toMatchObject(failure);
  });

  it('refuses calls after close', async () => {
    const backend = await openOnnxBackend(directory, { backend: 'cpu', threads: 1 });
    const session = await backend.open({ ...prefix(3), cfg: 2, timesteps: 2 });
    await session.close();
    await expect(backend.step([{ session, noise: new Float32Array(32) }])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    await backend[Symbol.asyncDispose]();
    await expect(backend.encode(new Float32Array(10))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});
