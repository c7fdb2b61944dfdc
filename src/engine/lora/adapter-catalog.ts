/** The LoRA adapters that requests may name. Engines load them on first use; a catalog may be shared by several engines. */
import { z } from 'zod';
import { once } from '../../admission/concurrency.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { didYouMean, quote } from '../../messages.ts';
import { numberIn, parse, requestError, text } from '../../validation.ts';
import { requestFields } from '../request-fields.ts';
import type { LoraWeights } from './lora-weights.ts';
import type { LoraDescription, LoraOptions } from './read-adapter.ts';

export interface AdapterOptions {
  /** Folder with the files of the official trainer, or the file with the weights. */
  readonly path: string;
  /** Factor of the adapter for requests that state none (default: 1). */
  readonly weight?: number | undefined;
  /** Overrides the alpha of `lora_config.json`; required if that file is missing. */
  readonly alpha?: number | undefined;
}

export interface AdapterInfo {
  readonly name: string;
  /** Factor for requests that state none. */
  readonly weight: number;
  readonly rank: number;
  readonly alpha: number;
  /** The model that the adapter was trained for, if the trainer recorded it. */
  readonly baseModel: string | undefined;
  /** Number of adapted matrices. */
  readonly targets: number;
  /** Memory that a model needs for it, in bytes. */
  readonly bytes: number;
  /** Memory that it takes now, in bytes. */
  readonly memoryBytes: number;
  /** Running requests that use it. */
  readonly requests: number;
}

export interface Adapters {
  list(): readonly AdapterInfo[];
  /**
   * Checks the files of an adapter and offers it to requests.
   *
   * @throws SvcError INVALID_REQUEST, CONFLICT if the name is taken, MODEL_NOT_FOUND, MODEL_INVALID
   */
  add(name: string, options: AdapterOptions, reading?: Pick<LoraOptions, 'locate' | 'signal'>): Promise<AdapterInfo>;
  /** Refuses new requests for an adapter, and frees it when the running ones have ended. @throws SvcError INVALID_REQUEST */
  remove(name: string): void;
  /**
   * Holds the adapter that has this name now for a request that will use it, although it may be removed or replaced meanwhile.
   * Undefined where adapters can't change.
   *
   * @throws SvcError INVALID_REQUEST
   */
  pin(name: string): AdapterPin | undefined;
}

/** An adapter that a request holds until it is released. */
export interface AdapterPin {
  readonly adapter: CatalogAdapter;
  release(): void;
}

/** An adapter of a catalog, with counters that engines keep. */
export interface CatalogAdapter {
  readonly name: string;
  readonly weight: number;
  readonly description: LoraDescription;
  read(): Promise<LoraWeights>;
  /** Models that have it in memory. */
  copies: number;
  requests: number;
}

export interface AdapterCatalog extends Adapters {
  /** @throws SvcError INVALID_REQUEST if there is none of this name */
  find(name: string): CatalogAdapter;
  pin(name: string): AdapterPin;
  /** Calls when a removed adapter has no requests any more. @returns ends the subscription */
  onFree(listener: (adapter: CatalogAdapter) => void): () => void;
}

/** As for voices. */
const namePattern = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}._-]{0,63}$/u;
const nameRule = '1 to 64 letters, digits, dots, hyphens and underscores, not starting with a dot';

const optionsSchema = z.strictObject({
  name: text.regex(namePattern, { error: nameRule }),
  path: text.min(1, { error: 'the path of a LoRA adapter' }),
  weight: numberIn(requestFields.loraWeight).default(1),
  alpha: z.number().gt(0, { error: 'a positive number' }).max(1e6, { error: 'a number up to 1000000' }).optional(),
});

export const unknownAdapter = (name: string, names: readonly string[]): SvcError => {
  const available = names.length === 0 ? 'none is loaded' : `available: ${names.join(', ')}`;
  const problem = `unknown LoRA adapter ${quote(name.slice(0, 80))} (${available})${didYouMean(name, names)}`;
  return requestError(problem, 'lora');
};

export function createAdapterCatalog(): AdapterCatalog {
  const adapters = new Map<string, CatalogAdapter>();
  const listeners = new Set<(adapter: CatalogAdapter) => void>();

  function find(name: string): CatalogAdapter {
    const found = adapters.get(name.normalize('NFC'));
    if (found !== undefined) return found;
    throw unknownAdapter(name, [...adapters.keys()]);
  }

  function freeIfUnused(adapter: CatalogAdapter): void {
    if (adapters.get(adapter.name) === adapter || adapter.requests > 0) return;
    for (const listener of listeners) listener(adapter);
  }

  function requireFree(name: string): void {
    const problem = `LoRA adapter ${quote(name)} already exists; choose another name, or unload it first`;
    if (adapters.has(name)) throw new SvcError('CONFLICT', problem);
  }

  return {
    list: () => [...adapters.values()].map(describe),
    find,
    async add(given, options, { locate, signal } = {}) {
      const parsed = parse(optionsSchema, { ...options, name: given }, 'the LoRA adapter');
      const { path, weight, alpha } = parsed;
      const name = parsed.name.normalize('NFC');
      requireFree(name);
      const { readAdapter } = await import('./read-adapter.ts');
      const { description } = await readAdapter(path, { alpha, locate, signal });
      // Another call may have been faster.
      requireFree(name);
      const read = async () => {
        const found = await readAdapter(path, { alpha, locate }).catch((thrown) => {
          throw unreadable(name, thrown);
        });
        if (found.description.version !== description.version) throw changed(name);
        return found.weights;
      };
      const adapter = { name, weight, description, read, copies: 0, requests: 0 };
      adapters.set(name, adapter);
      return describe(adapter);
    },
    remove(name) {
      const adapter = find(name);
      adapters.delete(adapter.name);
      freeIfUnused(adapter);
    },
    pin(name) {
      const adapter = find(name);
      adapter.requests += 1;
      const release = once((): void => {
        adapter.requests -= 1;
        freeIfUnused(adapter);
      });
      return { adapter, release };
    },
    onFree(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Messages about files that were checked when they were added. They reach clients, so they name no paths. */
function unreadable(name: string, thrown: unknown): unknown {
  const { code } = toSvcError(thrown);
  if (code === 'MODEL_NOT_FOUND')
    return requestError(`the files of LoRA adapter ${quote(name)} are missing; unload it and load it again`, 'lora');
  return code === 'MODEL_INVALID' || code === 'FORBIDDEN' ? changed(name, thrown) : thrown;
}

function changed(name: string, cause?: unknown): SvcError {
  const problem = `the files of LoRA adapter ${quote(name)} have changed since it was loaded; unload it and load it again`;
  return new SvcError('INVALID_REQUEST', problem, { param: 'lora', cause });
}

function describe({ name, weight, description, copies, requests }: CatalogAdapter): AdapterInfo {
  const { rank, alpha, baseModel, bytes } = description;
  const targets = description.targets.length;
  return { name, weight, rank, alpha, baseModel, targets, bytes, memoryBytes: copies * bytes, requests };
}
