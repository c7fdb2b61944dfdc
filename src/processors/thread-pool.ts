/**
 * Worker threads that do one job at a time, with a limit of time and of memory. Jobs that can't be interrupted block nothing
 * else there and can be terminated. A pool of our own: in those of npm the time of a job includes that of loading its code,
 * and an answer is one message.
 */
import type { Transferable, Worker } from 'node:worker_threads';
import { canceled, throwIfCanceled, waitFor } from '../cancellation.ts';
import { type PlainError, SvcError, toSvcError } from '../errors.ts';
import { openThread } from '../worker-thread.ts';
import { readMachine } from './machine.ts';
import { chooseThreads } from './thread-count.ts';

/** Half of the threads that speech may use, to leave it the others and bound memory. */
const countThreads = (): number => Math.max(1, Math.min(4, Math.floor(chooseThreads(readMachine()).threads / 2)));
/** How long an idle thread is kept: starting one takes about 40 ms. */
const idleMilliseconds = 5_000;

export type ThreadReply =
  /** The code is loaded; the time limit starts. */
  | { readonly kind: 'ready' }
  /** The job failed; the thread continues. */
  | { readonly kind: 'error'; readonly error: PlainError };

export interface PoolSettings {
  /** What the threads are called in errors. */
  readonly name: string;
  /** Limit of the heap of a thread. */
  readonly heapMegabytes: number;
  /** Starts the thread's program, as `openThread` does. */
  readonly program: Parameters<typeof openThread>;
}

export interface ThreadJob<Reply> {
  readonly message: unknown;
  /** Moved to the thread; the caller's views are empty afterwards. */
  readonly transfer?: readonly Transferable[];
  readonly milliseconds: number;
  readonly signal: AbortSignal | undefined;
  /** Called with each reply; returns whether it is the last one of the job. Without it, the first one is. */
  readonly isLast?: (reply: Exclude<Reply, ThreadReply>, worker: Worker) => boolean;
  /** Makes the error of a job that exceeds a limit. */
  readonly exceeds: (limit: 'time' | 'memory') => SvcError;
}

interface Thread {
  readonly worker: Worker;
  /** The code of the thread has been loaded. */
  ready: boolean;
  retirement?: NodeJS.Timeout;
}

export class ThreadPool<Reply extends { readonly kind: string }> {
  readonly #settings: PoolSettings;
  readonly #idle: Thread[] = [];
  readonly #waiting: (() => void)[] = [];
  #working = 0;
  /** Counted on first use, not on import. */
  #maxThreads: number | undefined;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  /**
   * @returns the last reply
   * @throws SvcError of the job; CANCELLED; of `exceeds`; BACKEND_UNAVAILABLE where the program is missing; INTERNAL
   */
  async run(job: ThreadJob<Reply>): Promise<Exclude<Reply, ThreadReply>> {
    await this.#takePlace(job.signal);
    const thread = this.#idle.pop() ?? this.#start();
    clearTimeout(thread.retirement);
    let reply: Reply | ThreadReply;
    try {
      reply = await this.#ask(thread, job);
    } catch (error) {
      // The slot becomes free when the thread has ended; native code may take a moment.
      void thread.worker.terminate().finally(() => this.#givePlace());
      throw error;
    }
    this.#keep(thread);
    this.#givePlace();
    if (reply.kind === 'error') throw toSvcError((reply as Extract<ThreadReply, { readonly kind: 'error' }>).error);
    return reply as Exclude<Reply, ThreadReply>;
  }

  #start(): Thread {
    const { program, heapMegabytes } = this.#settings;
    // Libraries may print; errors are one line. The output is not read, as a reader would keep the process alive.
    const worker = openThread(program[0], program[1], {
      stdout: true,
      stderr: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    const thread: Thread = { worker, ready: false };
    worker.on('exit', () => this.#forget(thread));
    // Without a listener a failure between two jobs would end the process.
    worker.on('error', () => undefined);
    return thread;
  }

  #keep(thread: Thread): void {
    const retire = (): void => {
      // Before it has ended, so that it is not used again.
      this.#forget(thread);
      void thread.worker.terminate();
    };
    thread.worker.unref();
    this.#idle.push(thread);
    thread.retirement = setTimeout(retire, idleMilliseconds).unref();
  }

  #forget(thread: Thread): void {
    const place = this.#idle.indexOf(thread);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  /** Gives a job to a thread. Rejects on failure, timeout and abort. */
  #ask(thread: Thread, job: ThreadJob<Reply>): Promise<Reply | ThreadReply> {
    const { worker } = thread;
    let timer: NodeJS.Timeout | undefined;
    let stopListening = (): void => undefined;
    const begin = (resolve: (reply: Reply | ThreadReply) => void, reject: (reason: unknown) => void): void => {
      const startTimer = (): void => {
        // Not in the same turn: if this thread was busy, the answer may be queued behind the timer.
        timer = setTimeout(() => setImmediate(() => reject(job.exceeds('time'))), job.milliseconds);
      };
      const answered = (reply: Reply | ThreadReply): void => {
        if (reply.kind === 'ready') {
          thread.ready = true;
          startTimer();
        } else if (reply.kind === 'error' || (job.isLast?.(reply as Exclude<Reply, ThreadReply>, worker) ?? true)) {
          resolve(reply);
        }
      };
      const failed = (error: Error): void => reject(this.#failureOf(error, job));
      const ended = (): void => reject(new SvcError('INTERNAL', `the ${this.#settings.name} exited`));
      worker.on('message', answered).on('error', failed).on('exit', ended);
      stopListening = () => void worker.off('message', answered).off('error', failed).off('exit', ended);
      worker.ref();
      worker.postMessage(job.message, job.transfer ?? []);
      if (thread.ready) startTimer();
    };
    const end = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    return waitFor(job.signal, begin, end).catch(rejected(job.signal));
  }

  #failureOf(error: Error & { readonly code?: string }, job: ThreadJob<Reply>): SvcError {
    const { name } = this.#settings;
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return job.exceeds('memory');
    if (error.code === 'ERR_MODULE_NOT_FOUND') {
      const remedy = 'in a bundled program, mark this package as external';
      return new SvcError('BACKEND_UNAVAILABLE', `cannot start the ${name}`, { cause: error, remedy });
    }
    return new SvcError('INTERNAL', `the ${name} failed: ${error.message}`, { cause: error });
  }

  /** Waits for a free slot. */
  async #takePlace(signal: AbortSignal | undefined): Promise<void> {
    throwIfCanceled(signal);
    this.#maxThreads ??= countThreads();
    if (this.#working < this.#maxThreads) {
      this.#working += 1;
      return;
    }
    let begin = (): void => undefined;
    const lineUp = (resolve: () => void): void => {
      begin = resolve;
      this.#waiting.push(begin);
    };
    const leave = (): void => {
      const place = this.#waiting.indexOf(begin);
      if (place >= 0) this.#waiting.splice(place, 1);
    };
    await waitFor(signal, lineUp, leave).catch(rejected(signal));
  }

  /** Passes a slot to the next waiting job, or frees it. */
  #givePlace(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#working -= 1;
    else next();
  }
}

/** Converts the reason of an aborted signal to an error of svc. */
const rejected =
  (signal: AbortSignal | undefined) =>
  (reason: unknown): never => {
    throw signal?.aborted ? canceled(signal) : reason;
  };
