/** Options about the format of a text: what it is, its pronunciations, and the voices that it calls for. */
import { extname } from 'node:path';
import type { LexiconEntry } from '../../engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../engine/lexicon/parse-lexicon.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { InputFormat } from '../../engine/script/parse-script.ts';
import { voiceNamesIn } from '../../engine/script/voice-names.ts';
import type { Io } from '../io.ts';
import type { SpeechOptions, TextOptions, VoiceOptions } from './options.ts';
import { readTextFile } from './text-input.ts';

const formatsByExtension: Readonly<Record<string, InputFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.ssml': 'ssml',
};

/** `--input-format`, else by the name of the file; a text with `--voices` is a script. */
export function inputFormatOf({
  inputFormat,
  textFile,
  voices,
}: TextOptions & VoiceOptions & SpeechOptions): InputFormat {
  if (inputFormat !== undefined) return inputFormat;
  const named = formatsByExtension[extname(textFile ?? '').toLowerCase()];
  return named ?? (voices === undefined ? 'auto' : 'script');
}

interface Lexicon {
  readonly entries: readonly LexiconEntry[];
  readonly warnings: readonly string[];
}

/** All files of `--lexicon`; a later file takes precedence. @throws SvcError INVALID_REQUEST */
export async function readLexicons({ lexicon = [] }: TextOptions, io: Io): Promise<Lexicon> {
  const entries: LexiconEntry[] = [];
  const warnings: string[] = [];
  for (const path of lexicon) {
    const parsed = parseLexicon(await readTextFile(path, 'lexicon', io.signal), path);
    entries.push(...parsed.entries);
    warnings.push(...parsed.warnings);
  }
  return { entries, warnings };
}

/** Names of stored voices by the names that the text uses: of `--voices`, and those that it calls for itself. */
export function scriptVoices(
  text: string,
  format: InputFormat,
  { voices = {} }: VoiceOptions,
): Readonly<Record<string, string>> {
  const known = new Set(Object.keys(voices).map((name) => name.toLowerCase()));
  const others = voiceNamesIn(text, format).filter((name) => !known.has(name.toLowerCase()));
  return { ...Object.fromEntries(others.map((name) => [name, name])), ...voices };
}

/** Voices without audio, to check a script before a model is loaded. */
export const unloadedVoices = (voices: Readonly<Record<string, string>>): SynthesisRequest['voices'] =>
  Object.fromEntries(Object.keys(voices).map((name) => [name, {}]));
