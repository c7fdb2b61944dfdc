/** The option `--captions`. */
import type { CaptionFormat } from '../../captions/captions.ts';
import { requestError } from '../../validation.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { type Output, requireFolderFor } from './output.ts';

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
