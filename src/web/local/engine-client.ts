/** The engine in the worker, as the page sees it. */
import { SvcError, toSvcError } from '../../errors.ts';
import type { FromWorker, LoadedModel, LoadOrder, Order, Outcome, Report, SpeakOrder, ToWorker } from './protocol.ts';

type OnReport = (report: Report) => void;

export type EngineClient = ReturnType<typeof createEngineClient>;

type Waiting = { readonly onReport: OnReport; readonly settle: (outcome: Outcome) => void };

const isReport = (report: Report | Outcome): report is Report =>
  report.kind === 'received' || report.kind === 'warning' || report.kind === 'samples';

/** @param open starts a worker. @throws SvcError of orders that fail */
export function createEngineClient(open: () => Worker) {
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
    const abort = (): void => onAbort(number);
    signal.addEventListener('abort', abort, { once: true });
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        waiting.delete(number);
        signal.removeEventListener('abort', abort);
        resolve(outcome);
      };
      waiting.set(number, { onReport, settle });
      send({ number, order });
    });
  }

  const send = (message: ToWorker): void => worker?.postMessage(message);

  function fail(outcome: Outcome): never {
    if (outcome.kind !== 'failed') throw new SvcError('INTERNAL', `unexpected answer of the worker: ${outcome.kind}`);
    // WebAssembly that ran out of memory may have left it in any state.
    if (outcome.code === 'OUT_OF_MEMORY') drop('OUT_OF_MEMORY', outcome.message);
    throw toSvcError(Object.assign(new Error(outcome.message), { code: outcome.code }));
  }

  return {
    async load(order: Omit<LoadOrder, 'kind'>, onReport: OnReport, signal: AbortSignal): Promise<LoadedModel> {
      const cancel = (): void => drop('CANCELLED', 'canceled');
      const outcome = await give({ kind: 'load', ...order }, onReport, signal, cancel);
      return outcome.kind === 'loaded' ? outcome.model : fail(outcome);
    },
    async speak(order: Omit<SpeakOrder, 'kind'>, onReport: OnReport, signal: AbortSignal): Promise<void> {
      const cancel = (number: number): void => send({ number, order: 'cancel' });
      const outcome = await give({ kind: 'speak', ...order }, onReport, signal, cancel);
      if (outcome.kind !== 'spoken') fail(outcome);
    },
  };
}
