/** Reads recordings of clients: an uploaded file, or a path on this machine in an allowed folder. */
import { assertSound } from '../../audio/analyze/prompt-check.ts';
import type { Audio } from '../../audio/audio.ts';
import { readAudioFileWith } from '../../audio/decode/read-audio.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import type { ServerSettings } from '../context/settings.ts';
import { findAllowed } from '../http/allowed-path.ts';
import { tooLarge } from '../http/body-failure.ts';
import { decodeRecording } from './decoded-recordings.ts';

type Limits = Pick<ServerSettings, 'limits'>;

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly denoise?: boolean | null | undefined;
}

/** Ignores the declared type. @throws SvcError UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE, INVALID_REQUEST */
export async function readUpload(
  file: { readonly buffer: Buffer } | undefined,
  field: string,
  settings: Limits,
  { signal, denoise }: ReadOptions,
): Promise<Audio> {
  if (file === undefined) throw requestError(`${field} is required: upload a recording`, field);
  const { recordingSeconds: maxSeconds, uploadBytes } = settings.limits;
  if (file.buffer.length > uploadBytes) throw tooLarge(field, uploadBytes);
  const read = () => decodeRecording(file.buffer, { maxSeconds, denoise: denoise === true, signal });
  return checkLength(await atField(field, read), field, settings);
}

/** @throws SvcError FORBIDDEN for anything but a file in the allowed folders; UNSUPPORTED_AUDIO, PAYLOAD_TOO_LARGE */
export async function readPath(
  path: string,
  settings: Limits & Pick<ServerSettings, 'recordingFolders'>,
  { signal, denoise, field = pathField }: ReadOptions & { readonly field?: string },
): Promise<Audio> {
  const real = await findRecording(path, settings.recordingFolders, field);
  const { recordingSeconds: maxSeconds } = settings.limits;
  const options = { maxSeconds, denoise: denoise === true, signal };
  const read = () => readAudioFileWith((bytes) => decodeRecording(bytes, options), real);
  return checkLength(await atField(field, read, { real, sent: path }), field, settings);
}

const pathField = 'prompt_wav_path';

/** Adds the field to errors of a recording, and replaces the real path with the one that the client sent. */
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
    const message = path ? error.message.replaceAll(path.real, () => quote(path.sent)) : error.message;
    throw new SvcError(error.code, `${param}: ${message}`, { param, cause: error });
  }
}

/** Finds the real path of a file in one of the folders. All others get the same error. @throws SvcError FORBIDDEN */
export async function findRecording(path: string, folders: readonly string[], field = pathField): Promise<string> {
  const real = await findAllowed(path, folders, (found) => found.isFile());
  if (real !== undefined) return real;
  const reason =
    folders.length === 0
      ? 'is not available: the server was started without --voice-dir'
      : "is not a file in the server's folder of recordings";
  throw new SvcError('FORBIDDEN', `${field} ${reason}`, { param: field });
}

/** Decoding itself fails for recordings that are too long. */
function checkLength(audio: Audio, param: string, { limits }: Limits): Audio {
  const { shortestRecordingSeconds: shortest, recordingSeconds: longest } = limits;
  const seconds = audio.samples.length / audio.sampleRate;
  if (seconds >= shortest) return audio;
  throw invalid(`a recording of ${shortest} to ${longest} seconds`, param, `${seconds.toFixed(2)} seconds`, { param });
}
