/** The backend of a model at a URL, computed in the calling thread: the page's worker. */
import type { Backend } from '../../engine/backend.ts';
import { openExportedModel } from '../../engine/backends/onnx/exported/model.ts';
import { createOnnxBackend } from '../../engine/backends/onnx/model.ts';
import type { ModelFiles } from './model-files.ts';
import type { WebRuntime } from './onnx-web.ts';

/** @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, NETWORK, OUT_OF_MEMORY */
export async function openBrowserBackend(
  files: ModelFiles,
  { device, Tensor, openGraph }: WebRuntime,
): Promise<Backend> {
  const model = await openExportedModel({
    device,
    Tensor,
    folder: files.address,
    readText: files.readText,
    openGraph: (file) => openGraph(file, files.read),
  });
  return createOnnxBackend(model);
}
