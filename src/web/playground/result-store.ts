/** Results of before, in the browser's database. */
import { createStore, del, delMany, get, set, update } from 'idb-keyval';
import type { SpeechRequest } from './api.ts';

/** A result as the list shows it; its audio is kept beside it. */
export interface PastResult {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly request: SpeechRequest;
  readonly sampleRate: number;
  /** Size of its audio, 16-bit samples. */
  readonly bytes: number;
}

const mostResults = 20;
/** Most audio of all results: 35 minutes at 48 kHz. */
const mostBytes = 200 * 1024 * 1024;

const store = createStore('svc-playground', 'results');
const listKey = 'list';

/** The newest first. */
export const listResults = async (): Promise<readonly PastResult[]> =>
  (await get<readonly PastResult[]>(listKey, store)) ?? [];

/** Keeps a result, and drops the oldest that no longer fit. One that is too large by itself is not kept. */
export async function putResult(result: PastResult, pcm: Uint8Array): Promise<void> {
  if (pcm.length > mostBytes) return;
  await set(result.id, pcm, store);
  let dropped: readonly string[] = [];
  await update<readonly PastResult[]>(
    listKey,
    (before = []) => {
      const all = [result, ...before];
      let bytes = 0;
      const kept = all.filter((one, index) => {
        bytes += one.bytes;
        return index < mostResults && bytes <= mostBytes;
      });
      dropped = all.filter((one) => !kept.includes(one)).map(({ id }) => id);
      return kept;
    },
    store,
  );
  await delMany([...dropped], store);
}

export const audioOf = (id: string): Promise<Uint8Array | undefined> => get<Uint8Array>(id, store);

export async function removeResult(id: string): Promise<void> {
  await update<readonly PastResult[]>(listKey, (before = []) => before.filter((one) => one.id !== id), store);
  await del(id, store);
}

export async function removeAll(): Promise<void> {
  const ids = (await listResults()).map(({ id }) => id);
  await set(listKey, [], store);
  await delMany(ids, store);
}
