/** A hash of everything that the audio of a record depends on: same hash, same audio. */

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import type { RecognizerOptions } from '../options/recognizer.ts';
import { type CommandVoices, voiceRevision } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import type { BatchSpeech } from './speech.ts';

/** Increase when the same record gives different audio: everything is then generated again. */
const version = 3;
/** Recordings and voices that are read once, although many lines use them. */
const remembered = 1000;

export type HashRecord = (parsed: ParsedRecord) => Promise<string>;

/**
 * Hashes the record without its id, the current state of its voices, the bytes of its recordings and lexicons, the model,
 * the LoRA adapter, and the recognizer. Device and threads are left out: they change the last bits at most.
 *
 * @returns SHA-256, hexadecimal; rejects with INVALID_REQUEST for a recording that can't be read, VOICE_NOT_FOUND
 */
export function createRecordHash(
  { modelHash, loraRevision }: Pick<BatchSpeech, 'modelHash' | 'loraRevision'>,
  options: RecognizerOptions,
  voices: CommandVoices,
): HashRecord {
  const recording = rememberRecent(remembered, (path) => hashContent(path, 'audio file'));
  const lexicon = rememberRecent(remembered, (path) => hashContent(path, 'lexicon'));
  const revision = rememberRecent(remembered, (name) => voiceRevision(name, voices));
  return async ({ record: { id, ...record }, voiceNames }) => {
    const { voice, promptAudio, referenceAudio } = record;
    const parts = [
      version,
      modelHash,
      Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)),
      voice === undefined ? null : await revision(voice),
      promptAudio === undefined ? null : await recording(promptAudio),
      referenceAudio === undefined ? null : await recording(referenceAudio),
      await Promise.all(Object.values(voiceNames).map(revision)),
      await Promise.all((record.lexicon ?? []).map(lexicon)),
      ...(options.checkWith === undefined ? [] : [options.checkWith]),
      ...(record.lora ? [await loraRevision(record.lora)] : []),
    ];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  };
}

async function hashContent(path: string, kind: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    // A recording is read twice, which a pipe doesn't allow; and opening a pipe may block for ever.
    if ((await stat(path)).isFIFO()) throw new Error('it is a named pipe');
    await hashFile(path, hash);
  } catch (cause) {
    throw new SvcError('INVALID_REQUEST', `cannot read the ${kind} ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
  return hash.digest('hex');
}

/** Hashes a model file, or all files of a model folder: about one second per gigabyte. */
export async function hashModel(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesOf(path)) {
    hash.update(`${relative(path, file)}\0${(await stat(file)).size}\0`);
    await hashFile(file, hash, signal);
  }
  return hash.digest('hex');
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function hashFile(path: string, hash: Hash, signal?: AbortSignal): Promise<void> {
  const each = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) hash.update(chunk);
  };
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), each, { signal });
}
