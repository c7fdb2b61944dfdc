/**
 * Recordings in which people consent to the cloning of their voice, with what is known of them: two files each in a folder that
 * only the server's user can read. Nothing else on the server reads the recordings.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SvcError } from '../../errors.ts';
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

export interface NewConsent extends Pick<Consent, 'name' | 'language' | 'mediaType'> {
  /** The recording, as it was uploaded. */
  readonly bytes: Uint8Array;
}

export interface ConsentStore {
  add(consent: NewConsent): Promise<Consent>;
  /** The newest first. */
  list(): Promise<readonly Consent[]>;
  /** @throws SvcError CONSENT_NOT_FOUND */
  get(id: string): Promise<Consent>;
  /** @throws SvcError CONSENT_NOT_FOUND */
  rename(id: string, name: string): Promise<Consent>;
  /** Deletes the recording too. @throws SvcError CONSENT_NOT_FOUND */
  remove(id: string): Promise<void>;
}

/** Also keeps paths within the folder. */
const pattern = /^cons_[0-9a-f]{32}$/;

export function openConsentStore(folder: string): ConsentStore {
  const about = (id: string): string => join(folder, `${id}.json`);
  const recording = (id: string): string => join(folder, `${id}.recording`);

  const write = (path: string, content: string | Uint8Array): Promise<void> =>
    replaceWhole(path, (temporary) => writeFile(temporary, content, { mode: 0o600 }));

  async function read(id: string): Promise<Consent | undefined> {
    if (!pattern.test(id)) return undefined;
    const text = await readFile(about(id), 'utf8').catch(absent);
    return text === undefined ? undefined : stored.parse(JSON.parse(text));
  }

  async function get(id: string): Promise<Consent> {
    const consent = await read(id);
    if (consent === undefined) throw new SvcError('CONSENT_NOT_FOUND', `unknown voice consent ${show(id)}`);
    return consent;
  }

  return {
    async add({ bytes, ...given }) {
      await makeFolder(folder, 0o700);
      const id = `cons_${randomUUID().replaceAll('-', '')}`;
      const consent = { id, createdAt: Math.floor(Date.now() / 1000), ...given };
      // The recording first: what is listed is complete.
      await write(recording(id), bytes);
      await write(about(id), `${JSON.stringify(consent)}\n`);
      return consent;
    },
    async list() {
      const names = (await readdir(folder).catch(absent)) ?? [];
      const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
      const found = (await Promise.all(ids.map(read))).filter((consent) => consent !== undefined);
      return found.sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1));
    },
    get,
    async rename(id, name) {
      const consent = { ...(await get(id)), name };
      await write(about(id), `${JSON.stringify(consent)}\n`);
      return consent;
    },
    async remove(id) {
      await get(id);
      await rm(about(id), { force: true });
      await rm(recording(id), { force: true });
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
