import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type AudioFormatName, audioFormatNames, audioFormats, formatOfPath } from '../../audio/encode/format.ts';
import type { SampleFormat } from '../../audio/encode/wav-encode.ts';
import type { CaptionFormat } from '../../captions/captions.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { OutputOptions, PlaybackOptions } from '../options/output-options.ts';

type Place = { readonly kind: 'stream' } | { readonly kind: 'file'; readonly path: string };

/** Audio as bytes in a file or on standard output. */
export type EncodedOutput = Place & { readonly format: AudioFormatName; readonly sampleFormat: SampleFormat };

export type Output = EncodedOutput | { readonly kind: 'loudspeaker' };

/** The formats of MP4, which only books use. */
const bookExtension = /\.(?:m4b|m4a|mp4)$/i;

const extensions = audioFormatNames.map((name) => audioFormats[name].extension).join(', ');

/**
 * Where the audio goes: to `--output`, else to the loudspeaker. The format is that of `--response-format`, else of the
 * file name, else WAV. Checked before a model is loaded, so that a wrong output fails early.
 *
 * @param aboutMp4 why no MP4 file is written, and what to do instead; completes `--output "talk.mp4" …`
 * @throws SvcError INVALID_REQUEST, PLAYBACK_UNAVAILABLE
 */
export async function resolveOutput(
  options: OutputOptions & PlaybackOptions,
  io: Io,
  aboutMp4 = 'holds plain text and books; for other input, name a .wav or .mp3',
): Promise<Output> {
  const { output, play, responseFormat, sampleFormat = 's16' } = options;
  if (output === undefined) return findLoudspeaker(options, io);
  if (play) throw requestError('--play and --output cannot be combined');
  const place = await resolvePlace(output, options, io, aboutMp4);
  const format = responseFormat ?? formatOfPath(output) ?? 'wav';
  checkSampleFormat({ responseFormat: format, sampleFormat });
  return { ...place, format, sampleFormat };
}

/** @throws SvcError INVALID_REQUEST */
export function checkSampleFormat({
  responseFormat = 'wav',
  sampleFormat = 's16',
}: Pick<OutputOptions, 'responseFormat' | 'sampleFormat'>): void {
  if (sampleFormat === 's16' || responseFormat === 'wav') return;
  throw requestError(`--sample-format ${sampleFormat} needs WAV; ${responseFormat} files use s16`);
}

async function findLoudspeaker(options: OutputOptions & PlaybackOptions, { loudspeaker }: Io): Promise<Output> {
  const { play, responseFormat, sampleFormat } = options;
  if ((responseFormat ?? sampleFormat) !== undefined) {
    const flag = responseFormat === undefined ? '--sample-format' : '--response-format';
    throw requestError(`${flag} needs --output: name an audio file, or - for standard output`);
  }
  const { status, summary, remedy: installation } = await loudspeaker.find();
  if (status === 'ok') return { kind: 'loudspeaker' };
  // The machine may have an output that svc can't use yet.
  const isPackage = installation?.startsWith('install ');
  if (isPackage || play) {
    const remedy = isPackage
      ? `write a file with -o out.wav, or ${installation}`
      : 'connect or configure an audio output, or write a file with -o out.wav';
    throw new SvcError('PLAYBACK_UNAVAILABLE', `cannot play audio: ${summary}`, { remedy });
  }
  throw requestError(
    '--output is required, because this machine has no audio output: ' +
      'name an audio file, as in -o out.wav, or - for standard output',
  );
}

async function resolvePlace(
  output: string,
  { responseFormat }: OutputOptions,
  { stdout }: Io,
  aboutMp4: string,
): Promise<Place> {
  if (output === '') throw requestError('--output is empty: name an audio file, or - for standard output');
  if (output === '-') {
    if (stdout.isTTY !== true) return { kind: 'stream' };
    throw requestError('cannot write audio to the terminal: redirect standard output, or name a file with --output');
  }
  const existing = await stat(output).catch(() => undefined);
  if (existing?.isDirectory())
    throw requestError(`--output must be an audio file or -, got the folder ${quote(output)}`);
  // A named pipe or a device such as /dev/null has no extension that gives the format.
  if (existing !== undefined && !existing.isFile()) return { kind: 'file', path: output };
  if (responseFormat === undefined && formatOfPath(output) === undefined) {
    if (bookExtension.test(output)) throw requestError(`--output ${quote(output)} ${aboutMp4}`);
    throw requestError(
      `unknown audio format of --output ${quote(output)}: use one of ${extensions}, or set --response-format`,
    );
  }
  await requireFolderFor(output, '--output');
  return { kind: 'file', path: output };
}

/** Checks that a file can be written; a pipe or a device needs no folder. @throws SvcError INVALID_REQUEST, IO */
export async function requireFolderFor(
  path: string,
  flag: '--output' | '--captions' | '--new-captions' | '--chapter-list',
): Promise<void> {
  const existing = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENAMETOOLONG') throw requestError(`the name of ${flag} ${quote(path)} is too long`);
    return undefined;
  });
  if (existing?.isDirectory()) throw requestError(`${flag} must be a file, got the folder ${quote(path)}`);
  if (existing !== undefined && !existing.isFile()) return;
  const folder = dirname(resolve(path));
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw requestError(`no folder ${quote(folder)} for ${flag} ${quote(path)}`);
  await access(folder, constants.W_OK).catch(() => {
    throw new SvcError('IO', `no permission to write to the folder ${quote(folder)} of ${flag} ${quote(path)}`);
  });
}

/** @throws SvcError INVALID_REQUEST when the options do not fit together */
export async function checkCaptions({ captions, captionWords }: OutputOptions, output: Output): Promise<void> {
  const format = captions === undefined ? undefined : await formatOf(captions);
  if (captionWords && format !== 'vtt' && format !== 'ass')
    throw requestError('--caption-words needs --captions with a .vtt or .ass file');
  if (captions === undefined) return;
  if (output.kind !== 'file') throw requestError('--captions needs an audio file: name it with --output');
  if (captions !== '-') await requireFolderFor(captions, '--captions');
}

const formatOf = async (path: string): Promise<CaptionFormat> =>
  (await import('../../speech-files/captions-file.ts')).captionFormatOf(path);
