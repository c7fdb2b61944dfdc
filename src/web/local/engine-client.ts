/** The engine in the worker, as the page sees it. */
import { SvcError, toSvcError } from '../../errors.ts';
import type { FromWorker, LoadedModel, LoadOrder, Order, Outcome, Report, SpeakOrder, ToWorker } from './protocol.ts';

type OnReport = (report: Report) => void;

export interface EngineClient {
  /** @throws SvcError */
  load(order: Omit<LoadOrder, 'kind'>, onReport: OnReport, signal: AbortSignal): Promise<LoadedModel>;
  /** @throws SvcError */
  speak(order: Omit<SpeakOrder, 'kind'>, onReport: OnReport, signal: AbortSignal): Promise<void>;
}

interface Waiting {
  readonly onReport: OnReport;
  readonly settle: (outcome: Outcome) => void;
}

const isReport = (report: Report | Outcome): report is Report =>
  report.kind === 'received' || report.kind === 'warning' || report.kind === 'samples';

/** @param open starts a worker */
export function createEngineClient(open: () => Worker): EngineClient {
  let worker: Worker | undefined;
  let count = 0;
  const waiting = new Map<number, Waiting>();

  /** Ends a worker that failed, or whose loading was canceled, and frees its memory. */
  function drop(code: SvcError['code'], message: string): void {
    worker?.terminate();
    worker = undefined;
    for (const { settle } of [...waiting.values()]) settle({ kind: 'failed', code, message });
  }

  function start(): Worker {
    const started = open();
    started.onmessage = ({ data: { number, report } }: MessageEvent<FromWorker>) => {
      const order = waiting.get(number);
      if (isReport(report)) order?.onReport(report);
      else order?.settle(report);
    };
    started.onerror = ({ message }) => drop('INTERNAL', `the worker failed: ${message || 'unknown reason'}`);
    return started;
  }

  function give(
    order: Order,
    onReport: OnReport,
    signal: AbortSignal,
    onAbort: (number: number) => void,
  ): Promise<Outcome> {
    signal.throwIfAborted();
    worker ??= start();
    count += 1;
    const number = count;
    const { promise, resolve } = deferred<Outcome>();
    const abort = (): void => onAbort(number);
    signal.addEventListener('abort', abort, { once: true });
    waiting.set(number, {
      onReport,
      settle: (outcome) => {
        waiting.delete(number);
        signal.removeEventListener('abort', abort);
        resolve(outcome);
      },
    });
    send({ number, order });
    return promise;
  }

  const send = (message: ToWorker): void => worker?.postMessage(message);

  function fail(outcome: Outcome): never {
    if (outcome.kind !== 'failed') throw new SvcError('INTERNAL', `unexpected answer of the worker: ${outcome.kind}`);
    // WebAssembly that ran out of memory may have left it in any state.
    if (outcome.code === 'OUT_OF_MEMORY') drop('OUT_OF_MEMORY', outcome.message);
    throw toSvcError(Object.assign(new Error(outcome.message), { code: outcome.code }));
  }

  return {
    async load(order, onReport, signal) {
      const cancel = (): void => drop('CANCELLED', 'canceled');
      const outcome = await give({ kind: 'load', ...order }, onReport, signal, cancel);
      return outcome.kind === 'loaded' ? outcome.model : fail(outcome);
    },
    async speak(order, onReport, signal) {
      const cancel = (number: number): void => send({ number, order: 'cancel' });
      const outcome = await give({ kind: 'speak', ...order }, onReport, signal, cancel);
      if (outcome.kind !== 'spoken') fail(outcome);
    },
  };
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
