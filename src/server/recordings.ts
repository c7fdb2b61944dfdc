/** Recordings sent by clients: an uploaded file, or a path on this machine inside an allowed folder. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { assertSound } from '../audio/prompt-check.ts';
import { decodeAudio, readAudioFile } from '../audio/read-audio.ts';
import type { Audio } from '../audio/wav.ts';
import { SvcError } from '../errors.ts';
import { requestError } from '../validation.ts';
import type { ServerSettings } from './settings.ts';

type Limits = Pick<ServerSettings, 'limits'>;

/** @throws SvcError UNSUPPORTED_AUDIO, judged by the bytes and not by the declared type; PAYLOAD_TOO_LARGE */
export async function readUpload(
  file: { readonly buffer: Buffer } | undefined,
  field: string,
  settings: Limits,
  signal: AbortSignal,
): Promise<Audio> {
  if (file === undefined) throw requestError(`${field} must be an audio file`, field);
  const { recordingSeconds: maxSeconds } = settings.limits;
  const read = () => decodeAudio(file.buffer, { maxSeconds, signal });
  return checkLength(await atField(field, read), field, settings);
}

/**
 * @param path absolute, or relative to one of the folders
 * @throws SvcError FORBIDDEN for what is no file in the folders; UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function readPath(
  path: string,
  settings: Limits & Pick<ServerSettings, 'recordingFolders'>,
  signal: AbortSignal,
): Promise<Audio> {
  const real = await findRecording(path, settings.recordingFolders);
  const { recordingSeconds: maxSeconds } = settings.limits;
  const read = () => readAudioFile(real, { maxSeconds, signal });
  return checkLength(await atField(pathField, read, { real, sent: path }), pathField, settings);
}

const pathField = 'prompt_wav_path';

/** What is wrong with a recording, with the field that it came in. The client knows the path that it sent, not the real one. */
async function atField(
  param: string,
  read: () => Promise<Audio>,
  path?: { readonly real: string; readonly sent: string },
): Promise<Audio> {
  try {
    const audio = await read();
    assertSound(audio, 'the recording');
    return audio;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'CANCELLED') throw error;
    const message = path ? error.message.replaceAll(path.real, () => JSON.stringify(path.sent)) : error.message;
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
    if (real === undefined || visibleWay(root, real) === undefined) continue;
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
