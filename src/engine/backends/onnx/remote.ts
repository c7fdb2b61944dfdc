/** The worker as the engine's thread sees it: calls that return promises. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SvcError, toSvcError } from '../../../errors.ts';
import type { Remote, ReplyMessage } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function openThread(): Worker {
  const extension = extname(import.meta.url);
  const url = new URL(`./worker${extension}`, import.meta.url);
  if (extension !== '.ts') return new Worker(url);
  // From its sources the project runs through tsx, which a thread does not inherit.
  const tsx = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  ).href;
  const start = `import('${tsx}').then(({ register }) => { register(); return import('${url.href}'); });`;
  return new Worker(start, { eval: true });
}

/** Starts the thread. It keeps the process alive only while a call is under way. */
export function startWorker(): Remote {
  const worker = openThread();
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
  worker.on('exit', () => fail(new SvcError('BACKEND_UNAVAILABLE', 'expected an open model, received a closed one')));

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
