/** Recordings that clients bring: as bytes of an upload, or as a path on this machine in a folder that was allowed. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { decodeAudio, readAudioFile } from '../audio/read-audio.ts';
import type { Audio } from '../audio/wav.ts';
import { SvcError } from '../errors.ts';
import { invalid } from './schemas/parse.ts';
import type { ServerSettings } from './settings.ts';

type Limits = Pick<ServerSettings, 'limits'>;

/** @throws SvcError UNSUPPORTED_AUDIO by what the bytes are, whatever the client says they are; PAYLOAD_TOO_LARGE */
export async function readUpload(
  file: { readonly buffer: Buffer } | undefined,
  field: string,
  settings: Limits,
  signal: AbortSignal,
): Promise<Audio> {
  if (file === undefined) throw invalid('an audio file', field, 'none');
  return decodeAudio(file.buffer, { maxSeconds: settings.limits.recordingSeconds, signal });
}

/**
 * @param path absolute, or relative to one of the folders
 * @throws SvcError FORBIDDEN for everything outside the folders, whether it is there or not; INVALID_REQUEST,
 *   UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function readPath(
  path: string,
  settings: Limits & Pick<ServerSettings, 'recordingFolders'>,
  signal: AbortSignal,
): Promise<Audio> {
  const allowed = await allowedPath(path, settings.recordingFolders);
  return readAudioFile(allowed, { maxSeconds: settings.limits.recordingSeconds, signal });
}

async function allowedPath(path: string, folders: readonly string[]): Promise<string> {
  if (path.includes('\0')) throw invalid('a path', 'prompt_wav_path', 'one with a zero character');
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) continue;
    const named = isAbsolute(path) ? path : join(root, path);
    // Links are followed before the comparison: what counts is where the file really lies.
    const real = await realpath(named).catch(() => undefined);
    if (real !== undefined && isInside(real, root)) return real;
    const isMissing =
      real === undefined && (isInside(resolve(named), root) || isInside(resolve(named), resolve(folder)));
    if (isMissing) throw invalid('an existing file', 'prompt_wav_path', JSON.stringify(path));
  }
  throw new SvcError(
    'FORBIDDEN',
    'expected a file in a folder of recordings for prompt_wav_path, received another path',
  );
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
