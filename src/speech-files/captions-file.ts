/** Captions as files, in pipes and on standard output. */
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { createStreamWriter } from '../audio/encode/sink.ts';
import { type CaptionFormat, captionFormats, formatCaptions } from '../captions/captions.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { SvcError } from '../errors.ts';
import { reasonOf, replaceWhole } from '../files/file-system.ts';
import { quote } from '../messages.ts';
import { requestError } from '../validation.ts';

export interface CaptionsFile {
  /** Its extension names the format; no file is written without it. */
  readonly captions?: string | undefined;
  /** Whether each word is marked. */
  readonly captionWords?: boolean | undefined;
}

/**
 * The format by the extension; SubRip for standard output (`-`), pipes and devices without one.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function captionFormatOf(path: string, flag = '--captions'): CaptionFormat {
  const name = extname(path).slice(1).toLowerCase();
  const format = captionFormats.find((known) => known === name);
  if (format !== undefined) return format;
  if (path === '-' || isPipe(path)) return 'srt';
  throw requestError(`${flag} must end in .${captionFormats.join(', .')}, got ${quote(path)}`);
}

/** A pipe, as of `>(…)`, or a device. */
function isPipe(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * @param stdout gets captions whose path is `-`
 * @throws SvcError IO
 */
export async function writeCaptions(
  sentences: readonly TimedSentence[],
  { captions, captionWords }: CaptionsFile,
  stdout?: NodeJS.WritableStream,
): Promise<void> {
  if (captions === undefined) return;
  const text = formatCaptions(sentences, captionFormatOf(captions), {
    highlight: captionWords ? 'words' : 'none',
  });
  await writeCaptionText(captions, text, stdout);
}

/** Writes captions whole: to a file, which appears when complete, into a pipe, or to `stdout` for `-`. @throws SvcError IO */
export async function writeCaptionText(path: string, text: string, stdout?: NodeJS.WritableStream): Promise<void> {
  if (path === '-' && stdout !== undefined) {
    await createStreamWriter(stdout)(Buffer.from(text));
    return;
  }
  try {
    await replaceWhole(path, (partial) => writeFile(partial, text));
  } catch (error) {
    throw new SvcError('IO', `cannot write captions ${quote(path)}: ${reasonOf(error)}`, { cause: error });
  }
}
