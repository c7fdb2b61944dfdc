/** The runtime for ONNX files: onnxruntime in a worker thread. */
import { SvcError } from '../../../errors.ts';
import type { HandleBackend } from '../handle-backend.ts';
import { defaultThreads } from '../native/default-threads.ts';
import { returnFreedMemory } from '../native/load-addon.ts';
import { findOnnxLayout } from './layout.ts';
import { createOnnxBackend, type OnnxModel } from './model.ts';
import { type OnnxDevice, onnxDevices } from './runtime.ts';
import { openInThread } from './worker/open-in-thread.ts';

export type OnnxBackend = HandleBackend<OnnxModel>;

export interface OnnxBackendOptions {
  /** A device of onnxruntime; `auto` is the CPU, which is always available. */
  readonly backend: string;
  /** CPU threads. Default: one per physical core. */
  readonly threads?: number | undefined;
}

/**
 * Loads an ONNX folder.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export async function openOnnxBackend(directory: string, options: OnnxBackendOptions): Promise<OnnxBackend> {
  const layout = await findOnnxLayout(directory);
  if (layout === undefined) {
    throw new SvcError('MODEL_NOT_FOUND', `${directory} contains no ONNX model`);
  }
  const device = chooseOnnxDevice(options.backend);
  const threads = options.threads ?? defaultThreads().threads;
  const model = await openInThread({ directory, device, threads, layout });
  const close = async (): Promise<void> => {
    await model.close();
    returnFreedMemory();
  };
  return createOnnxBackend({ ...model, close });
}

/** @throws SvcError BACKEND_UNAVAILABLE for a device of other runtimes only */
function chooseOnnxDevice(name: string): OnnxDevice {
  if (name === 'auto') return 'cpu';
  const found = onnxDevices.find((device) => device === name);
  if (found) return found;
  throw new SvcError(
    'BACKEND_UNAVAILABLE',
    `ONNX models cannot use backend ${name} (available: ${onnxDevices.join(', ')}, auto); ${name} needs a .gguf model`,
  );
}
