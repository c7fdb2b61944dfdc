/** onnxruntime's own optimisation of a graph, done once and for every machine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { loadRuntime } from '../../src/engine/backends/onnx/runtime.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import { amendGraph, type GraphDraft } from './graph-draft.ts';
import { modelProto, valueInfo } from './model-proto.ts';
import { readOnnxModel } from './read-model.ts';
import { ModelProtoSchema, ValueInfoProtoSchema } from './schema.ts';

/**
 * The level whose results run on every processor and device: `extended` makes nodes that only some have, `all` layouts
 * for this machine's processor. Loading the file applies both for the machine that it is loaded on.
 */
const level = 'basic';

/**
 * The weights stand in as inputs, so that this takes neither their memory nor their time, and none of them is folded
 * into a larger one (a matrix in half precision into one in float32).
 *
 * @throws SvcError BACKEND_UNAVAILABLE without onnxruntime, MODEL_INVALID for a graph that it refuses
 */
export async function optimizeOffline(draft: GraphDraft): Promise<GraphDraft> {
  const { InferenceSession, env } = await loadRuntime();
  env.logLevel = 'fatal';
  const { file, graph, weights, metadata } = draft;
  const standIns = Array.from(weights, ([name, { type, shape }]) =>
    create(ValueInfoProtoSchema, valueInfo({ value: { name }, type, shape })),
  );
  const folder = await mkdtemp(join(tmpdir(), 'svc-optimize-'));
  try {
    const before = join(folder, 'before.onnx');
    const after = join(folder, 'after.onnx');
    const model = modelProto(amendGraph(graph, { input: [...graph.input, ...standIns] }), metadata, '0');
    await writeFile(before, toBinary(ModelProtoSchema, model));
    const session = await InferenceSession.create(before, {
      graphOptimizationLevel: level,
      optimizedModelFilePath: after,
      intraOpNumThreads: 1,
      logSeverityLevel: 4,
    }).catch((cause: unknown) => {
      throw new SvcError(
        'MODEL_INVALID',
        `expected a graph that onnxruntime takes for ${file}, received one that fails: ` +
          messageOf(cause).split('\n')[0]?.slice(0, 300),
        { cause },
      );
    });
    await session.release();
    const { graph: optimized } = await readOnnxModel(after);
    if (!optimized) throw new SvcError('INTERNAL', `expected an optimised graph for ${file}, received none`);
    const { name, input, output } = graph;
    const made = amendGraph(optimized, { name, input, output, valueInfo: [] });
    return { ...draft, graph: made, metadata: { ...metadata, optimized: `onnxruntime ${level}` } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
