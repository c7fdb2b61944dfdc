/** A process that puts one voice after another and says so after each: `STORE PREFIX`. Ended from outside. */
import { writeSync } from 'node:fs';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { sampleVoice } from './sample-voice.ts';

const [path, prefix] = process.argv.slice(2) as [string, string];
const store = await openSqliteVoiceStore(path);
for (let number = 0; ; number += 1) {
  const { id } = await store.put(sampleVoice(`${prefix}-${number}`, number), 'create');
  // Written before this returns: what the process has said, it has said.
  writeSync(1, `${id}\n`);
}
