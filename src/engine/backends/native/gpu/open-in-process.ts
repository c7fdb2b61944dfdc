/** Runs a model on a GPU in a child process: ggml ends its process where a driver fails, and a driver may never return. */
import type { ChildProcess } from 'node:child_process';
import { causeOf, collectWords, describeEnd, forkProgram, outOfMemory } from '../../../../child-program.ts';
import { type PlainError, SvcError, toSvcError } from '../../../../errors.ts';
import type { NativeDevice, NativeModel, NativeModelInfo } from '../addon.ts';
import { defaultPatience } from './check-library.ts';
import {
  type ModelCall,
  type ModelMessage,
  type ModelReply,
  type ModelState,
  type ModelTask,
  modelCalls,
} from './model-messages.ts';

/** A model in a process, which may end. */
export interface ProcessModel extends Pick<NativeModel, ModelCall | 'close'> {
  readonly info: NativeModelInfo;
  /** As of its last answer. */
  state(): ModelState;
  /** Why it answers no more; undefined while it does. */
  readonly loss: () => SvcError | undefined;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Loading reads the whole model. */
const loadingFactor = 5;

/** Running children, which end with this process, also if their driver hangs. */
const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

/**
 * Starts the process, which keeps this one alive only during a call. When it ends, crashes, or doesn't answer for
 * `patience` milliseconds, its calls reject with DEVICE_LOST, or with OUT_OF_MEMORY where that was the cause.
 *
 * @throws SvcError as opening a model, and DEVICE_LOST
 */
export async function openInProcess(task: ModelTask, patience: number = defaultPatience): Promise<ProcessModel> {
  const child = forkProgram('./model-program', import.meta.url);
  const words = collectWords(child);
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  let loss: SvcError | undefined;
  let state: ModelState = { memory: { bytes: 0, remembered: 0, computed: 0 }, work: undefined, device: {} };
  let watch: NodeJS.Timeout | undefined;
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);

  function hold(isHeld: boolean): void {
    const name = isHeld ? 'ref' : 'unref';
    child[name]();
    child.channel?.[name]();
    (child.stderr as unknown as { ref(): void; unref(): void } | null)?.[name]();
  }
  function lose(cause: SvcError): void {
    clearTimeout(watch);
    loss ??= cause;
    child.kill('SIGKILL');
    const unanswered = [...waiting.values()];
    waiting.clear();
    for (const call of unanswered) call.reject(loss);
  }
  function awaitAnswer(limit: number): void {
    clearTimeout(watch);
    // What arrived while this thread was busy is read before.
    const check = (): unknown => setImmediate(() => lose(lossOf(task.device, `no answer in ${limit / 1000} s`)));
    watch = setTimeout(check, limit).unref();
  }
  const call = (message: (id: number) => ModelMessage, limit: number): Promise<unknown> => {
    if (loss !== undefined) return Promise.reject(loss);
    const id = calls;
    calls += 1;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      hold(true);
      if (waiting.size === 1) awaitAnswer(limit);
      child.send(message(id), (error) => error && lose(lossOf(task.device, error.message)));
    });
  };
  child.on('message', (reply: ModelReply) => {
    const found = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('state' in reply && reply.state !== undefined) state = reply.state;
    if (waiting.size > 0) awaitAnswer(patience);
    else {
      clearTimeout(watch);
      hold(false);
    }
    if (!('error' in reply)) return found?.resolve(reply.result);
    const failure = failureOf(reply.error, words(), task);
    // The state of a device after a fault is unknown.
    if (failure.code === 'DEVICE_LOST') lose(failure);
    return found?.reject(loss ?? failure);
  });
  child.on('error', ({ message }) => lose(lossOf(task.device, message)));
  child.on('close', (code, signal) => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
    lose(lossOf(task.device, describeEnd(code, signal, words())));
  });

  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    hold(true);
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    loss ??= new SvcError('BACKEND_UNAVAILABLE', 'the model is closed');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const info = (await call(() => ({ task }), loadingFactor * patience)) as NativeModelInfo;
    const forward = (name: ModelCall) => [name, (...args: unknown[]) => call((id) => ({ id, name, args }), patience)];
    return {
      ...(Object.fromEntries(modelCalls.map(forward)) as Pick<NativeModel, ModelCall>),
      info,
      state: () => state,
      loss: () => loss,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Errors inside the process that are no fault of the request: what ggml or the driver reports. */
function failureOf(error: PlainError, words: string, task: ModelTask): SvcError {
  const failure = toSvcError(Object.assign(new Error(error.message), error));
  if (failure.code !== 'INTERNAL' && failure.code !== 'DEVICE_LOST') return failure;
  // The way out of the addon is what happens here.
  const [problem] = failure.problem.split(';');
  const cause = [problem, causeOf(words)].filter(Boolean).join(': ');
  return lossOf(task.device, cause);
}

/** The error of a device that answers no more. */
export function lossOf(device: Pick<NativeDevice, 'name' | 'description'>, cause: string): SvcError {
  const name = `${device.name} (${device.description})`;
  if (outOfMemory.test(cause)) {
    const remedy = 'use a smaller --max-batch, a smaller model or --backend cpu';
    return new SvcError('OUT_OF_MEMORY', `${name} ran out of memory: ${cause}`, { remedy });
  }
  const remedy = 'retry; if it happens again, see svc doctor, or use --backend cpu';
  return new SvcError('DEVICE_LOST', `${name} stopped working: ${cause}`, { remedy });
}
