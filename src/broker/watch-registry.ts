/** A front end's view of the registry, read anew again and again: whether somebody would do what is asked for. */
import { SvcError } from '../errors.ts';
import { brokerAway } from './connection.ts';
import type { Front } from './front.ts';
import { type BrokerOverview, createRegistry, type ServedModel, type WorkerReport } from './registry.ts';

export interface RegistryWatch {
  /** As it was last seen; undefined while the broker is away. */
  readonly overview: BrokerOverview | undefined;
  /** Workers that serve the model of this front end. */
  readonly workers: readonly WorkerReport[];
  /** Tasks that they do at once. */
  readonly capacity: number;
  /** @throws SvcError BACKEND_UNAVAILABLE when the broker is away or nobody works */
  assertReachable(): void;
  /** Throws when nobody has worked for so long that there is nothing to wait for. */
  assertServed(): void;
  /** Looks once more, now. */
  refresh(): Promise<void>;
  stop(): void;
}

const refreshMilliseconds = 500;
/** How long requests that were taken wait for the return of a worker. */
const hopeMilliseconds = 30_000;

export function watchRegistry(front: Front, { identity, info }: ServedModel): RegistryWatch {
  const registry = createRegistry(front.redis, front.keys);
  let overview: BrokerOverview | undefined;
  let workers: readonly WorkerReport[] = [];
  let servedAt = Date.now();

  async function refresh(): Promise<void> {
    overview = await registry.overview().catch(() => undefined);
    workers = overview?.workers.filter(({ model }) => model.identity === identity) ?? [];
    if (workers.length > 0 || overview === undefined) servedAt = Date.now();
  }

  const nobody = (): SvcError =>
    new SvcError('BACKEND_UNAVAILABLE', `expected a worker with model ${info.name} at the broker, received none`);

  const timer = setInterval(() => void refresh(), refreshMilliseconds);
  return {
    get overview() {
      return overview;
    },
    get workers() {
      return workers;
    },
    get capacity() {
      return workers.reduce((sum, { slots }) => sum + slots, 0);
    },
    assertReachable() {
      if (overview === undefined) throw brokerAway();
      if (workers.length === 0) throw nobody();
    },
    assertServed() {
      if (Date.now() - servedAt > hopeMilliseconds) throw nobody();
    },
    refresh,
    stop: () => clearInterval(timer),
  };
}
