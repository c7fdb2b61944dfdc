/** Opens, reads and changes copies of a voice store, each with one changed byte, and prints how often each outcome came. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { SvcError } from '../../src/errors.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { sampleVoice } from './sample-voice.ts';

const [original = '', count = '0'] = process.argv.slice(2);
const bytes = await readFile(original);
const path = `${original}.copy`;

async function use(): Promise<void> {
  await using store = await openSqliteVoiceStore(path);
  for (const { id, revision } of await store.list()) {
    await store.get(id);
    await store.recording(id, revision);
  }
  await store.put(sampleVoice('zoe'), 'replace');
  await store.remove('anna');
}

const outcomes = { read: 0, refused: 0 };
for (let number = 0; number < Number(count); number += 1) {
  // A number without a common factor visits all bytes, the page of the schema and the records among them.
  const at = (number * 7919) % bytes.length;
  const copy = Buffer.from(bytes);
  copy.writeUInt8(number % 3 === 0 ? 0xff : copy.readUInt8(at) ^ (1 << (number % 8)), at);
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
  await writeFile(path, copy);
  try {
    await use();
    outcomes.read += 1;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'IO' || /\n/.test(error.message)) throw error;
    outcomes.refused += 1;
  }
}
process.stdout.write(JSON.stringify(outcomes));
