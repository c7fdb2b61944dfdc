import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteVoiceStore } from '../../../voices/sqlite-store.ts';
import { type Check, checkOfError } from '../check.ts';

/** Opens the voice store, or where there is none yet another one, so that nothing is made by looking. */
export async function probeVoices(path: string): Promise<readonly Check[]> {
  const exists = existsSync(path);
  const scratch = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  try {
    const store = await openSqliteVoiceStore(exists ? path : join(scratch, 'voices.sqlite'));
    try {
      const { length } = await store.list();
      const summary = exists ? `${length} in ${path}` : `none yet; will be in ${path}`;
      return [{ name: 'voices', status: 'ok', summary, details: { path, exists, count: length } }];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [checkOfError('voices', 'failed', error, `check the file ${path}, or name another one by SVC_SQLITE_PATH`)];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
