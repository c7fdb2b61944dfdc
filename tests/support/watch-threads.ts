import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WatchedThreads extends Disposable {
  /** Number of messages to threads. */
  asked(): number;
  /** The `kind` of each answer, but for those that a thread is ready. */
  answers(): readonly string[];
  /** Waits until every thread that was asked something has ended. */
  ended(): Promise<void>;
}

/** Watches the threads that are sent messages from now on, also those that run already. */
export function watchThreads(): WatchedThreads {
  const asked = new Map<Worker, Promise<unknown>>();
  const kinds: string[] = [];
  let messages = 0;
  const answered = ({ kind }: { readonly kind: string }): void => void (kind === 'ready' || kinds.push(kind));
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, ...message) {
    // Node.js resolves imports in a thread of its own, of another class.
    if (this.constructor !== Worker) return postMessage.apply(this, message);
    messages += 1;
    if (!asked.has(this)) asked.set(this, once(this, 'exit'));
    this.off('message', answered).on('message', answered);
    postMessage.apply(this, message);
  };
  return {
    asked: () => messages,
    answers: () => kinds,
    ended: async () => void (await Promise.all(asked.values())),
    [Symbol.dispose]() {
      Worker.prototype.postMessage = postMessage;
      for (const worker of asked.keys()) worker.off('message', answered);
    },
  };
}
