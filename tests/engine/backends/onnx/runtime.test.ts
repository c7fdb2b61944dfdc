/** Failures of onnxruntime, in the words of svc. */
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { loadRuntime, openGraph } from '../../../../src/engine/backends/onnx/runtime.ts';

const path = join('tests', 'fixtures', 'voxcpm-onnx', 'audio_vae_decoder.onnx');
const open = () => openGraph(path, { device: 'cpu', threads: 1 });
const { InferenceSession } = await loadRuntime();

it.each([
  ['std::bad_alloc', 'OUT_OF_MEMORY', 'not enough memory for audio_vae_decoder.onnx'],
  ['no such operator', 'MODEL_INVALID', `cannot load the ONNX graph ${path}: no such operator`],
])('a graph that does not load because of %s is reported as %s', async (reason, code, message) => {
  jest.spyOn(InferenceSession, 'create').mockRejectedValueOnce(new Error(reason));
  await expect(open()).rejects.toMatchObject({ code, message });
});

it.each([
  ['Failed to allocate memory for a buffer', 'OUT_OF_MEMORY', 'not enough memory for audio_vae_decoder.onnx'],
  ['shapes differ', 'MODEL_INVALID', 'audio_vae_decoder.onnx failed: shapes differ'],
])('a graph that fails because of %s is reported as %s', async (reason, code, message) => {
  const run = async () => Promise.reject(new Error(reason));
  const session = { run, outputNames: [], inputMetadata: [], outputMetadata: [] };
  jest.spyOn(InferenceSession, 'create').mockResolvedValueOnce(session as never);
  const graph = await open();
  await expect(graph.run({})).rejects.toMatchObject({ code, message });
});
