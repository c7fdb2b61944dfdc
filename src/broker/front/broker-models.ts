/** The models behind a broker as a server offers them: by name and alias, while their workers are there. */
import type { Logger } from 'pino';
import { once } from '../../admission/concurrency.ts';
import type { Adapters } from '../../engine/lora/adapter-catalog.ts';
import { SvcError } from '../../errors.ts';
import { createModelNames, type ModelNames } from '../../model-pool/model-names.ts';
import type { ModelStatus, ServedModels } from '../../model-pool/served-models.ts';
import { noWorker } from '../shared/watch-registry.ts';
import type { WatchedModel } from './watch-models.ts';

export interface OfferedModels {
  /** The only name that requests may use, for the default model. */
  readonly modelName?: string | undefined;
  /** Model of requests that name none, by its name at the broker; default: the one whose first worker came first. */
  readonly defaultModel?: string | undefined;
  /** Names of models by alias; those of models that are not there yet count once they are. */
  readonly aliases?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds for which a model is offered after its last worker. */
  readonly keepAlive: number;
}

/** @param watched all models that the broker knows, at least one @param options checked by `checkAliases` */
export function createBrokerModels(
  watched: () => readonly WatchedModel[],
  { modelName, defaultModel, aliases = new Map(), keepAlive }: OfferedModels,
): ServedModels {
  const isDefault = ({ name }: WatchedModel): boolean => name === defaultModel;

  /** The default model first, and no name twice. */
  function offered(): readonly WatchedModel[] {
    const all = distinct(watched());
    const present = all.filter((model) => isDefault(model) || model.registry.absence <= keepAlive);
    const [latest] = all.toSorted((a, b) => a.registry.absence - b.registry.absence);
    const kept = present.length > 0 ? present : all.filter((model) => model === latest);
    const ordered = kept.toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
    return modelName === undefined ? ordered : ordered.slice(0, 1);
  }

  const nameOf = ({ name }: WatchedModel): string => modelName ?? name;

  function names(): ModelNames {
    const own = offered().map(nameOf);
    // While the broker remembers a second model, no request for it may be spoken by another.
    const match = modelName === undefined && watched().length === 1 ? 'any' : 'exact';
    const present = [...aliases].filter(([alias, target]) => own.includes(target) && !own.includes(alias));
    return createModelNames({ names: own, aliases: new Map(present), match });
  }

  const describe = (model: WatchedModel): ModelStatus => {
    const { info } = model.source;
    return {
      name: nameOf(model),
      aliases: names().aliasesOf(nameOf(model)),
      state: model.registry.workers.length > 0 ? 'loaded' : 'unloaded',
      info,
      limits: info.limits,
      requests: model.requests,
      capacity: model.registry.capacity,
      memoryBytes: undefined,
      voiceMemory: undefined,
      expiresAt: undefined,
    };
  };

  return {
    get defaultName() {
      return names().defaultName;
    },
    find: (name) => names().find(name),
    resolve: (name) => names().resolve(name),
    aliasesOf: (name) => names().aliasesOf(name),
    list: () => offered().map(describe),
    async lease(name) {
      const model = offered().find((offer) => nameOf(offer) === name);
      // It was there when the name was resolved.
      if (model === undefined) throw noWorker(name);
      model.requests += 1;
      const release = once(() => {
        model.requests -= 1;
      });
      return { name, engine: model.source, queue: model.queue, release };
    },
    async unload(name) {
      throw new SvcError('CONFLICT', `model "${name}" is always loaded; stop its workers to free its memory`);
    },
  };
}

/** A model that its workers name hides an unnamed one which calls itself the same. */
const distinct = (all: readonly WatchedModel[]): readonly WatchedModel[] =>
  all.filter(
    (model) => model.client.keys.modelName !== '' || !all.some((other) => other !== model && other.name === model.name),
  );

type Warned = Pick<OfferedModels, 'modelName' | 'aliases'> & { readonly logger: Pick<Logger, 'warn'> };

/** Names that would not mean what they seem to, when a model appears. @param model the new one @param all with it */
export function warnOfNames(model: WatchedModel, all: readonly WatchedModel[], { aliases, logger }: Warned): void {
  const { name } = model;
  if (aliases?.has(name)) logger.warn({ model: name }, 'a model has the name of an alias, which is ignored');
  if (all.some((other) => other !== model && other.name === name)) {
    logger.warn({ model: name }, 'two models have this name; start all workers of it with the same --model-name');
  }
}

/** Call once, at the start. */
export function warnOfAliases(all: readonly WatchedModel[], { modelName, aliases = new Map(), logger }: Warned): void {
  for (const [alias, model] of aliases) {
    if (model === modelName || all.some(({ name }) => name === model)) continue;
    logger.warn({ alias, model }, 'an alias is refused until a worker has its model');
  }
}

/** The adapters of all models, which can't be changed from here. */
export function adaptersOf(watched: () => readonly WatchedModel[]): Adapters {
  const refuse = (): never => {
    throw new SvcError('CONFLICT', 'LoRA adapters belong to the workers; start them with svc worker --lora');
  };
  return {
    list() {
      const all = watched().flatMap(({ registry }) => registry.served.adapters);
      const byName = new Map([...all].reverse().map((adapter) => [adapter.name, adapter]));
      return [...byName.values()]
        .reverse()
        .map((adapter) => ({ baseModel: undefined, ...adapter, memoryBytes: 0, requests: 0 }));
    },
    add: async () => refuse(),
    remove: refuse,
    pin: () => undefined,
  };
}
