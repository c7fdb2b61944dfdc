/** The file of `--captions`. */
import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type CaptionFormat, captionFormats, formatCaptions } from '../../captions/captions.ts';
import { atSpeed } from '../../engine/timing/time-sentences.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf, replaceWhole } from '../../files.ts';
import { quote, requestError } from '../../validation.ts';
import type { OutputOptions } from '../options/options.ts';
import { type Output, requireFolderFor } from './output.ts';

/** @throws SvcError INVALID_REQUEST when the options do not fit together */
export async function checkCaptions({ captions, captionWords }: OutputOptions, output: Output): Promise<void> {
  const format = captions === undefined ? undefined : captionFormatOf(captions);
  if (captionWords && format !== 'vtt') throw requestError('--caption-words needs --captions with a .vtt file');
  if (captions === undefined) return;
  if (output.kind !== 'file') throw requestError('--captions needs an audio file: name it with --output');
  await requireFolderFor(captions, '--captions');
}

function captionFormatOf(path: string): CaptionFormat {
  const name = extname(path).slice(1).toLowerCase();
  const format = captionFormats.find((known) => known === name);
  if (format !== undefined) return format;
  throw requestError(`--captions must end in .${captionFormats.join(', .')}, got ${quote(path)}`);
}

/** @throws SvcError IO */
export async function writeCaptions(
  sentences: readonly TimedSentence[],
  { captions, speed = 1, captionWords }: OutputOptions,
): Promise<void> {
  if (captions === undefined) return;
  const text = formatCaptions(atSpeed(sentences, speed), captionFormatOf(captions), {
    highlight: captionWords ? 'words' : 'none',
  });
  try {
    await replaceWhole(captions, (partial) => writeFile(partial, text));
  } catch (error) {
    throw new SvcError('IO', `cannot write captions ${quote(captions)}: ${reasonOf(error)}`, { cause: error });
  }
}
