/** The request that the options of `tts` and `clone` describe, but for its text. */
import { readAudioFile } from '../../audio/read-audio.ts';
import { parseRequest, type ResolvedRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { fieldsOfOptions, type SpeakOptions } from './options.ts';
import { inputFormatOf, readLexicons } from './script-options.ts';

/** @throws SvcError INVALID_REQUEST for everything that is wrong without the text */
export async function readFields(
  options: SpeakOptions,
  io: Io,
): Promise<{ readonly request: ResolvedRequest; readonly warnings: readonly string[] }> {
  const { promptAudio, promptText, referenceAudio } = options;
  const read = async (path: string | undefined) => (path === undefined ? undefined : readAudioFile(path, io));
  const lexicon = await readLexicons(options, io);
  const request = parseRequest({
    ...fieldsOfOptions(options),
    inputFormat: inputFormatOf(options),
    lexicon: lexicon.entries,
    promptAudio: await read(promptAudio),
    promptText: promptText?.trim(),
    referenceAudio: await read(referenceAudio),
    text: 'text',
  });
  return { request, warnings: lexicon.warnings };
}
