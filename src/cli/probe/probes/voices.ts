import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { VoiceStore } from '../../../voices/voice-store.ts';
import { databaseUrl } from '../../options/voice-choice.ts';
import { type Check, checkOfError } from '../check.ts';
import { isWritable, nearestFolder } from '../writable-folder.ts';

/** @param path of the voice store, if no database is set */
export async function probeVoices(path: string): Promise<readonly Check[]> {
  const url = databaseUrl({ environment: process.env });
  try {
    return [url ? await checkDatabase(url) : await checkFile(path)];
  } catch (error) {
    const otherwise = `check the file ${path}, or set SVC_SQLITE_PATH to another one`;
    return [checkOfError('voices', 'failed', error, url ? 'check SVC_DATABASE_URL and its server' : otherwise)];
  }
}

async function checkDatabase(url: string): Promise<Check> {
  const { openPostgresVoiceStore } = await import('../../../voices/postgres-store.ts');
  const store = await openPostgresVoiceStore(url);
  const { location } = store;
  const count = await countAndClose(store);
  return { name: 'voices', status: 'ok', summary: `${count} in ${location}`, details: { location, count } };
}

/** Opens a temporary store if there is none yet: a check creates nothing. */
async function checkFile(path: string): Promise<Check> {
  const { openSqliteVoiceStore } = await import('../../../voices/sqlite-store.ts');
  const exists = existsSync(path);
  const scratch = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  try {
    const count = await countAndClose(await openSqliteVoiceStore(exists ? path : join(scratch, 'voices.sqlite')));
    const details = { path, exists, count };
    if (!exists && !isWritable(nearestFolder(dirname(path)))) {
      const remedy = 'to add voices, set SVC_VOICE_DIR to a writable folder, or SVC_SQLITE_PATH to a file';
      return { name: 'voices', status: 'missing', summary: `none, and ${path} can't be created`, remedy, details };
    }
    const summary = exists ? `${count} in ${path}` : `none yet; will be in ${path}`;
    return { name: 'voices', status: 'ok', summary, details };
  } finally {
    // Windows deletes no open file, and libsql closes one only when it is garbage-collected.
    await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function countAndClose(store: VoiceStore): Promise<number> {
  try {
    return (await store.list()).length;
  } finally {
    await store.close();
  }
}
