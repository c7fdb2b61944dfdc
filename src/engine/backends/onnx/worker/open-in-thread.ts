/** Runs a model in a worker thread, as `run()` of onnxruntime blocks its thread. */
import { SvcError, toSvcError } from '../../../../errors.ts';
import { openThread } from '../../../../worker-thread.ts';
import type { ModelPort } from '../../model-port.ts';
import type { OnnxModel } from '../model.ts';
import { disableTelemetry } from '../telemetry.ts';
import { createExitGate, removeExitGate } from './exit-gate.ts';
import type { Call, Reply, ThreadData, ThreadOptions } from './worker.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Starts the thread, which keeps the process alive only during a call.
 *
 * @throws SvcError MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY
 */
export async function openInThread(options: ThreadOptions): Promise<OnnxModel> {
  disableTelemetry();
  const gate = createExitGate();
  const workerData: ThreadData = { gate, options };
  const worker = openThread('./worker', import.meta.url, { workerData });
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let failure: SvcError | undefined;

  const reply = (id: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.ref();
    });
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return found;
  };
  const fail = (error: SvcError): void => {
    failure ??= error;
    for (const id of [...waiting.keys()]) settle(id)?.reject(failure);
  };
  worker.on('message', (message: Reply) => {
    const call = settle(message.id);
    if ('error' in message) call?.reject(toSvcError(Object.assign(new Error(message.error.message), message.error)));
    else call?.resolve(message.result);
  });
  worker.on('error', (error: Error & { readonly code?: string }) => {
    const code = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'OUT_OF_MEMORY' : 'INTERNAL';
    fail(new SvcError(code, `the ONNX thread failed: ${error.message}`, { cause: error }));
  });
  worker.on('exit', () => {
    removeExitGate(gate);
    fail(new SvcError('BACKEND_UNAVAILABLE', 'the model is closed'));
  });

  /** Forwards a call of the port to the thread. */
  const forward = <Name extends keyof ModelPort>(name: Name): ModelPort[Name] =>
    (async (...args: unknown[]) => {
      if (failure) throw failure;
      calls += 1;
      worker.postMessage({ id: calls, name, args: args.map(detached) } satisfies Call);
      return reply(calls);
    }) as ModelPort[Name];
  try {
    const { info, metadata } = (await reply(0)) as Pick<OnnxModel, 'info' | 'metadata'>;
    const close = forward('close');
    return {
      info,
      metadata,
      openEncoding: forward('openEncoding'),
      encode: forward('encode'),
      closeEncoding: forward('closeEncoding'),
      open: forward('open'),
      prefill: forward('prefill'),
      step: forward('step'),
      decode: forward('decode'),
      closeSession: forward('closeSession'),
      async close() {
        await close().finally(() => worker.terminate());
      },
    };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Copies views of larger buffers, as a message would include the whole buffer. */
function detached(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(detached);
  if (ArrayBuffer.isView(value)) {
    return value.byteLength === value.buffer.byteLength ? value : (value as Float32Array).slice();
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, detached(each)]));
}
