/** The adapters of a catalog that one model has in memory: loaded on first use, freed after the last request. */
import { once } from '../../admission/concurrency.ts';
import { ignore, SvcError, toSvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import type { Adapter, AdapterUse, Backend } from '../backend.ts';
import type { AdapterCatalog, Adapters, CatalogAdapter } from './adapter-catalog.ts';

export interface AdapterChoice {
  readonly lora?: string | undefined;
  readonly loraWeight?: number | undefined;
}

/** Adapters of one model, which refuse one that does not fit it. */
export interface EngineAdapters extends Adapters {
  /**
   * Loads an adapter and frees it again, unless a request uses it.
   *
   * @throws SvcError INVALID_REQUEST for an unknown adapter, UNSUPPORTED_PARAMETER if it can't work with the model
   */
  tryOut(name: string): Promise<void>;
}

export type LoadedAdapters = ReturnType<typeof createLoadedAdapters>;

interface Loaded {
  readonly opening: Promise<Adapter>;
  /** Once it is loaded. */
  opened: Adapter | undefined;
  users: number;
  isRemoved: boolean;
}

/** Memory that adapters may take before idle ones are freed, in bytes. */
const mostBytes = 1024 ** 3;

export function createLoadedAdapters(backend: Backend, catalog: AdapterCatalog | undefined, most = mostBytes) {
  /** Least recently used first. */
  const loaded = new Map<CatalogAdapter, Loaded>();
  const unsubscribe = catalog?.onFree((adapter) => {
    const entry = loaded.get(adapter);
    if (entry === undefined) return;
    entry.isRemoved = true;
    if (entry.users === 0) void unload(adapter, entry).catch(ignore);
  });

  function find({ lora }: AdapterChoice, pinned?: CatalogAdapter): CatalogAdapter | undefined {
    if (!lora) return undefined;
    const found = pinned ?? catalog?.find(lora);
    if (found !== undefined && backend.openAdapter !== undefined) return found;
    throw unsupported('LoRA adapters need a GGUF model; for ONNX, merge the adapter with svc export --lora');
  }

  function load(adapter: CatalogAdapter): Loaded {
    const entry: Loaded = { opening: openOn(backend, adapter), opened: undefined, users: 0, isRemoved: false };
    loaded.set(adapter, entry);
    entry.opening.then(
      (opened) => {
        entry.opened = opened;
      },
      // A later request tries again.
      () => loaded.get(adapter) === entry && loaded.delete(adapter),
    );
    return entry;
  }

  /** Frees idle adapters while all together take too much memory. */
  function trim(): void {
    let bytes = [...loaded.keys()].reduce((sum, { description }) => sum + description.bytes, 0);
    for (const [adapter, entry] of loaded) {
      if (bytes <= most) return;
      if (entry.users > 0) continue;
      bytes -= adapter.description.bytes;
      void unload(adapter, entry).catch(ignore);
    }
  }

  async function unload(adapter: CatalogAdapter, entry: Loaded): Promise<void> {
    if (loaded.get(adapter) !== entry) return;
    loaded.delete(adapter);
    const opened = await entry.opening.catch(() => undefined);
    if (opened === undefined) return;
    adapter.copies -= 1;
    await opened.close();
  }

  async function tryOut(name: string): Promise<void> {
    const adapter = find({ lora: name });
    if (adapter === undefined || loaded.has(adapter)) return;
    const entry = load(adapter);
    await entry.opening;
    if (entry.users === 0) await unload(adapter, entry);
  }

  return {
    /** @throws SvcError INVALID_REQUEST for an unknown adapter, UNSUPPORTED_PARAMETER if the runtime supports none */
    check: (choice: AdapterChoice, pinned?: CatalogAdapter): void => void find(choice, pinned),
    /**
     * An adapter that stays loaded until it is released; undefined for the model as it is.
     *
     * @param pinned the adapter that had the name when the request was accepted
     * @throws SvcError as `check`, and UNSUPPORTED_PARAMETER if the adapter does not fit the model
     */
    async lease(choice: AdapterChoice, pinned?: CatalogAdapter) {
      const adapter = find(choice, pinned);
      if (adapter === undefined) return { use: undefined, release: ignore };
      const known = loaded.get(adapter);
      if (known?.opened?.isLost) await unload(adapter, known);
      const entry = loaded.get(adapter) ?? load(adapter);
      loaded.delete(adapter);
      loaded.set(adapter, entry);
      const pin = pinned === undefined ? catalog?.pin(adapter.name) : undefined;
      const release = once((): void => {
        entry.users -= 1;
        pin?.release();
        if (entry.isRemoved && entry.users === 0) void unload(adapter, entry).catch(ignore);
        trim();
      });
      entry.users += 1;
      trim();
      try {
        const use: AdapterUse = { adapter: await entry.opening, weight: choice.loraWeight ?? adapter.weight };
        return { use, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    /** The catalog for users of this model alone; undefined without one. */
    own:
      catalog &&
      ({
        list: catalog.list,
        remove: catalog.remove,
        pin: catalog.pin,
        async add(name, options, reading) {
          const added = await catalog.add(name, options, reading);
          try {
            await tryOut(added.name);
          } catch (error) {
            catalog.remove(added.name);
            throw error;
          }
          return added;
        },
        tryOut,
      } satisfies EngineAdapters),
    async close(): Promise<void> {
      unsubscribe?.();
      await Promise.all([...loaded].map(([adapter, entry]) => unload(adapter, entry)));
    },
  };
}

/** @throws SvcError UNSUPPORTED_PARAMETER if it does not fit the model */
async function openOn(backend: Backend, adapter: CatalogAdapter): Promise<Adapter> {
  const weights = await adapter.read();
  try {
    const opened = await backend.openAdapter?.(weights);
    if (opened === undefined) throw unsupported('LoRA adapters need a GGUF model');
    adapter.copies += 1;
    return opened;
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    if (code !== 'MODEL_INVALID') throw thrown;
    throw unsupported(`LoRA adapter ${quote(adapter.name)} does not fit model ${quote(backend.info.name)}: ${message}`);
  }
}

/** No request waits for an adapter that is freed between requests. */
const unsupported = (message: string): SvcError => new SvcError('UNSUPPORTED_PARAMETER', message, { param: 'lora' });
