/** Recordings in the server's folder of recordings that have a transcript beside them become voices at the start. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Logger } from 'pino';
import { messageOf, SvcError } from '../errors.ts';
import { findRecording, readPath } from './recordings.ts';
import { invalid } from './schemas/parse.ts';
import type { ServerSettings } from './settings.ts';
import type { VoiceCatalog } from './voice-catalog.ts';

const audioExtensions = new Set(['.wav', '.flac', '.mp3', '.ogg', '.opus', '.m4a', '.aac']);

/** What is said in two minutes is far shorter. */
const mostTranscriptBytes = 65_536;

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
  const names = (await readdir(folder).catch(() => [])).sort();
  const recordings = names.filter((name) => !name.startsWith('.') && audioExtensions.has(extname(name).toLowerCase()));
  const own = { ...settings, recordingFolders: [folder] };
  const known = new Map((await voices.list()).map((voice) => [voice.id, voice]));
  const compiled: string[] = [];
  for (const name of recordings) {
    const id = basename(name, extname(name)).normalize('NFC');
    const transcript = `${basename(name, extname(name))}.txt`;
    if (!names.includes(transcript) || compiled.includes(id)) continue;
    try {
      const [audioPath, textPath] = await Promise.all([
        findRecording(name, own.recordingFolders),
        findRecording(transcript, own.recordingFolders),
      ]);
      const [audioFile, textFile] = await Promise.all([stat(audioPath), stat(textPath)]);
      const changed = Math.max(audioFile.mtimeMs, textFile.mtimeMs);
      const voice = known.get(id);
      if (voice?.origin === 'stored' && voice.updatedAt.getTime() >= changed) continue;
      if (textFile.size > mostTranscriptBytes) {
        throw new SvcError('PAYLOAD_TOO_LARGE', `${transcript} is longer than ${mostTranscriptBytes} bytes`);
      }
      const text = await readFile(textPath, 'utf8');
      if (text.trim() === '') throw invalid('the transcript of the recording', transcript, 'an empty file');
      const recording = { id, audio: await readPath(name, own, signal), text };
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
