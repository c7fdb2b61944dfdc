/** Compiles voices at the start from recordings with transcripts in the server's recording folders. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { messageOf, SvcError } from '../../errors.ts';
import { decodeLeniently } from '../../files/unicode-text.ts';
import { requestError } from '../../validation.ts';
import { listRecordings } from '../../voices/recorded-voices.ts';
import type { VoiceCatalog } from '../../voices/voice-catalog.ts';
import type { ServerSettings } from '../context/settings.ts';
import { findRecording, readPath } from './recordings.ts';

const mostTranscriptBytes = 65_536;

interface VoiceFolderMeans {
  readonly voices: Pick<VoiceCatalog, 'list' | 'add'>;
  readonly settings: ServerSettings;
  readonly logger: Logger;
}

/** Compiles pairs that are new or changed. Logs and skips those that fail. @returns names of the compiled voices */
export async function compileFolder(
  folder: string,
  { voices, settings, logger }: VoiceFolderMeans,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const own = { ...settings, recordingFolders: [folder] };
  const known = new Map((await voices.list()).map((voice) => [voice.id, voice]));
  const compiled: string[] = [];
  for (const { id, audio, transcript, changedAt } of await listRecordings(folder)) {
    const name = basename(audio);
    if (name.startsWith('.')) continue;
    try {
      const voice = known.get(id);
      if (voice?.origin === 'stored' && voice.updatedAt >= changedAt) continue;
      const textPath = await findRecording(basename(transcript), own.recordingFolders);
      if ((await stat(textPath)).size > mostTranscriptBytes) {
        throw new SvcError('PAYLOAD_TOO_LARGE', `${basename(transcript)} is longer than ${mostTranscriptBytes} bytes`);
      }
      const text = decodeLeniently(await readFile(textPath));
      if (text.trim() === '')
        throw requestError(`${basename(transcript)} is empty; it must contain the transcript of the recording`);
      const recording = { id, audio: await readPath(name, own, { signal }), text };
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
