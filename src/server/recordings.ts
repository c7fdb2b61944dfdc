/** Recordings that clients bring: as bytes of an upload, or as a path on this machine in a folder that was allowed. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { decodeAudio, readAudioFile } from '../audio/read-audio.ts';
import type { Audio } from '../audio/wav.ts';
import { SvcError, toSvcError } from '../errors.ts';
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
  return checkLength(await decodeAudio(file.buffer), settings);
}

/**
 * @param path absolute, or relative to one of the folders
 * @throws SvcError FORBIDDEN for what is no file in the folders; UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE
 */
export async function readPath(
  path: string,
  settings: Limits & Pick<ServerSettings, 'recordingFolders'>,
): Promise<Audio> {
  const real = await findRecording(path, settings.recordingFolders);
  let audio: Audio;
  try {
    audio = await readAudioFile(real);
  } catch (thrown) {
    // The client knows the name that it sent, not where the folder lies.
    const { code, message } = toSvcError(thrown);
    throw new SvcError(
      code,
      message.replaceAll(real, () => JSON.stringify(path)),
      { cause: thrown },
    );
  }
  return checkLength(audio, settings);
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
      : `${JSON.stringify(path.slice(0, 200))} is not a file in the server's folder of recordings`;
  throw new SvcError('FORBIDDEN', `prompt_wav_path ${reason}`);
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

function checkLength(audio: Audio, { limits: { recordingSeconds } }: Limits): Audio {
  const seconds = audio.samples.length / audio.sampleRate;
  if (seconds <= recordingSeconds) return audio;
  const received = `${Math.ceil(seconds)} seconds`;
  throw new SvcError(
    'PAYLOAD_TOO_LARGE',
    `expected at most ${recordingSeconds} seconds for a recording, received ${received}`,
  );
}
