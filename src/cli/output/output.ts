import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type AudioFormatName, audioFormatNames, audioFormats, formatOfPath } from '../../audio/format.ts';
import type { SampleFormat } from '../../audio/wav-encode.ts';
import type { Io } from '../io.ts';
import { invalidOption, type OutputOptions } from '../options/options.ts';

type Place = { readonly kind: 'stream' } | { readonly kind: 'file'; readonly path: string };

export type Output = Place & { readonly format: AudioFormatName; readonly sampleFormat: SampleFormat };

const extensions = audioFormatNames.map((name) => audioFormats[name].extension).join(', ');

/**
 * Where the audio goes, and in which format: that of `--response-format`, else that of the file name, else WAV.
 * Checked before a model is loaded: nobody should wait for speech that can't be kept.
 *
 * @throws SvcError INVALID_REQUEST when it can't go there.
 */
export async function resolveOutput(options: OutputOptions, io: Io): Promise<Output> {
  const { output, responseFormat, sampleFormat = 's16' } = options;
  const place = await resolvePlace(options, io);
  const format = responseFormat ?? (output === undefined ? undefined : formatOfPath(output)) ?? 'wav';
  if (sampleFormat !== 's16' && format !== 'wav')
    throw invalidOption('s16', `--sample-format of ${format}`, sampleFormat);
  return { ...place, format, sampleFormat };
}

async function resolvePlace({ output, responseFormat }: OutputOptions, { stdout }: Io): Promise<Place> {
  if (output === undefined || output === '') throw invalidOption('an audio file or -', '--output', 'none');
  if (output === '-') {
    if (stdout.isTTY === true) throw invalidOption('a pipe or a file on standard output', '--output -', 'a terminal');
    return { kind: 'stream' };
  }
  const existing = await stat(output).catch(() => undefined);
  if (existing?.isDirectory()) throw invalidOption('an audio file or -', '--output', `the folder ${output}`);
  // A named pipe or a device such as /dev/null has the name that it has.
  if (existing !== undefined && !existing.isFile()) return { kind: 'file', path: output };
  if (responseFormat === undefined && formatOfPath(output) === undefined) {
    throw invalidOption(`a file name that ends in one of ${extensions}`, '--output', output);
  }
  const folder = dirname(resolve(output));
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw invalidOption('a file in an existing folder', '--output', output);
  const writable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable) throw invalidOption('a file in a writable folder', '--output', output);
  return { kind: 'file', path: output };
}
