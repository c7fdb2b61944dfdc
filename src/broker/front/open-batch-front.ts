/** Opens what `svc batch --broker` uses instead of an engine: its tasks give way to those of listeners. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { createConnectionLog } from '../shared/connection-log.ts';
import type { ServedModel } from '../shared/registry.ts';
import { watchRegistry } from '../shared/watch-registry.ts';
import { openBrokerClient } from './broker-client.ts';
import { awaitModel } from './find-models.ts';
import { createRemoteSource, type RemoteSource } from './remote-source.ts';

export interface BatchFrontOptions {
  readonly address: BrokerAddress;
  readonly queue: string;
  /** Name of the model at front ends; default: the one whose first worker came first. */
  readonly model?: string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly signal: AbortSignal;
}

export interface BatchFront {
  readonly served: ServedModel;
  readonly source: RemoteSource;
  /** Tasks that the live workers run at once. */
  readonly capacity: number;
  /** Resolves once the broker is reachable and has workers. @throws SvcError CANCELLED */
  ready(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const pause = (signal: AbortSignal): Promise<void> => wait(500, undefined, { signal }).catch(() => undefined);

/** Waits for the model's first worker. @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function openBatchFront(options: BatchFrontOptions): Promise<BatchFront> {
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
      get capacity() {
        return registry.capacity;
      },
      async ready(waiting) {
        for (; registry.workers.length === 0; await pause(waiting)) {
          throwIfCanceled(waiting);
          if (!isAbsent) logger.info({ queue }, 'waiting for workers');
          isAbsent = true;
        }
        isAbsent = false;
      },
      async close() {
        registry.stop();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}
