/** The request that the options of `tts` and `clone` describe, but for its text. */
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { parseRequest, type ResolvedRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import { fieldsOfOptions, type SpeakOptions } from './options.ts';
import { transcribe } from './recognizer.ts';
import { readLexicons } from './script-options.ts';

/** Whether a recognizer has to supply the transcript of the prompt audio. */
const needsTranscript = ({ promptAudio, promptText }: SpeakOptions, recognize: Recognize | undefined): boolean =>
  recognize !== undefined && promptAudio !== undefined && promptText === undefined;

/**
 * Complete only after `transcribePrompt`, which may take long.
 *
 * @throws SvcError INVALID_REQUEST for everything that is wrong without the text
 */
export async function readFields(
  options: SpeakOptions,
  recognize: Recognize | undefined,
  io: Io,
): Promise<{ readonly request: ResolvedRequest; readonly warnings: readonly string[] }> {
  const { promptAudio, promptText, referenceAudio, denoise } = options;
  const { signal } = io;
  const read = async (path: string | undefined) =>
    path === undefined ? undefined : readAudioFile(path, { denoise, signal });
  const lexicon = await readLexicons(options, io);
  const request = parseRequest({
    ...fieldsOfOptions(options),
    lexicon: lexicon.entries,
    promptAudio: await read(promptAudio),
    promptText: needsTranscript(options, recognize) ? 'text' : promptText?.trim(),
    referenceAudio: await read(referenceAudio),
    text: 'text',
  });
  return { request, warnings: lexicon.warnings };
}

/** Adds the transcript of the prompt audio if the options give none. @throws SvcError as the recognizer */
export async function transcribePrompt(
  request: ResolvedRequest,
  options: SpeakOptions,
  recognize: Recognize | undefined,
  io: Io,
): Promise<ResolvedRequest> {
  const { promptAudio: audio } = request;
  if (recognize === undefined || !needsTranscript(options, recognize) || audio === undefined || 'role' in audio)
    return request;
  const { promptAudio: path = '', quiet } = options;
  return { ...request, promptText: await transcribe(recognize, { audio, path, flag: '--prompt-text', quiet }, io) };
}
