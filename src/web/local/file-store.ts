/** Files cached in the browser between visits, by their hash. An entry is complete or absent. */
import { ignore } from '../../errors.ts';

export type FileStore = NonNullable<ReturnType<typeof openFileStore>>;

const cacheName = 'svc-models';

/** Undefined on pages without Cache Storage: those loaded over plain HTTP from another machine. */
export function openFileStore() {
  if (globalThis.caches === undefined) return undefined;
  const keyOf = (sha256: string): string => new URL(`/svc-models/${sha256}`, location.href).href;
  return {
    async get(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
      const cache = await caches.open(cacheName);
      const found = await cache.match(keyOf(sha256));
      return found && new Uint8Array(await found.arrayBuffer());
    },
    /** Stores a file, or does nothing if the browser has no room. */
    async put(sha256: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
      const headers = { 'Content-Length': String(bytes.length), 'Content-Type': 'application/octet-stream' };
      const keep = (cache: Cache): Promise<void> => cache.put(keyOf(sha256), new Response(bytes, { headers }));
      // No room, or the user forbids it: the file is downloaded again next time.
      await caches.open(cacheName).then(keep).catch(ignore);
    },
    /** Total bytes. */
    async size(): Promise<number> {
      if (!(await caches.has(cacheName))) return 0;
      const cache = await caches.open(cacheName);
      const found = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
      return found.reduce((sum, response) => sum + Number(response?.headers.get('Content-Length') ?? 0), 0);
    },
    async clear(): Promise<void> {
      await caches.delete(cacheName);
    },
  };
}
