/** A front end's view of the workers of one model, refreshed periodically. */
import { SvcError } from '../../errors.ts';
import type { BrokerClient } from '../front/broker-client.ts';
import { brokerUnreachable } from './connection.ts';
import { type BrokerOverview, createRegistry, type ServedModel, type WorkerReport } from './registry.ts';

export type RegistryWatch = ReturnType<typeof watchRegistry>;

export const noWorker = (model: string): SvcError =>
  new SvcError('BACKEND_UNAVAILABLE', `no worker is running for model ${model}; retry later`);

const refreshMilliseconds = 500;
/** How long admitted requests wait for a worker to return. */
const absenceMilliseconds = 30_000;

/** @param absence milliseconds without a worker until now */
export function watchRegistry(client: BrokerClient, first: ServedModel, absence = 0) {
  const registry = createRegistry(client.redis, client.keys);
  let overview: BrokerOverview | undefined;
  let served = first;
  let workers: readonly WorkerReport[] = [];
  let servedAt = performance.now() - absence;

  async function refresh(): Promise<void> {
    overview = await registry.overview().catch(() => undefined);
    const all = overview?.workers ?? [];
    if (!all.some(({ model }) => model.identity === served.identity)) served = all[0]?.model ?? served;
    workers = all.filter(({ model }) => model.identity === served.identity);
    if (workers.length > 0 || overview === undefined) servedAt = performance.now();
  }

  const unserved = (): SvcError => noWorker(client.keys.modelName || served.info.name);

  const timer = setInterval(() => void refresh(), refreshMilliseconds);
  return {
    /** Changes when all workers have left and others come with another model. */
    get served() {
      return served;
    },
    /** The last known state; undefined while the broker is unreachable. */
    get overview() {
      return overview;
    },
    /** Workers with this model. */
    get workers() {
      return workers;
    },
    /** Concurrent tasks of these workers. */
    get capacity() {
      return workers.reduce((sum, { slots }) => sum + slots, 0);
    },
    /** Milliseconds without a worker. */
    get absence() {
      return workers.length > 0 ? 0 : performance.now() - servedAt;
    },
    /** @throws SvcError BACKEND_UNAVAILABLE when the broker is unreachable or has no workers */
    assertReachable(): void {
      if (overview === undefined) throw brokerUnreachable();
      if (workers.length === 0) throw unserved();
    },
    /** @throws SvcError BACKEND_UNAVAILABLE when there has been no worker for 30 seconds */
    assertServed(): void {
      if (performance.now() - servedAt > absenceMilliseconds) throw unserved();
    },
    refresh,
    stop: (): void => clearInterval(timer),
  };
}
