/** Runs the rebuilt graphs directly in onnxruntime, for one utterance, without thread or engine. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { matchTensors } from '../../export/expected-tensors.ts';
import { type ModelConfig, transformerShapes } from '../../export/model-config.ts';
import { checkpointWeights } from '../../export/onnx/checkpoint-weights.ts';
import { GraphBuilder } from '../../export/onnx/graph.ts';
import { toGraphProto } from '../../export/onnx/model-proto.ts';
import type { StagePrecisions } from '../../export/onnx/precision.ts';
import { quantizeGraph } from '../../export/onnx/quantize-graph.ts';
import { writeModel } from '../../export/onnx/writer.ts';
import { loadRuntime } from '../../src/engine/backends/onnx/runtime.ts';
import { emitFlow, emitStep } from './rebuilt-graphs.ts';

/** Positions of the caches: one bucket of svc's engine, so that both sides attend to and copy the same amount. */
export const capacity = 128;

const files = { step: 'lm_step.onnx', flow: 'dit.onnx' } as const;

/** @returns the checkpoint's config */
export async function writeRebuilt(
  checkpointFolder: string,
  folder: string,
  types: StagePrecisions,
  timesteps: number,
): Promise<ModelConfig> {
  const checkpoint = await openCheckpoint(checkpointFolder);
  try {
    const { config } = checkpoint;
    const weights = checkpointWeights(matchTensors(config, checkpoint.tensors));
    await mkdir(folder, { recursive: true });
    const step = new GraphBuilder('lm_step');
    emitStep({ graph: step, weights }, config, capacity);
    const flow = new GraphBuilder('dit');
    emitFlow({ graph: flow, weights }, config, timesteps);
    for (const [file, builder] of [
      [files.step, step],
      [files.flow, flow],
    ] as const) {
      const graph = toGraphProto(builder);
      const ofGraph = new Map(builder.weights.map(({ weight }) => [weight.name, weight]));
      const draft = quantizeGraph({ file, graph, weights: ofGraph, metadata: {} }, types);
      await writeModel(folder, draft, { version: '1' });
    }
    return config;
  } finally {
    await checkpoint[Symbol.asyncDispose]();
  }
}

export interface Rebuilt {
  /** The patch after `patch`. */
  next(patch: Float32Array, noise: Float32Array): Promise<Float32Array>;
  /** Clears all positions. */
  rewind(): void;
  close(): Promise<void>;
}

export async function openRebuilt(folder: string, config: ModelConfig, threads: number): Promise<Rebuilt> {
  const runtime = await loadRuntime();
  const open = (file: string): Promise<InferenceSession> =>
    runtime.InferenceSession.create(join(folder, file), {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      extra: { session: { force_spinning_stop: '1' } },
    });
  const step = await open(files.step);
  const flow = await open(files.flow);
  const { base_lm: base, residual_lm: residual } = transformerShapes(config);
  const shape = [1, base.kvHeads, capacity, base.headDim];
  const elements = base.kvHeads * capacity * base.headDim;
  const past: Record<string, Tensor> = {};
  // The runtime writes the new position into the past's buffer.
  const fetches: Record<string, Tensor | null> = { condition: null, stop: null };
  for (let layer = 0; layer < base.layers + residual.layers; layer += 1) {
    for (const kind of ['key', 'value']) {
      const cache = new runtime.Tensor('float32', new Float32Array(elements), shape);
      past[`past_${kind}.${layer}`] = cache;
      fetches[`present_${kind}.${layer}`] = cache;
    }
  }
  const patchShape = [1, config.patch_size, config.feat_dim];
  const cfg = new runtime.Tensor('float32', Float32Array.of(2), []);
  let position = 0;
  return {
    async next(patch, noise) {
      const before = new runtime.Tensor('float32', patch, patchShape);
      const { condition } = await step.run(
        {
          patch: before,
          last: new runtime.Tensor('int32', Int32Array.of(position), [1]),
          total: new runtime.Tensor('int32', Int32Array.of(position + 1), []),
          ...past,
        },
        fetches as Record<string, Tensor>,
      );
      position += 1;
      const draw = new runtime.Tensor('float32', noise, patchShape);
      const { made } = await flow.run({ noise: draw, condition: condition as Tensor, before, cfg });
      return (made as Tensor).data as Float32Array;
    },
    rewind() {
      position = 0;
    },
    async close() {
      await step.release();
      await flow.release();
    },
  };
}
