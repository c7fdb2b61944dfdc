/** A front end's view of the registry, refreshed periodically. */
import { SvcError } from '../../errors.ts';
import type { BrokerClient } from '../front/broker-client.ts';
import { brokerUnreachable } from './connection.ts';
import { type BrokerOverview, createRegistry, type ServedModel, type WorkerReport } from './registry.ts';

export interface RegistryWatch {
  /** The last known state; undefined while the broker is unreachable. */
  readonly overview: BrokerOverview | undefined;
  /** Workers with this front end's model. */
  readonly workers: readonly WorkerReport[];
  /** Concurrent tasks of these workers. */
  readonly capacity: number;
  /** @throws SvcError BACKEND_UNAVAILABLE when the broker is unreachable or has no workers */
  assertReachable(): void;
  /** @throws SvcError BACKEND_UNAVAILABLE when there has been no worker for 30 seconds */
  assertServed(): void;
  /** Refreshes now. */
  refresh(): Promise<void>;
  stop(): void;
}

const refreshMilliseconds = 500;
/** How long admitted requests wait for a worker to return. */
const absenceMilliseconds = 30_000;

export function watchRegistry(client: BrokerClient, { identity, info }: ServedModel): RegistryWatch {
  const registry = createRegistry(client.redis, client.keys);
  let overview: BrokerOverview | undefined;
  let workers: readonly WorkerReport[] = [];
  let servedAt = Date.now();

  async function refresh(): Promise<void> {
    overview = await registry.overview().catch(() => undefined);
    workers = overview?.workers.filter(({ model }) => model.identity === identity) ?? [];
    if (workers.length > 0 || overview === undefined) servedAt = Date.now();
  }

  const unserved = (): SvcError =>
    new SvcError('BACKEND_UNAVAILABLE', `no worker is running for model ${info.name}; retry later`);

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
      if (overview === undefined) throw brokerUnreachable();
      if (workers.length === 0) throw unserved();
    },
    assertServed() {
      if (Date.now() - servedAt > absenceMilliseconds) throw unserved();
    },
    refresh,
    stop: () => clearInterval(timer),
  };
}
