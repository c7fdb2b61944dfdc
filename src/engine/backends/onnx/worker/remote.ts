/** The worker as the engine's thread sees it: calls that return promises. */
import { SvcError, toSvcError } from '../../../../errors.ts';
import { openThread } from '../../../../open-thread.ts';
import { createExitGate, removeExitGate } from './exit-gate.ts';
import type { Remote, ReplyMessage } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Starts the thread. It keeps the process alive only while a call is under way. */
export function startWorker(): Remote {
  const gate = createExitGate();
  const worker = openThread('./worker', import.meta.url, { workerData: gate });
  worker.unref();
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let failure: SvcError | undefined;

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
  worker.on('message', (reply: ReplyMessage) => {
    const call = settle(reply.id);
    if ('error' in reply) call?.reject(toSvcError(Object.assign(new Error(reply.error.message), reply.error)));
    else call?.resolve(reply.result);
  });
  worker.on('error', (error: Error & { readonly code?: string }) => {
    const code = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'OUT_OF_MEMORY' : 'INTERNAL';
    fail(new SvcError(code, `expected the ONNX thread to run, received: ${error.message}`, { cause: error }));
  });
  worker.on('exit', () => {
    removeExitGate(gate);
    fail(new SvcError('BACKEND_UNAVAILABLE', 'expected an open model, received a closed one'));
  });

  return {
    call(name, ...args) {
      if (failure) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve: resolve as (value: unknown) => void, reject });
        worker.ref();
        worker.postMessage({ id: calls, name, args });
      });
    },
    async end() {
      await worker.terminate();
    },
  };
}
