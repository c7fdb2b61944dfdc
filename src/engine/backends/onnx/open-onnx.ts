/** The runtime for ONNX files: onnxruntime in a thread of its own. */
import { SvcError } from '../../../errors.ts';
import { defaultThreads } from '../native/device.ts';
import { findOnnxLayout } from './layout.ts';
import { type OnnxDevice, onnxDevices } from './runtime.ts';
import { startWorker } from './worker/remote.ts';
import { type OnnxBackend, RemoteBackend } from './worker/remote-backend.ts';

export interface OnnxBackendOptions {
  /** A device of onnxruntime; `auto` is the CPU, which every installation has. */
  readonly backend: string;
  /** CPU threads; a thread a physical core when left out. */
  readonly threads?: number | undefined;
}

/**
 * Loads a folder of ONNX files.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export async function openOnnxBackend(directory: string, options: OnnxBackendOptions): Promise<OnnxBackend> {
  const layout = await findOnnxLayout(directory);
  if (layout === undefined) {
    throw new SvcError('MODEL_NOT_FOUND', `expected a folder with an ONNX model, received ${directory}`);
  }
  const device = chooseOnnxDevice(options.backend);
  const remote = startWorker();
  try {
    const threads = options.threads ?? defaultThreads();
    return new RemoteBackend(remote, await remote.call('load', { directory, device, threads, layout }));
  } catch (error) {
    await remote.end();
    throw error;
  }
}

/** @throws SvcError BACKEND_UNAVAILABLE for a device that only other runtimes know */
function chooseOnnxDevice(name: string): OnnxDevice {
  if (name === 'auto') return 'cpu';
  const found = onnxDevices.find((device) => device === name);
  if (found) return found;
  throw new SvcError(
    'BACKEND_UNAVAILABLE',
    `expected ${onnxDevices.join(', ')} or auto as the backend of an ONNX model, received ${name}, ` +
      'which .gguf models can use',
  );
}
