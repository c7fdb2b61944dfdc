/** Opens what `svc batch --broker` uses instead of an engine: its tasks give way to those of listeners. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { createConnectionLog } from '../shared/connection.ts';
import { watchRegistry } from '../shared/watch-registry.ts';
import { openBrokerClient } from './broker-client.ts';
import { awaitModel, type ModelSearch } from './find-models.ts';
import { createRemoteSource } from './remote-source.ts';

interface BatchFrontOptions extends ModelSearch {
  readonly address: BrokerAddress;
  readonly queue: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const pause = (signal: AbortSignal): Promise<void> => wait(500, undefined, { signal }).catch(() => undefined);

/** Waits for the model's first worker. @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function openBatchFront(options: BatchFrontOptions) {
  const { address, queue, logger } = options;
  const front = await openBrokerClient(address, queue, createConnectionLog(logger));
  try {
    const { name, served } = await awaitModel(front, options);
    const client = front.forModel(name);
    const registry = watchRegistry(client, served);
    await registry.refresh();
    let isAbsent = false;
    return {
      served,
      source: createRemoteSource(client, served, registry.assertServed, 'batch'),
      /** Tasks that the live workers run at once. */
      get capacity() {
        return registry.capacity;
      },
      /** Resolves once the broker is reachable and has workers. @throws SvcError CANCELLED */
      async ready(waiting: AbortSignal): Promise<void> {
        for (; registry.workers.length === 0; await pause(waiting)) {
          throwIfCanceled(waiting);
          if (!isAbsent) logger.info({ queue }, 'waiting for workers');
          isAbsent = true;
        }
        isAbsent = false;
      },
      async close(): Promise<void> {
        registry.stop();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}
