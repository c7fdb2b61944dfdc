/** Kills five processes with `kill -9` while they add voices to one file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/voices/sqlite-database.ts';
import { openSqliteVoiceStore } from '../../../src/voices/sqlite-store.ts';
import { outcomeOf } from '../../support/children.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { isWhole, sampleVoice, storeIn } from '../../voices/sample-voice.ts';

const kills = 50;
const atOnce = 5;

const folder = sharedFolder();

/** Adds voices in a process until `milliseconds` after the first; resolves to the confirmed ones. */
async function registerUntilKilled(prefix: string, milliseconds: number): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', './tests/runner/register.js', 'tests/voices/register-voices.ts', storeIn(folder), prefix],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = outcomeOf(child);
  await Promise.race([once(child.stdout, 'data'), closed]);
  await wait(milliseconds);
  child.kill('SIGKILL');
  const { signal, stdout, stderr } = await closed;
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
  return stdout.toString().split('\n').slice(0, -1);
}

describe('a voice store with killed processes', () => {
  it('has every confirmed voice, complete, and at most one unconfirmed voice per process', async () => {
    const reported: string[] = [];
    for (let kill = 0; kill < kills; kill += atOnce) {
      const batch = Array.from({ length: atOnce }, (_, index) =>
        // Different moments: within a transaction, at its commit, between two transactions.
        registerUntilKilled(`p${kill + index}`, ((kill + index) * 7) % 23),
      );
      reported.push(...(await Promise.all(batch)).flat());
    }

    const store = await openSqliteVoiceStore(storeIn(folder));
    const stored = (await store.list()).map(({ id }) => id);
    expect(reported.length).toBeGreaterThan(kills);
    expect(reported.filter((id) => !stored.includes(id))).toEqual([]);

    // A commit that could not be confirmed anymore: the next of its process, and no others.
    const unreported = stored.filter((id) => !reported.includes(id));
    const next = Array.from({ length: kills }, (_, kill) => {
      const count = reported.filter((id) => id.startsWith(`p${kill}-`)).length;
      return `p${kill}-${count}`;
    });
    expect(unreported.filter((id) => !next.includes(id))).toEqual([]);

    for (const id of stored) {
      const voice = await store.get(id);
      expect(voice && isWhole(voice)).toBe(true);
      expect((await store.recording(id, voice?.revision ?? ''))?.samples).toHaveLength(400);
    }
    await store.put(sampleVoice('after'), 'create');
    await store.close();

    const database = await openDatabase(storeIn(folder));
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([
      expect.objectContaining({ integrity_check: 'ok' }),
    ]);
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    database.close();
  }, 300_000);
});
