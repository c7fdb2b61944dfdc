/** Files of captions. */
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
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

/** @throws SvcError INVALID_REQUEST */
export function captionFormatOf(path: string, flag = '--captions'): CaptionFormat {
  const name = extname(path).slice(1).toLowerCase();
  const format = captionFormats.find((known) => known === name);
  if (format !== undefined) return format;
  throw requestError(`${flag} must end in .${captionFormats.join(', .')}, got ${quote(path)}`);
}

/** @throws SvcError IO */
export async function writeCaptions(
  sentences: readonly TimedSentence[],
  { captions, captionWords }: CaptionsFile,
): Promise<void> {
  if (captions === undefined) return;
  const text = formatCaptions(sentences, captionFormatOf(captions), {
    highlight: captionWords ? 'words' : 'none',
  });
  try {
    await replaceWhole(captions, (partial) => writeFile(partial, text));
  } catch (error) {
    throw new SvcError('IO', `cannot write captions ${quote(captions)}: ${reasonOf(error)}`, { cause: error });
  }
}
