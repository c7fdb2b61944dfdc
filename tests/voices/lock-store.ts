/** A process that holds the write lock of a voice store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const program = `
  const Libsql = require('libsql');
  const database = new Libsql(process.argv[1]);
  database.exec(process.argv[2]);
  process.stdout.write('locked');
  process.stdin.on('end', () => { database.exec('COMMIT'); database.close(); }).resume();
`;

export interface StoreLock {
  release(): Promise<void>;
}

/** @param how `reserved` lets others read, `exclusive` doesn't */
export async function lockStore(path: string, how: 'reserved' | 'exclusive' = 'reserved'): Promise<StoreLock> {
  const begin = how === 'reserved' ? 'BEGIN IMMEDIATE' : 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE';
  const child = spawn(process.execPath, ['--eval', program, path, begin], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const [reported] = (await Promise.race([once(child.stdout, 'data'), closed])) as [unknown];
  if (String(reported) !== 'locked') throw new Error('the store could not be locked');
  return {
    release: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
