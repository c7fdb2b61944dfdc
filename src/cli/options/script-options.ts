/** Options about the format of a text: what it is, and its pronunciations. */
import { extname } from 'node:path';
import { type LexiconEntry, overlayLexicon } from '../../engine/lexicon/lexicon.ts';
import type { InputFormat } from '../../engine/script/input-formats.ts';
import type { Io } from '../io.ts';
import type { TextOptions } from './speech-options.ts';
import { isSpokenDocument, readTextFile, type SpokenFile } from './text-input.ts';

const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.ssml': 'ssml',
};

/** `--input-format`, else by the name of the file. */
export const inputFormatOf = ({ inputFormat, textFile = '' }: SpokenFile): InputFormat =>
  isSpokenDocument({ inputFormat, textFile })
    ? 'ssml'
    : (inputFormat ?? formatsByExtension[extname(textFile).toLowerCase()] ?? 'auto');

/** All files of `--lexicon`; a later file takes precedence. @throws SvcError INVALID_REQUEST */
export async function readLexicons({ lexicon = [] }: Pick<TextOptions, 'lexicon'>, { signal }: Pick<Io, 'signal'>) {
  let entries: readonly LexiconEntry[] = [];
  const warnings: string[] = [];
  for (const path of lexicon) {
    const { parseLexicon } = await import('../../engine/lexicon/parse-lexicon.ts');
    const parsed = parseLexicon(await readTextFile(path, 'lexicon', signal), path);
    entries = overlayLexicon(entries, parsed.entries);
    for (const warning of parsed.warnings) warnings.push(warning);
  }
  return { entries, warnings };
}
