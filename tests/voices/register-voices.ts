/** A process that adds voices and confirms each: `STORE PREFIX`. Runs until killed. */
import { writeSync } from 'node:fs';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { sampleVoice } from './sample-voice.ts';

const [path, prefix] = process.argv.slice(2) as [string, string];
const store = await openSqliteVoiceStore(path);
for (let number = 0; ; number += 1) {
  const { id } = await store.put(sampleVoice(`${prefix}-${number}`, number), 'create');
  // Written synchronously, so that confirmations are never lost.
  writeSync(1, `${id}\n`);
}
