/** Opens what `svc serve --broker` uses instead of an engine. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import type { Adapters } from '../../engine/lora/adapter-catalog.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { SvcError } from '../../errors.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { createConnectionLog } from '../shared/connection-log.ts';
import { protocolVersion } from '../shared/keys.ts';
import { createRegistry, type ServedModel } from '../shared/registry.ts';
import { watchRegistry } from '../shared/watch-registry.ts';
import { type BrokerAdmission, createBrokerAdmission } from './broker-admission.ts';
import { type BrokerClient, openBrokerClient } from './broker-client.ts';
import { watchBroker } from './broker-metrics.ts';
import { createRemoteSource } from './remote-source.ts';

export interface BrokerFrontOptions {
  readonly address: BrokerAddress;
  readonly queue: string;
  /** Requests that may wait, over all front ends. */
  readonly maxWaiting: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Ends the wait for the first worker. */
  readonly signal: AbortSignal;
}

export interface BrokerFront {
  readonly source: SpeechSource;
  readonly queue: BrokerAdmission;
  /** Adapters of the workers, which can't be changed from here. */
  readonly loras: Adapters;
  close(): Promise<void>;
}

/**
 * Waits for the queue's first worker, since only a worker knows the model.
 *
 * @throws SvcError BACKEND_UNAVAILABLE, CANCELLED
 */
export async function openBrokerFront(options: BrokerFrontOptions): Promise<BrokerFront> {
  const { address, metrics, logger } = options;
  const front = await openBrokerClient(address, options.queue, createConnectionLog(logger));
  try {
    const served = await findModel(front, options);
    const registry = watchRegistry(front, served);
    await registry.refresh();
    const queue = await createBrokerAdmission(front, registry, options);
    watchBroker(metrics, registry);
    return {
      source: createRemoteSource(front, served, registry.assertServed),
      queue,
      loras: adaptersOf(served),
      async close() {
        queue.close();
        registry.stop();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}

function adaptersOf({ adapters }: ServedModel): Adapters {
  const refuse = (): never => {
    throw new SvcError('CONFLICT', 'LoRA adapters belong to the workers; start them with svc worker --lora');
  };
  return {
    list: () => adapters.map((adapter) => ({ baseModel: undefined, ...adapter, memoryBytes: 0, requests: 0 })),
    add: async () => refuse(),
    remove: refuse,
    pin: () => undefined,
  };
}

interface ModelSearch {
  readonly queue: string;
  readonly logger: Pick<Logger, 'info'>;
  readonly signal: AbortSignal;
}

/**
 * The model of the queue's workers.
 *
 * @throws SvcError BACKEND_UNAVAILABLE, CANCELLED
 */
export async function findModel(front: BrokerClient, { queue, logger, signal }: ModelSearch): Promise<ServedModel> {
  const registry = createRegistry(front.redis, front.keys);
  for (let attempt = 0; ; attempt += 1) {
    throwIfCanceled(signal);
    const [worker] = (await registry.overview()).workers;
    const model = worker?.model ?? (await registry.lastModel());
    if (model !== undefined) return model;
    if (attempt === 0) {
      const others = await registry.otherProtocols();
      if (others.length === 0) logger.info({ queue }, 'waiting for the first worker');
      else {
        const versions = { queue, protocol: protocolVersion, workers: others };
        logger.info(versions, 'waiting for a worker of this protocol version; the running ones speak another');
      }
    }
    await wait(500, undefined, { signal }).catch(() => undefined);
  }
}
