/**
 * Names of the Redis keys and channels of one model of a queue. Braces keep those of all its models on one node of a Redis
 * cluster.
 */

/**
 * Incremented with each change of messages or keys that the other side must know of, such as a new field of a request.
 * Part of the names of all keys, so that old and new programs each have a queue of their own during an upgrade.
 */
export const protocolVersion = 7;

export type BrokerKeys = ReturnType<typeof brokerKeys>;

/**
 * Names of the queues in BullMQ. Tasks with a live text have their own: they mostly wait for text, and would keep others
 * from the slots of a worker.
 */
export const taskQueues = { whole: 'tasks', live: 'live' } as const;
export type TextKind = keyof typeof taskQueues;

/** @param modelName empty for the model whose workers have no `--model-name`, whose keys need no name */
export function brokerKeys(queue: string, modelName = '') {
  const shared = `{svc:${queue}:${protocolVersion}}`;
  const prefix = modelName === '' ? shared : `${shared}:model:${encodeURIComponent(modelName)}`;
  return {
    /** Name of the model; empty for the one that its workers do not name. */
    modelName,
    /** Prefix of BullMQ's own keys. */
    prefix,
    /** BullMQ's list of tasks not yet taken that have no priority: those of listeners without a key. */
    waiting: (text: TextKind) => `${prefix}:${taskQueues[text]}:wait`,
    /** BullMQ's sorted set of the other tasks not yet taken. */
    prioritized: (text: TextKind) => `${prefix}:${taskQueues[text]}:prioritized`,
    /** Where the keys and the queue are in the line: a hash. */
    line: (text: TextKind, priority: string) => `${prefix}:line:${text}:${priority}`,
    /** Admitted requests: sorted set, scored by the end of their lease. */
    requests: `${prefix}:requests`,
    /** Other names of the requests of all models. */
    requestNames: `${shared}:request-names`,
    /** Number of the last request of any model. */
    requestNumber: `${shared}:request-number`,
    /** Workers: sorted set, scored by the time until which they count as alive. */
    workers: `${prefix}:workers`,
    /** Report of each worker. */
    workerDetails: `${prefix}:worker-details`,
    /** Model of the worker that reported last. */
    model: `${prefix}:model`,
    /** Names of the queue's models: sorted set, scored by the time of their first worker. */
    models: `${shared}:models`,
    /** The same names, scored by the time of the last report of a worker. */
    modelsSeen: `${shared}:models-seen`,
    /** Protocol versions of the workers: sorted set, scored like `workers`. The only key that all versions share. */
    protocols: `{svc:${queue}}:protocols`,
    /** Counters of the model. */
    totals: `${prefix}:totals`,
    /** Channel for the numbers of canceled requests of any model. */
    cancellations: `${shared}:cancellations`,
    /** Channel that notifies a front end of new audio. */
    news: (frontId: string) => `${shared}:news:${frontId}`,
    /** Audio stream of a task. It exists while someone listens. */
    audio: (taskId: string) => `${shared}:audio:${taskId}`,
    /** Where that stream ends, in values; -1 once the answer is complete. Exists as long as the stream. */
    end: (taskId: string) => `${shared}:end:${taskId}`,
    /** Float values of a task's request: recordings, voice patches. */
    input: (taskId: string) => `${shared}:input:${taskId}`,
    /** Pieces of a live text: a hash by number. */
    text: (taskId: string) => `${shared}:text:${taskId}`,
    /** Channel that names a task when more of its live text is there. */
    written: `${prefix}:written`,
    /** BullMQ's record of a job. */
    job: (jobId: string, text: TextKind = 'whole') => `${prefix}:${taskQueues[text]}:${jobId}`,
  };
}
