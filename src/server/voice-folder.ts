/** Recordings in the folder of the voices that have a transcript beside them become voices when the server starts. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Logger } from 'pino';
import { messageOf } from '../errors.ts';
import { readPath } from './recordings.ts';
import { invalid } from './schemas/parse.ts';
import type { ServerSettings } from './settings.ts';
import type { VoiceCatalog } from './voice-catalog.ts';

const audioExtensions = new Set(['.wav', '.flac', '.mp3', '.ogg', '.opus', '.m4a', '.aac']);

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
  const recordings = names.filter((name) => audioExtensions.has(extname(name).toLowerCase()));
  const known = new Map((await voices.list()).map((voice) => [voice.id, voice]));
  const compiled: string[] = [];
  for (const name of recordings) {
    const id = basename(name, extname(name)).normalize('NFC');
    const transcript = `${basename(name, extname(name))}.txt`;
    if (!names.includes(transcript) || compiled.includes(id)) continue;
    const paths = [join(folder, name), join(folder, transcript)] as const;
    try {
      const changed = Math.max(...(await Promise.all(paths.map((path) => stat(path)))).map(({ mtimeMs }) => mtimeMs));
      const voice = known.get(id);
      if (voice?.origin === 'stored' && voice.updatedAt.getTime() >= changed) continue;
      const text = await readFile(paths[1], 'utf8');
      if (text.trim() === '') throw invalid('the transcript of the recording', transcript, 'an empty file');
      const recording = { id, audio: await readPath(paths[0], { ...settings, recordingFolders: [folder] }), text };
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
