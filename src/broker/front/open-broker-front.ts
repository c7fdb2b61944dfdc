/** Opens what `svc serve --broker` uses instead of an engine. */
import type { Logger } from 'pino';
import type { SpeechSource } from '../../engine/speech-source.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { createConnectionLog } from '../shared/connection.ts';
import { createBrokerAdmission } from './broker-admission.ts';
import { openBrokerClient } from './broker-client.ts';
import { watchBroker } from './broker-metrics.ts';
import { adaptersOf, createBrokerModels, type OfferedModels, warnOfAliases, warnOfNames } from './broker-models.ts';
import { awaitModel } from './find-models.ts';
import { watchModels } from './watch-models.ts';

interface BrokerFrontOptions extends Partial<OfferedModels> {
  readonly address: BrokerAddress;
  readonly queue: string;
  /** Requests that may wait for each model, over all front ends. */
  readonly maxWaiting: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Ends the wait for the first worker. */
  readonly signal: AbortSignal;
}

export type BrokerFront = Awaited<ReturnType<typeof openBrokerFront>>;

/** Waits for the first worker of the default model. @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function openBrokerFront(options: BrokerFrontOptions) {
  const { address, defaultModel, keepAlive = Number.POSITIVE_INFINITY, metrics, logger, signal } = options;
  const front = await openBrokerClient(address, options.queue, createConnectionLog(logger));
  try {
    await awaitModel(front, { model: defaultModel, logger, signal });
    const queue = await createBrokerAdmission(front, options);
    const watch = watchModels(front, queue, (model, all) => warnOfNames(model, all, options));
    await watch.refresh();
    const watched = () => watch.models;
    warnOfAliases(watched(), options);
    watchBroker(metrics, watched);
    const models = createBrokerModels(watched, { ...options, keepAlive });
    return {
      models,
      /** The default model. */
      get source(): SpeechSource {
        return watched().find(({ name }) => name === models.defaultName)?.source as SpeechSource;
      },
      queue,
      /** Adapters of the workers, which can't be changed from here. */
      loras: adaptersOf(watched),
      async close(): Promise<void> {
        watch.stop();
        queue.close();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}
