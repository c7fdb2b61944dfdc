/** Recordings in the folder of the voices that have a transcript beside them become voices when the server starts. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { messageOf } from '../errors.ts';
import { listRecordings } from '../voices/recorded-voices.ts';
import type { VoiceCatalog } from '../voices/voice-catalog.ts';
import { readPath } from './recordings.ts';
import { invalid } from './schemas/parse.ts';
import type { ServerSettings } from './settings.ts';

/**
 * A pair is compiled when no voice has its name, or when it has changed since. What can't be is told and left out.
 *
 * @returns names of the voices that were compiled
 */
export async function compileFolder(
  folder: string,
  {
    voices,
    settings,
    logger,
  }: { readonly voices: VoiceCatalog; readonly settings: ServerSettings; readonly logger: Logger },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const known = new Map((await voices.list()).map((voice) => [voice.id, voice]));
  const compiled: string[] = [];
  for (const { id, audio, transcript, changedAt } of await listRecordings(folder)) {
    const name = basename(audio);
    try {
      const voice = known.get(id);
      if (voice?.origin === 'stored' && voice.updatedAt >= changedAt) continue;
      const text = await readFile(transcript, 'utf8');
      if (text.trim() === '') throw invalid('the transcript of the recording', basename(transcript), 'an empty file');
      const samples = await readPath(audio, { ...settings, recordingFolders: [folder] }, signal);
      const recording = { id, audio: samples, text };
      await voices.add(recording, { mode: 'replace', signal });
      compiled.push(id);
      logger.info({ voice: id, file: name }, 'voice compiled');
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn({ file: name, reason: messageOf(error) }, 'voice not compiled');
    }
  }
  return compiled;
}
