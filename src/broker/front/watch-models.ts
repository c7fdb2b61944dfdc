/** The models of a queue as their workers come and go, with what a front end needs to use each of them. */
import type { AdmissionQueue } from '../../admission/queue.ts';
import type { FoundModel } from '../shared/registry.ts';
import { type RegistryWatch, watchRegistry } from '../shared/watch-registry.ts';
import type { BrokerAdmission } from './broker-admission.ts';
import type { BrokerClient, QueueClient } from './broker-client.ts';
import { findModels, shownName } from './find-models.ts';
import { createRemoteSource, type RemoteSource } from './remote-source.ts';

export interface WatchedModel {
  /** Its name in requests. */
  readonly name: string;
  readonly client: BrokerClient;
  readonly registry: RegistryWatch;
  readonly queue: AdmissionQueue;
  /** Another one after all workers have left and others came with another model. */
  readonly source: RemoteSource;
  /** Requests that use it. */
  requests: number;
}

const refreshMilliseconds = 500;

/** @param onNew called for each model */
export function watchModels(
  front: QueueClient,
  admission: BrokerAdmission,
  onNew: (model: WatchedModel, all: readonly WatchedModel[]) => void,
) {
  const models = new Map<string, WatchedModel>();
  let refreshing: Promise<void> | undefined;

  async function look(): Promise<void> {
    for (const found of await findModels(front, (name) => !models.has(name))) {
      const model = await openModel(front, admission, found);
      models.set(found.name, model);
      onNew(model, [...models.values()]);
    }
  }

  /** Looks for new models now. Rejects with the Redis library's errors. */
  function refresh(): Promise<void> {
    refreshing ??= look().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  // Changes nothing while the broker is unreachable.
  const timer = setInterval(() => void refresh().catch(() => undefined), refreshMilliseconds);
  return {
    /** In the order of their first workers; never shorter. */
    get models(): readonly WatchedModel[] {
      return [...models.values()];
    },
    refresh,
    stop(): void {
      clearInterval(timer);
      for (const { registry } of models.values()) registry.stop();
    },
  };
}

async function openModel(
  front: QueueClient,
  admission: BrokerAdmission,
  { name, served, age }: FoundModel,
): Promise<WatchedModel> {
  const client = front.forModel(name);
  const registry = watchRegistry(client, served, age);
  await registry.refresh();
  const createSource = () => ({
    served: registry.served,
    source: createRemoteSource(client, registry.served, registry.assertServed),
  });
  let current = createSource();
  return {
    get name() {
      return shownName(name, registry.served);
    },
    client,
    registry,
    queue: admission.open({ client, registry }),
    get source() {
      if (current.served.identity !== registry.served.identity) current = createSource();
      return current.source;
    },
    requests: 0,
  };
}
