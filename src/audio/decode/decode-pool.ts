/**
 * Decodes recordings in worker threads, which also denoise them. A few bytes can keep a decoder busy for hours: in a thread it blocks nothing
 * else and can be terminated.
 */
import type { Worker } from 'node:worker_threads';
import { canceled, throwIfCanceled, waitFor } from '../../cancellation.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { readMachine } from '../../processors/machine.ts';
import { chooseThreads } from '../../processors/thread-count.ts';
import { openThread } from '../../worker-thread.ts';
import type { Audio } from '../audio.ts';
import { type DecodeLimits, tooSlow } from './decode-limits.ts';
import type { DecodeReply, DecodeRequest } from './decode-worker.ts';

/** Half of the threads that speech may use, to leave it the others and bound memory. */
const countThreads = (): number => Math.max(1, Math.min(4, Math.floor(chooseThreads(readMachine()).threads / 2)));
/** Heap limit of a thread, for hostile containers with large tables. */
const heapMegabytes = 512;
/** How long an idle thread is kept: starting one takes about 40 ms. */
const idleMilliseconds = 5_000;

interface Thread {
  readonly worker: Worker;
  /** The code of the thread has been loaded. */
  ready: boolean;
  retirement?: NodeJS.Timeout;
}

const idle: Thread[] = [];
const waiting: (() => void)[] = [];
let working = 0;
/** Counted on first use, not on import. */
let maxThreads: number | undefined;

/**
 * @param bytes moved to the thread; the caller's view is empty afterwards
 * @throws SvcError like `decodeAudio`
 */
export async function decodeInThread(
  bytes: Uint8Array<ArrayBuffer>,
  limits: DecodeLimits,
  {
    noise = 'keep',
    signal,
  }: Partial<Pick<DecodeRequest, 'noise'>> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Audio> {
  await takePlace(signal);
  const thread = idle.pop() ?? startThread();
  clearTimeout(thread.retirement);
  let answer: DecodeReply;
  try {
    answer = await ask(thread, { bytes, limits, noise }, signal);
  } catch (error) {
    // The slot becomes free when the thread has ended; native code may take a moment.
    void thread.worker.terminate().finally(givePlace);
    throw error;
  }
  keep(thread);
  givePlace();
  if (answer.kind === 'audio') return answer.audio;
  throw toSvcError((answer as Extract<DecodeReply, { readonly kind: 'error' }>).error);
}

function startThread(): Thread {
  // Libraries may print; errors are one line. The output is not read, as a reader would keep the process alive.
  const worker = openThread('./decode-worker', import.meta.url, {
    stdout: true,
    stderr: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const thread: Thread = { worker, ready: false };
  worker.on('exit', () => forget(thread));
  // Without a listener a failure between two recordings would end the process.
  worker.on('error', () => undefined);
  return thread;
}

function keep(thread: Thread): void {
  const retire = (): void => {
    // Before it has ended, so that it is not used again.
    forget(thread);
    void thread.worker.terminate();
  };
  thread.worker.unref();
  idle.push(thread);
  thread.retirement = setTimeout(retire, idleMilliseconds).unref();
}

function forget(thread: Thread): void {
  const place = idle.indexOf(thread);
  if (place >= 0) idle.splice(place, 1);
}

/** Sends a request to a thread. Rejects on failure, timeout and abort. */
function ask(thread: Thread, request: DecodeRequest, signal: AbortSignal | undefined): Promise<DecodeReply> {
  const { worker } = thread;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = (): void => undefined;
  const begin = (resolve: (reply: DecodeReply) => void, reject: (reason: unknown) => void): void => {
    const startTimer = (): void => {
      // Not in the same turn: if this thread was busy, the answer may be queued behind the timer.
      const late = (): void => void setImmediate(() => reject(tooSlow(request.limits)));
      timer = setTimeout(late, request.limits.milliseconds);
    };
    const answered = (reply: DecodeReply): void => {
      if (reply.kind === 'ready') {
        thread.ready = true;
        startTimer();
      } else {
        resolve(reply);
      }
    };
    const failed = (error: Error): void => reject(failureOf(error));
    const ended = (): void => reject(new SvcError('INTERNAL', 'the decoder thread exited'));
    worker.on('message', answered).on('error', failed).on('exit', ended);
    stopListening = () => void worker.off('message', answered).off('error', failed).off('exit', ended);
    worker.ref();
    worker.postMessage(request, [request.bytes.buffer as ArrayBuffer]);
    if (thread.ready) startTimer();
  };
  const end = (): void => {
    clearTimeout(timer);
    stopListening();
  };
  return waitFor(signal, begin, end).catch(rejected(signal));
}

/** Converts the reason of an aborted signal to an error of svc. */
const rejected =
  (signal: AbortSignal | undefined) =>
  (reason: unknown): never => {
    throw signal?.aborted ? canceled(signal) : reason;
  };

function failureOf(error: Error & { readonly code?: string }): SvcError {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const most = `${heapMegabytes} MB`;
    return new SvcError(
      'UNSUPPORTED_AUDIO',
      `the recording needs more memory to decode than the limit of ${most}; convert it to WAV`,
      { cause: error },
    );
  }
  if (error.code === 'ERR_MODULE_NOT_FOUND') {
    const remedy = 'in a bundled program, mark this package as external';
    return new SvcError('BACKEND_UNAVAILABLE', 'cannot start the decoder thread', { cause: error, remedy });
  }
  return new SvcError('INTERNAL', `the decoder thread failed: ${error.message}`, { cause: error });
}

/** Waits for a free slot. */
async function takePlace(signal: AbortSignal | undefined): Promise<void> {
  throwIfCanceled(signal);
  maxThreads ??= countThreads();
  if (working < maxThreads) {
    working += 1;
    return;
  }
  let begin = (): void => undefined;
  const lineUp = (resolve: () => void): void => {
    begin = resolve;
    waiting.push(begin);
  };
  const leave = (): void => {
    const place = waiting.indexOf(begin);
    if (place >= 0) waiting.splice(place, 1);
  };
  await waitFor(signal, lineUp, leave).catch(rejected(signal));
}

/** Passes a slot to the next waiting recording, or frees it. */
function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) working -= 1;
  else next();
}
