/** Applies onnxruntime's portable graph optimizations ahead of time. */
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
 * The level whose results run everywhere: `extended` creates nodes that only some devices support, `all` layouts for
 * this processor. onnxruntime applies both when it loads the file.
 */
const level = 'basic';

/**
 * Replaces weights by inputs during optimization, so that it needs no memory or time for them and does not fold any
 * into a larger one (half precision into float32).
 *
 * @throws SvcError BACKEND_UNAVAILABLE without onnxruntime, MODEL_INVALID for an invalid graph
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
        `onnxruntime cannot optimize ${file}: ${messageOf(cause).split('\n')[0]?.slice(0, 300)}`,
        { cause },
      );
    });
    await session.release();
    const { graph: optimized } = await readOnnxModel(after);
    if (!optimized) throw new SvcError('INTERNAL', `onnxruntime returned no optimized graph for ${file}`);
    const { name, docString, input, output } = graph;
    const made = amendGraph(optimized, { name, docString, input, output, valueInfo: [] });
    return { ...draft, graph: made, metadata: { ...metadata, optimized: `onnxruntime ${level}` } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
