/** The backend of a model that lies at an address, in the thread that calls: the page's worker. */
import type { Backend } from '../../engine/backend.ts';
import { openExportedModel } from '../../engine/backends/onnx/exported/model.ts';
import { modelHandlers } from '../../engine/backends/onnx/worker/handlers.ts';
import type { Calls, Remote } from '../../engine/backends/onnx/worker/protocol.ts';
import { RemoteBackend } from '../../engine/backends/onnx/worker/remote-backend.ts';
import { SvcError } from '../../errors.ts';
import type { ModelFiles } from './model-files.ts';
import type { WebRuntime } from './onnx-web.ts';

type AnyHandler = (...args: unknown[]) => Promise<never>;

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
  const handlers = modelHandlers(() => model) as Partial<Record<keyof Calls, AnyHandler>>;
  const remote: Remote = {
    call(name, ...args) {
      const handler = handlers[name];
      if (handler) return handler(...args);
      return Promise.reject(new SvcError('INTERNAL', `expected a call of a loaded model, received ${name}`));
    },
    end: async () => undefined,
  };
  return new RemoteBackend(remote, model);
}
