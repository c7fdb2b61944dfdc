import { describe, expect, it } from '@jest/globals';
import { type InferenceSession, Tensor } from 'onnxruntime-common';
import { createFlow, flowSchedule } from '../../../../src/engine/backends/onnx/exported/flow.ts';
import type { Feeds, Graph } from '../../../../src/engine/backends/onnx/graph.ts';
import type { Manifest } from '../../../../src/engine/backends/onnx/manifest.ts';

const [patchSize, featureDim] = [2, 3];
const manifest = {
  patchSize,
  featureDim,
  flow: { file: 'flow.onnx', isMeanMode: false },
  schedule: { file: 'schedule.onnx' },
} as Manifest;

const value = (name: string, type: Tensor.Type, shape: readonly (number | string)[]) =>
  ({ name, type, shape, isTensor: true }) as InferenceSession.ValueMetadata;
const patches = ['patches', patchSize, featureDim];

/** A flow whose patch is its noise, and the feeds of both graphs. */
function setUp() {
  const ran: { readonly flow: Feeds[]; readonly schedule: Feeds[] } = { flow: [], schedule: [] };
  const flow: Graph = {
    inputs: [
      value('noise', 'float32', patches),
      value('condition', 'float32', ['patches', 'tokens', 'width']),
      value('before', 'float32', patches),
      value('cfg', 'float32', ['patches']),
      value('embeddings', 'float32', ['calls', 'width']),
      value('steps', 'float32', ['calls']),
      value('zero_star', 'bool', []),
    ],
    outputs: [value('patch', 'float32', patches)],
    run: async (feeds) => {
      ran.flow.push(feeds);
      return { patch: feeds.noise as Tensor };
    },
    close: async () => undefined,
  };
  const schedule: Graph = {
    inputs: [value('times', 'float32', ['calls']), value('deltas', 'float32', ['calls'])],
    outputs: [value('embeddings', 'float32', ['calls', 'width'])],
    run: async (feeds) => {
      ran.schedule.push(feeds);
      return { embeddings: feeds.times as Tensor };
    },
    close: async () => undefined,
  };
  const compute = createFlow(manifest, flow, schedule, Tensor);
  const condition = new Tensor('float32', new Float32Array(1), [1, 1, 1]);
  const member = { cfg: 2, patch: new Float32Array(patchSize * featureDim) };
  return { ran, run: (timesteps: number, noise: Float32Array) => compute(timesteps, [member], [noise], condition) };
}

describe('createFlow', () => {
  it('computes the embeddings of a schedule once, and keeps those of sixteen', async () => {
    const { ran, run } = setUp();
    const noise = new Float32Array(patchSize * featureDim);
    const computed = async (...timesteps: readonly number[]): Promise<number> => {
      const before = ran.schedule.length;
      for (const count of timesteps) await run(count, noise);
      return ran.schedule.length - before;
    };
    const sixteen = Array.from({ length: 16 }, (_, index) => 2 + index);
    expect(await computed(...sixteen)).toBe(16);
    expect(await computed(...sixteen)).toBe(0);
    // One more takes the place of the first.
    expect(await computed(20)).toBe(1);
    expect(await computed(...sixteen.slice(1), 20)).toBe(0);
    expect(await computed(2)).toBe(1);
  });

  it('refuses noise of another length', async () => {
    const { run } = setUp();
    await expect(run(10, new Float32Array(5))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'noise must have 6 values per session, got 5',
    });
  });
});

describe('flowSchedule', () => {
  // By `UnifiedCFM` of the official `unified_cfm.py`: `t + cos(π/2 · t) - 1 + t` of evenly spaced t from 1 to 0.
  const bent = (t: number): number => t + Math.cos((Math.PI / 2) * t) - 1 + t;

  it.each([
    [10, 1],
    [48, 1],
    [49, 2],
    [100, 4],
  ])('of %d steps begins after the first %d, which have no velocity', (timesteps, still) => {
    const { times, steps, deltas } = flowSchedule({ timesteps, isMeanMode: false });
    const expected = Array.from({ length: timesteps + 1 }, (_, index) => bent(1 - index / timesteps));
    expect(times).toHaveLength(timesteps - still);
    for (const [index, time] of times.entries()) {
      const at = still + index;
      expect(time).toBeCloseTo(expected[at] as number, 5);
      expect(steps[index]).toBeCloseTo((expected[at] as number) - (expected[at + 1] as number), 5);
    }
    expect(deltas).toEqual(new Float32Array(steps.length));
    expect(flowSchedule({ timesteps, isMeanMode: true })).toEqual({ times, steps, deltas: steps });
    expect(flowSchedule({ timesteps, isMeanMode: false, zeroStar: 'off' }).times).toHaveLength(timesteps);
  });
});
