/** The queue of the scheduler: runs one call at a time and batches calls of the same lane. Independent of models. */
import { SvcError } from '../errors.ts';
import { yieldToEventLoop } from '../event-loop.ts';

export interface QueuedCall<Data, Result> {
  /**
   * Jobs of the same lane may run as one batch; they must have the same `Data`, `Result` and `run`. Without a lane a
   * job runs alone.
   */
  readonly lane?: string;
  /** `begins`: the next batch needn't wait for this one if it `joins`; by default, neither. */
  readonly beside?: 'begins' | 'joins' | undefined;
  /** Jobs of one owner keep their order and never share a batch. */
  readonly owner: object;
  readonly data: Data;
  /** Resolves to one result per member, in order. */
  run(batch: readonly Data[]): Promise<readonly Result[]>;
}

export type CallQueue = ReturnType<typeof createCallQueue>;

interface PendingCall {
  readonly job: QueuedCall<unknown, unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createCallQueue(maxBatch: () => number) {
  let waiting: PendingCall[] = [];
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    let begun: Promise<void> | undefined;
    do {
      // Members of the last batch submit their next job within this turn; without the wait, batches would split up.
      for (await yieldToEventLoop(); waiting.length > 0; await yieldToEventLoop()) {
        const batch = chooseBatch(waiting, maxBatch());
        waiting = waiting.filter((entry) => !batch.includes(entry));
        const beside = batch[0]?.job.beside;
        if (beside !== 'joins') await begun;
        const running = runBatch(batch);
        if (beside === 'begins') begun = running;
        else await running;
      }
      await begun;
    } while (waiting.length > 0);
    working = undefined;
  }

  return {
    /** Rejects with the error of `run` or of `withdraw`. `first` goes before all waiting jobs. */
    submit: <Data, Result>(job: QueuedCall<Data, Result>, place: 'first' | 'last' = 'last') =>
      new Promise<Result>((resolve, reject) => {
        // Members of a batch have the same types, as they share a lane; see `QueuedCall.lane`.
        const entry = { job, resolve, reject } as unknown as PendingCall;
        waiting = place === 'first' ? [entry, ...waiting] : [...waiting, entry];
        working ??= work();
      }),
    /** Rejects the waiting jobs of matching owners; a running batch finishes. */
    withdraw: (belongs: (owner: object) => boolean, error: SvcError): void => {
      const withdrawn = waiting.filter(({ job }) => belongs(job.owner));
      waiting = waiting.filter((entry) => !withdrawn.includes(entry));
      for (const { reject } of withdrawn) reject(error);
    },
    idle: async (): Promise<void> => working,
  };
}

/**
 * The oldest entry and, in order, the entries that may join its batch. An entry never overtakes an older one of its
 * owner: a session with a waiting decode is not stepped, so its audio is never late.
 */
function chooseBatch(waiting: readonly PendingCall[], maxBatch: number): readonly PendingCall[] {
  const [oldest] = waiting;
  if (oldest?.job.lane === undefined) return waiting.slice(0, 1);
  const batch: PendingCall[] = [];
  const owners = new Set<object>();
  for (const entry of waiting) {
    if (batch.length >= maxBatch) break;
    if (!owners.has(entry.job.owner) && entry.job.lane === oldest.job.lane) batch.push(entry);
    owners.add(entry.job.owner);
  }
  return batch;
}

async function runBatch(batch: readonly PendingCall[]): Promise<void> {
  try {
    const results = await (batch[0] as PendingCall).job.run(batch.map(({ job }) => job.data));
    if (results.length !== batch.length)
      throw new SvcError('INTERNAL', `a batch of ${batch.length} returned ${results.length} results`);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
