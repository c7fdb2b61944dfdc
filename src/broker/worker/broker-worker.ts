/** Takes tasks from the broker, as many at once as share a pass over the weights. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createStepTurns } from '../../admission/step-turns.ts';
import type { AdapterInfo } from '../../engine/lora/adapter-catalog.ts';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { SvcError } from '../../errors.ts';
import { createObjectStore, type ObjectStore } from '../../speech-files/object-store.ts';
import type { BrokerAddress } from '../shared/address.ts';
import { connectBroker, createConnectionLog } from '../shared/connection.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { brokerKeys, protocolVersion } from '../shared/keys.ts';
import { createTextReceivers } from '../shared/live-text.ts';
import { createRegistry, type Registry, type ServedModel, type WorkerReport } from '../shared/registry.ts';
import { heartbeatMilliseconds, readTaskPriority } from '../shared/task.ts';
import { createAnswerWriter } from './answer-writer.ts';
import { createListeners } from './listeners.ts';
import { openTaskWorker, type TaskState } from './task-worker.ts';
import type { TaskContext } from './work-task.ts';

interface BrokerWorkerOptions {
  readonly address: BrokerAddress;
  readonly queue: string;
  /** Name of the model in requests, if its workers name it: one queue may have several models. */
  readonly modelName?: string | undefined;
  /** The caller closes it, after the worker. */
  readonly engine: SpeechSource;
  /** From `identifyModel`. */
  readonly identity: string;
  readonly adapters: readonly AdapterInfo[];
  /** Where tasks write files (default: Amazon S3). */
  readonly objects?: ObjectStore;
  /** Concurrent tasks. */
  readonly slots: number;
  readonly logger: Logger;
}

export type BrokerWorker = Awaited<ReturnType<typeof startBrokerWorker>>;

/** A model with its adapters, for messages. */
const nameOf = ({ info, adapters }: Pick<ServedModel, 'info' | 'adapters'>): string => {
  const names = adapters.map(({ name }) => name).join(', ');
  return `${info.name} (${info.weightType}${names === '' ? '' : `, LoRA ${names}`})`;
};

const lastMilliseconds = 3_000;
/** Tasks with a live text mostly wait for it. */
const liveTasksPerSlot = 8;

/** @throws SvcError CONFLICT when the workers of this model name serve another model */
async function assertSameModel(registry: Registry, options: BrokerWorkerOptions): Promise<void> {
  const { queue, modelName, engine, adapters, identity } = options;
  const other = (await registry.overview()).workers.find(({ model }) => model.identity !== identity);
  if (other === undefined) return;
  const [theirs, ours] = [nameOf(other.model), nameOf({ info: engine.info, adapters })];
  const [as, remedy] =
    modelName === undefined
      ? ['', 'choose another --queue, or name the model with --model-name']
      : [` as "${modelName}"`, 'choose another --model-name'];
  throw new SvcError('CONFLICT', `queue "${queue}" serves ${theirs}${as} on ${other.name}, not ${ours}; ${remedy}`);
}

/** @throws SvcError BACKEND_UNAVAILABLE; CONFLICT when the workers of this model name serve another model */
export async function startBrokerWorker(options: BrokerWorkerOptions) {
  const { address, engine, identity, adapters, slots, logger } = options;
  const { info } = engine;
  const keys = brokerKeys(options.queue, options.modelName);
  const log = createConnectionLog(logger);
  const onError = log.failed;
  const redis = await connectBroker(address, 'worker', log);
  const registry = createRegistry(redis, keys);
  try {
    await assertSameModel(registry, options);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  const count = { active: 0, done: 0, failed: 0, made: 0, passes: 0, passMembers: 0 };
  const context: TaskContext = {
    redis,
    keys,
    engine,
    identity,
    answers: createAnswerWriter(redis, keys),
    listeners: createListeners(redis, keys, () => count.active >= slots),
    texts: await createTextReceivers(redis, keys),
    objects: options.objects ?? createObjectStore({}),
    turns: createStepTurns(slots),
  };
  const queue = createFairQueue(redis, keys);
  const workerId = randomUUID();
  const leaving = new AbortController();
  // Every task listens to it.
  setMaxListeners(0, leaving.signal);

  const state: TaskState = { context, count, queue, registry, leaving, logger, onError };
  const whole = openTaskWorker(state, 'whole', { name: workerId, concurrency: slots });
  const live = openTaskWorker(state, 'live', { name: workerId, concurrency: liveTasksPerSlot * slots });

  const report = (): WorkerReport => ({
    version: protocolVersion,
    name: `${hostname()}:${pid}`,
    model: { identity, info, adapters: [...adapters], normalizes: engine.normalizes },
    slots,
    ...{ active: count.active, done: count.done, failed: count.failed },
    ...{ passes: count.passes, passMembers: count.passMembers },
    audioSeconds: count.made / info.outputSampleRate,
  });
  const beat = (): Promise<void> => registry.report(workerId, report()).catch(onError);
  await beat();
  const timer = setInterval(() => void beat(), heartbeatMilliseconds);
  // A broker that lost its data refuses requests until a worker reports.
  const reportAgain = (): void => void beat();
  redis.on('ready', reportAgain);
  for (const worker of [whole, live]) {
    await worker.waitUntilReady();
    worker.run().catch(onError);
  }
  whole.takeExtraTasks(mayDisplace).catch(onError);

  async function mayDisplace(): Promise<boolean> {
    if (redis.status !== 'ready' || !context.turns.mayYield()) return false;
    const next = readTaskPriority(await queue.nextTask().catch(() => undefined));
    return next !== undefined && context.turns.yieldsTo(next);
  }

  return {
    report,
    isReachable: (): boolean => redis.status === 'ready',
    /** Counts a pass over the weights and the utterances that shared it. */
    countPass(members: number): void {
      count.passes += 1;
      count.passMembers += members;
    },
    /** Takes no more tasks, finishes its own within `milliseconds` and returns the rest to the queue. */
    async stop(milliseconds: number): Promise<void> {
      clearInterval(timer);
      redis.off('ready', reportAgain);
      await registry.leave(workerId).catch(onError);
      const end = (): void => leaving.abort(new SvcError('CANCELLED', 'the worker is shutting down'));
      const deadline = setTimeout(end, milliseconds);
      // An unreachable broker must not keep the process alive; other workers take over its tasks.
      const closing = Promise.all([whole.finish(), live.finish()]);
      await Promise.race([closing, wait(milliseconds + lastMilliseconds, undefined, { ref: false })]);
      clearTimeout(deadline);
      context.listeners.close();
      context.texts.close();
      redis.disconnect();
    },
  };
}
