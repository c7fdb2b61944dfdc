/** The queue under the scheduler: one call at a time, calls of one lane together. Knows nothing of models. */
import { SvcError } from '../errors.ts';
import { nextTurn } from '../next-turn.ts';

export interface QueuedCall<Data, Result> {
  /** Jobs of the same lane may run as one batch, and have the same `Data`, `Result` and `run`; without a lane a job runs alone. */
  readonly lane?: string;
  /** Jobs of one owner keep their order and never share a batch. */
  readonly owner: object;
  readonly data: Data;
  /** One result for each member, in order. */
  run(batch: readonly Data[]): Promise<readonly Result[]>;
}

export interface CallQueue {
  /** Rejects with what `run` rejects with, or with the error of `withdraw`. `first` goes before all that waits. */
  submit<Data, Result>(job: QueuedCall<Data, Result>, place?: 'first' | 'last'): Promise<Result>;
  /** Rejects the waiting jobs of such owners; what runs is left to finish. */
  withdraw(belongs: (owner: object) => boolean, error: SvcError): void;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

interface Entry {
  readonly job: QueuedCall<unknown, unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createCallQueue(maxBatch: number): CallQueue {
  let waiting: Entry[] = [];
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    // Those whom the last batch served ask again within this turn; without it batches would fall apart.
    for (await nextTurn(); waiting.length > 0; await nextTurn()) {
      const batch = chooseBatch(waiting, maxBatch);
      waiting = waiting.filter((entry) => !batch.includes(entry));
      await runBatch(batch);
    }
    working = undefined;
  }

  return {
    submit: <Data, Result>(job: QueuedCall<Data, Result>, place: 'first' | 'last' = 'last') =>
      new Promise<Result>((resolve, reject) => {
        // A lane is what makes members of a batch have one type; see `QueuedCall.lane`.
        const entry = { job, resolve, reject } as unknown as Entry;
        waiting = place === 'first' ? [entry, ...waiting] : [...waiting, entry];
        working ??= work();
      }),
    withdraw: (belongs, error) => {
      const withdrawn = waiting.filter(({ job }) => belongs(job.owner));
      waiting = waiting.filter((entry) => !withdrawn.includes(entry));
      for (const { reject } of withdrawn) reject(error);
    },
    idle: async () => working,
  };
}

/**
 * The oldest entry and, in order, those that may run along with it. An entry may not overtake an older one
 * of its owner: a session whose decode still waits is not stepped further, so its audio is never late.
 */
function chooseBatch(waiting: readonly Entry[], maxBatch: number): readonly Entry[] {
  const [oldest] = waiting;
  if (oldest?.job.lane === undefined) return waiting.slice(0, 1);
  const batch: Entry[] = [];
  const owners = new Set<object>();
  for (const entry of waiting) {
    if (batch.length >= maxBatch) break;
    if (!owners.has(entry.job.owner) && entry.job.lane === oldest.job.lane) batch.push(entry);
    owners.add(entry.job.owner);
  }
  return batch;
}

async function runBatch(batch: readonly Entry[]): Promise<void> {
  try {
    const results = await (batch[0] as Entry).job.run(batch.map(({ job }) => job.data));
    if (results.length !== batch.length) {
      throw new SvcError('INTERNAL', `expected ${batch.length} results for a batch, received ${results.length}`);
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
