/** The models that the workers of a queue have, or had. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { throwIfCanceled } from '../../cancellation.ts';
import { brokerKeys, protocolVersion } from '../shared/keys.ts';
import { createRegistry, type FoundModel, type ServedModel } from '../shared/registry.ts';
import type { QueueClient } from './broker-client.ts';

/** Name of a model in requests: the one that its workers give it, else its own. */
export const shownName = (name: string, { info }: ServedModel): string => name || info.name;

/**
 * In the order of their first workers.
 *
 * @param isWanted leaves out models by their names at the broker
 * @returns rejects with the Redis library's errors
 */
export async function findModels(
  { redis, keys, queueName }: QueueClient,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly FoundModel[]> {
  const listed = await createRegistry(redis, keys).models();
  // Workers of earlier releases with the same protocol don't list the unnamed model, which was the only one.
  const all = listed.some(({ name }) => name === '') ? listed : [{ name: '', age: 0 }, ...listed];
  const wanted = all
    .filter(({ name }) => isWanted(name))
    .map(async ({ name, age }) => {
      const served = await createRegistry(redis, brokerKeys(queueName, name)).lastModel();
      return served === undefined ? [] : [{ name, age, served }];
    });
  return (await Promise.all(wanted)).flat();
}

export interface ModelSearch {
  /** Its name in requests; default: the first. */
  readonly model?: string | undefined;
  readonly logger: Pick<Logger, 'info'>;
  readonly signal: AbortSignal;
}

/** Waits for a model's first worker, since only a worker knows the model. @throws SvcError BACKEND_UNAVAILABLE, CANCELLED */
export async function awaitModel(front: QueueClient, { model, logger, signal }: ModelSearch): Promise<FoundModel> {
  const { queueName: queue } = front;
  for (let attempt = 0; ; attempt += 1) {
    throwIfCanceled(signal);
    const all = await findModels(front);
    const found = all.find(({ name, served }) => model === undefined || shownName(name, served) === model);
    if (found !== undefined) return found;
    if (attempt === 0) {
      const others = await createRegistry(front.redis, front.keys).otherProtocols();
      if (others.length === 0) logger.info({ queue, model }, 'waiting for the first worker');
      else {
        const versions = { queue, protocol: protocolVersion, workers: others };
        logger.info(versions, 'waiting for a worker of this protocol version; the running ones speak another');
      }
    }
    await wait(500, undefined, { signal }).catch(() => undefined);
  }
}
