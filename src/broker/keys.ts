/** Names of everything that one queue has in the broker. Braces keep them on one node of a Redis cluster. */

export interface BrokerKeys {
  /** Prefix of BullMQ's own keys. */
  readonly prefix: string;
  /** Tasks that no worker has taken yet: BullMQ's list, whose length is the depth of the queue. */
  readonly waiting: string;
  /** Requests of clients that are admitted: sorted set, scored with the end of their lease. */
  readonly requests: string;
  /** Second names of those requests. */
  readonly requestNames: string;
  /** The last number of a request. */
  readonly requestNumber: string;
  /** Workers: sorted set, scored with the time until which they count as alive. */
  readonly workers: string;
  /** What each of them tells about itself. */
  readonly workerDetails: string;
  /** What the last worker that came serves. */
  readonly model: string;
  /** Counters of the whole queue. */
  readonly totals: string;
  /** Channel on which cancelled requests are told. */
  readonly cancellations: string;
  /** Channel on which a front end hears of new audio. */
  readonly news: (frontId: string) => string;
  /** Stream of the audio of a task. It is there as long as somebody listens. */
  readonly audio: (taskId: string) => string;
  /** Numbers that a task brings: recordings, patches of voices. */
  readonly input: (taskId: string) => string;
  /** BullMQ's record of a job. */
  readonly job: (jobId: string) => string;
}

/** Name of the queue in BullMQ. */
export const taskQueue = 'tasks';

export function brokerKeys(queue: string): BrokerKeys {
  const prefix = `{svc:${queue}}`;
  return {
    prefix,
    waiting: `${prefix}:${taskQueue}:wait`,
    requests: `${prefix}:requests`,
    requestNames: `${prefix}:request-names`,
    requestNumber: `${prefix}:request-number`,
    workers: `${prefix}:workers`,
    workerDetails: `${prefix}:worker-details`,
    model: `${prefix}:model`,
    totals: `${prefix}:totals`,
    cancellations: `${prefix}:cancellations`,
    news: (frontId) => `${prefix}:news:${frontId}`,
    audio: (taskId) => `${prefix}:audio:${taskId}`,
    input: (taskId) => `${prefix}:input:${taskId}`,
    job: (jobId) => `${prefix}:${taskQueue}:${jobId}`,
  };
}
