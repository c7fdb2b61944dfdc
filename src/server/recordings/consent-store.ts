/**
 * Recordings in which people consent to the cloning of their voice, with what is known of them: two files each in a folder that
 * only the server's user can read. Nothing else on the server reads the recordings.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ignore, SvcError } from '../../errors.ts';
import { makeFolder, replaceWhole } from '../../files/file-system.ts';
import { show } from '../../messages.ts';

const stored = z.object({
  id: z.string(),
  name: z.string(),
  /** As BCP 47 has it. */
  language: z.string(),
  /** Seconds since 1970. */
  createdAt: z.int(),
  mediaType: z.string(),
});

export type Consent = Readonly<z.output<typeof stored>>;

interface NewConsent extends Pick<Consent, 'name' | 'language' | 'mediaType'> {
  readonly bytes: Uint8Array;
}

const mostReads = 16;

/** Also keeps paths within the folder. */
const pattern = /^cons_[0-9a-f]{32}$/;
/** Its files, also those that were not complete when the process was killed. */
const filePattern = /^(?<id>cons_[0-9a-f]{32})\.(?<kind>json|recording)(?<unfinished>\.[0-9a-f]{12}\.tmp)?$/;

/** Removes what a killed process has left; call it while no consent is added. @returns number of files */
export async function sweepConsents(folder: string): Promise<number> {
  const files = ((await readdir(folder).catch(absent)) ?? []).flatMap((name) => {
    const { id, kind, unfinished } = filePattern.exec(name)?.groups ?? {};
    return id === undefined ? [] : [{ name, id, kind, isWhole: unfinished === undefined }];
  });
  const kindsOf = (wanted: string) =>
    new Set(files.filter(({ kind, isWhole }) => isWhole && kind === wanted).map(({ id }) => id));
  const [described, recorded] = [kindsOf('json'), kindsOf('recording')];
  const left = files.filter(({ id, isWhole }) => !(isWhole && described.has(id) && recorded.has(id)));
  for (const { name } of left) await rm(join(folder, name), { force: true });
  return left.length;
}

/** Runs `read` for all who ask during a run, once after it: they must see what was written before they asked. */
function shareNext<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const run = read();
      running = run.catch(ignore);
      return run;
    });
    return next;
  };
}

export function openConsentStore(folder: string) {
  const about = (id: string): string => join(folder, `${id}.json`);
  const recording = (id: string): string => join(folder, `${id}.recording`);

  const write = (path: string, content: string | Uint8Array): Promise<void> =>
    replaceWhole(path, (temporary) => writeFile(temporary, content, { mode: 0o600 }));

  async function read(id: string): Promise<Consent | undefined> {
    if (!pattern.test(id)) return undefined;
    const text = await readFile(about(id), 'utf8').catch(absent);
    return text === undefined ? undefined : stored.parse(JSON.parse(text));
  }

  /** @throws SvcError CONSENT_NOT_FOUND */
  async function get(id: string): Promise<Consent> {
    const consent = await read(id);
    if (consent === undefined) throw new SvcError('CONSENT_NOT_FOUND', `unknown voice consent ${show(id)}`);
    return consent;
  }

  const created = new Map<string, number>();

  async function learn(id: string): Promise<void> {
    const consent = await read(id);
    if (consent !== undefined) created.set(id, consent.createdAt);
  }

  let last: { readonly ids: readonly string[]; readonly sorted: readonly string[] } = { ids: [], sorted: [] };

  /** IDs of all, the newest first, read once for all who ask while they are read. */
  const order = shareNext(readOrder);

  async function readOrder(): Promise<readonly string[]> {
    const names = (await readdir(folder).catch(absent)) ?? [];
    const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
    if (ids.length === last.ids.length && ids.every((id, index) => id === last.ids[index])) return last.sorted;
    const news = ids.filter((id) => pattern.test(id) && !created.has(id));
    for (let from = 0; from < news.length; from += mostReads) {
      await Promise.all(news.slice(from, from + mostReads).map(learn));
    }
    const known = ids.filter((id) => created.has(id));
    if (created.size > 2 * known.length) {
      const present = new Set(known);
      for (const id of created.keys()) if (!present.has(id)) created.delete(id);
    }
    const timeOf = (id: string): number => created.get(id) ?? 0;
    last = { ids, sorted: known.sort((one, other) => timeOf(other) - timeOf(one) || (one < other ? -1 : 1)) };
    return last.sorted;
  }

  return {
    async add({ bytes, ...given }: NewConsent): Promise<Consent> {
      await makeFolder(folder, 0o700);
      const id = `cons_${randomUUID().replaceAll('-', '')}`;
      const consent = { id, createdAt: Math.floor(Date.now() / 1000), ...given };
      // The recording first: what is listed is complete.
      await write(recording(id), bytes);
      await write(about(id), `${JSON.stringify(consent)}\n`);
      return consent;
    },
    /** A page of consents, the newest first; undefined for an unknown `after`. Reads the page, and what is new. */
    async list({ after, limit }: { readonly after?: string | undefined; readonly limit: number }) {
      const ids = await order();
      const start = after === undefined ? 0 : ids.indexOf(after) + 1;
      if (after !== undefined && start === 0) return undefined;
      const page = await Promise.all(ids.slice(start, start + limit).map(read));
      return { consents: page.filter((consent) => consent !== undefined), hasMore: start + limit < ids.length };
    },
    get,
    /** @throws SvcError CONSENT_NOT_FOUND */
    async rename(id: string, name: string): Promise<Consent> {
      const consent = { ...(await get(id)), name };
      await write(about(id), `${JSON.stringify(consent)}\n`);
      return consent;
    },
    /** Deletes the recording too. @throws SvcError CONSENT_NOT_FOUND */
    async remove(id: string): Promise<void> {
      await get(id);
      // The recording first: a process that is killed leaves no voice that nobody knows of.
      await rm(recording(id), { force: true });
      await rm(about(id), { force: true });
      created.delete(id);
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
