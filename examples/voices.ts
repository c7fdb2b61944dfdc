/**
 * Named voices, stored like those of `svc voices`.
 *
 *     node --import tsx examples/voices.ts voices.sqlite anna anna.wav "What Anna says in anna.wav." "Good morning." out.wav
 */
import { writeFile } from 'node:fs/promises';
import { addVoice, createEngine, encodeWav, loadVoice, openSqliteVoiceStore, readAudioFile } from 'voxcpm';

const [path = 'voices.sqlite', id = 'anna', recording = '', transcript = '', text = '', output = 'out.wav'] =
  process.argv.slice(2);

const audio = await readAudioFile(recording);
await using engine = await createEngine();
await using store = await openSqliteVoiceStore(path);
await addVoice(engine, store, { id, audio, text: transcript }, { mode: 'replace' });

const voice = await loadVoice(engine, store, id);
const { samples, sampleRate } = await engine.synthesize({ ...voice, text });
await writeFile(output, encodeWav(samples, sampleRate));
console.log((await store.list()).map((record) => record.id).join(' '));
