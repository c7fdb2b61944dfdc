/** A hash of everything that the audio of a record depends on: same hash, same audio. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { digestOfFile } from '../../files/hash-files.ts';
import { quote } from '../../messages.ts';
import type { RecognizerOptions } from '../options/recognizer.ts';
import { type CommandVoices, voiceRevision } from '../options/voice-choice.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import type { BatchSpeech } from './speech.ts';

/** Increase when the same record gives different audio: everything is then generated again. */
const version = 3;

export type HashRecord = ReturnType<typeof createRecordHash>;

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
) {
  const recording = rememberRecent((path) => hashContent(path, 'audio file'));
  const lexicon = rememberRecent((path) => hashContent(path, 'lexicon'));
  const revision = rememberRecent((name) => voiceRevision(name, voices));
  return async ({ record: { id, ...record }, voiceNames }: ParsedRecord): Promise<string> => {
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
  try {
    // A recording is read twice, which a pipe doesn't allow; and opening a pipe may block forever.
    if ((await stat(path)).isFIFO()) throw new Error('it is a named pipe');
    return await digestOfFile(path);
  } catch (cause) {
    throw new SvcError('INVALID_REQUEST', `cannot read the ${kind} ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}
