/**
 * Names of the Redis keys and channels of one model of a queue. Braces keep those of all its models on one node of a Redis
 * cluster.
 */

/**
 * Incremented with each change of messages or keys that the other side must know of, such as a new field of a request.
 * Part of the names of all keys, so that old and new programs each have a queue of their own during an upgrade.
 */
export const protocolVersion = 7;

export interface BrokerKeys {
  /** Name of the model; empty for the one that its workers do not name. */
  readonly modelName: string;
  /** Prefix of BullMQ's own keys. */
  readonly prefix: string;
  /** BullMQ's list of tasks not yet taken that have no priority: those of listeners without a key. */
  readonly waiting: (text: keyof typeof taskQueues) => string;
  /** BullMQ's sorted set of the other tasks not yet taken. */
  readonly prioritized: (text: keyof typeof taskQueues) => string;
  /** Where the keys and the queue are in the line: a hash. */
  readonly line: (text: keyof typeof taskQueues, priority: string) => string;
  /** Admitted requests: sorted set, scored by the end of their lease. */
  readonly requests: string;
  /** Other names of the requests of all models. */
  readonly requestNames: string;
  /** Number of the last request of any model. */
  readonly requestNumber: string;
  /** Workers: sorted set, scored by the time until which they count as alive. */
  readonly workers: string;
  /** Report of each worker. */
  readonly workerDetails: string;
  /** Model of the worker that reported last. */
  readonly model: string;
  /** Names of the queue's models: sorted set, scored by the time of their first worker. */
  readonly models: string;
  /** The same names, scored by the time of the last report of a worker. */
  readonly modelsSeen: string;
  /** Protocol versions of the workers: sorted set, scored like `workers`. The only key that all versions share. */
  readonly protocols: string;
  /** Counters of the model. */
  readonly totals: string;
  /** Channel for the numbers of canceled requests of any model. */
  readonly cancellations: string;
  /** Channel that notifies a front end of new audio. */
  readonly news: (frontId: string) => string;
  /** Audio stream of a task. It exists while someone listens. */
  readonly audio: (taskId: string) => string;
  /** Where that stream ends, in values; -1 once the answer is complete. Exists as long as the stream. */
  readonly end: (taskId: string) => string;
  /** Float values of a task's request: recordings, voice patches. */
  readonly input: (taskId: string) => string;
  /** Pieces of a live text: a hash by number. */
  readonly text: (taskId: string) => string;
  /** Channel that names a task when more of its live text is there. */
  readonly written: string;
  /** BullMQ's record of a job. */
  readonly job: (jobId: string, text?: keyof typeof taskQueues) => string;
}

/**
 * Names of the queues in BullMQ. Tasks with a live text have their own: they mostly wait for text, and would keep others
 * from the slots of a worker.
 */
export const taskQueues = { whole: 'tasks', live: 'live' } as const;

/** @param modelName empty for the model whose workers have no `--model-name`, whose keys need no name */
export function brokerKeys(queue: string, modelName = ''): BrokerKeys {
  const shared = `{svc:${queue}:${protocolVersion}}`;
  const prefix = modelName === '' ? shared : `${shared}:model:${encodeURIComponent(modelName)}`;
  return {
    modelName,
    prefix,
    waiting: (text) => `${prefix}:${taskQueues[text]}:wait`,
    prioritized: (text) => `${prefix}:${taskQueues[text]}:prioritized`,
    line: (text, priority) => `${prefix}:line:${text}:${priority}`,
    requests: `${prefix}:requests`,
    requestNames: `${shared}:request-names`,
    requestNumber: `${shared}:request-number`,
    workers: `${prefix}:workers`,
    workerDetails: `${prefix}:worker-details`,
    model: `${prefix}:model`,
    models: `${shared}:models`,
    modelsSeen: `${shared}:models-seen`,
    protocols: `{svc:${queue}}:protocols`,
    totals: `${prefix}:totals`,
    cancellations: `${shared}:cancellations`,
    news: (frontId) => `${shared}:news:${frontId}`,
    audio: (taskId) => `${shared}:audio:${taskId}`,
    end: (taskId) => `${shared}:end:${taskId}`,
    input: (taskId) => `${shared}:input:${taskId}`,
    text: (taskId) => `${shared}:text:${taskId}`,
    written: `${prefix}:written`,
    job: (jobId, text = 'whole') => `${prefix}:${taskQueues[text]}:${jobId}`,
  };
}
