/** Recordings that clients bring: as bytes of an upload, or as a path on this machine in a folder that was allowed. */
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { assertSound } from '../audio/prompt-check.ts';
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
  const { recordingSeconds: maxSeconds } = settings.limits;
  const read = () => decodeAudio(file.buffer, { maxSeconds, signal });
  return checkLength(await atField(field, read), field, settings);
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
  const { recordingSeconds: maxSeconds } = settings.limits;
  const read = () => readAudioFile(allowed, { maxSeconds, signal });
  return checkLength(await atField(pathField, read, allowed), pathField, settings);
}

const pathField = 'prompt_wav_path';

/** What is wrong with a recording, with the field that it came in; of a path only the last name is told. */
async function atField(param: string, read: () => Promise<Audio>, path = ''): Promise<Audio> {
  try {
    const audio = await read();
    assertSound(audio, 'the recording');
    return audio;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'CANCELLED') throw error;
    const message = path === '' ? error.message : error.message.replaceAll(path, basename(path));
    throw new SvcError(error.code, `${message} (${param})`, { param, cause: error });
  }
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

/** Longer ones end while they are decoded. */
function checkLength(audio: Audio, param: string, { limits }: Limits): Audio {
  const { shortestRecordingSeconds: shortest, recordingSeconds: longest } = limits;
  const seconds = audio.samples.length / audio.sampleRate;
  if (seconds >= shortest) return audio;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected a recording of ${shortest} to ${longest} seconds for ${param}, received ${seconds.toFixed(2)} seconds`,
    { param },
  );
}
