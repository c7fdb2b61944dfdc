/** Recordings that clients bring: as bytes of an upload, or as a path on this machine in a folder that was allowed. */
import { realpath, stat } from 'node:fs/promises';
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
): Promise<Audio> {
  if (file === undefined) throw invalid('an audio file', field, 'none');
  return checkLength(await atField(field, () => decodeAudio(file.buffer)), field, settings);
}

/**
 * @param path absolute, or relative to one of the folders
 * @throws SvcError FORBIDDEN for what is no file in the folders; UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function readPath(
  path: string,
  settings: Limits & Pick<ServerSettings, 'recordingFolders'>,
): Promise<Audio> {
  const allowed = await findRecording(path, settings.recordingFolders);
  return checkLength(await atField(pathField, () => readAudioFile(allowed), allowed), pathField, settings);
}

const pathField = 'prompt_wav_path';

/** What is wrong with a recording, with the field that it came in; of a path only the last name is told. */
async function atField(param: string, read: () => Promise<Audio>, path = ''): Promise<Audio> {
  try {
    const audio = await read();
    assertSound(audio, 'the recording');
    return audio;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const message = path === '' ? error.message : error.message.replaceAll(path, basename(path));
    throw new SvcError(error.code, `${message} (${param})`, { param, cause: error });
  }
}

/**
 * The real path of a file in one of the folders. There is a single answer for everything else, so that nobody learns
 * which files exist: what is missing, outside by its name or by a link, hidden, or no regular file.
 *
 * @throws SvcError FORBIDDEN
 */
export async function findRecording(path: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined) continue;
    const way = visibleWay(root, path) ?? visibleWay(resolve(folder), path);
    if (way === undefined) continue;
    // A link may lead out of the folder: what counts is where the file really is.
    const real = await realpath(join(root, way)).catch(() => undefined);
    if (real === undefined || !isInside(real, root)) continue;
    if ((await stat(real).catch(() => undefined))?.isFile()) return real;
  }
  const reason =
    folders.length === 0
      ? 'is not available: the server was started without --voice-dir'
      : "is not a file in the server's folder of recordings";
  throw new SvcError('FORBIDDEN', `${pathField} ${reason}`, { param: pathField });
}

/** The way from `root` to what `path` names in it; undefined when that is outside or hidden. Reads nothing from disk. */
function visibleWay(root: string, path: string): string | undefined {
  const named = resolve(root, path);
  if (path.includes('\0') || !isInside(named, root)) return undefined;
  const way = relative(root, named);
  return way.split(sep).some((part) => part.startsWith('.')) ? undefined : way;
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function checkLength(audio: Audio, param: string, { limits }: Limits): Audio {
  const { shortestRecordingSeconds: shortest, recordingSeconds: longest } = limits;
  const seconds = audio.samples.length / audio.sampleRate;
  if (seconds >= shortest && seconds <= longest) return audio;
  const received = seconds < shortest ? seconds.toFixed(2) : Math.ceil(seconds);
  throw new SvcError(
    seconds < shortest ? 'INVALID_REQUEST' : 'PAYLOAD_TOO_LARGE',
    `expected a recording of ${shortest} to ${longest} seconds for ${param}, received ${received} seconds`,
    { param },
  );
}
