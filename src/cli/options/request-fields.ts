/** The request that the options of `tts` and `clone` describe, but for its text. */
import type { Recognize } from '../../engine/recognize.ts';
import { parseFields, type RequestFields } from '../../engine/request.ts';
import { assertVoices } from '../../engine/voice-fields.ts';
import type { Io } from '../io.ts';
import { transcribe } from './recognizer.ts';
import type { SpeakOptions } from './speak-options.ts';
import { fieldsOfOptions } from './speech-options.ts';
import { inputFormatOf, readLexicons } from './text-input.ts';

const needsTranscript = ({ promptAudio, promptText }: SpeakOptions, recognize: Recognize | undefined): boolean =>
  recognize !== undefined && promptAudio !== undefined && promptText === undefined;

/** Checks all but the text. The fields are complete only after `transcribePrompt`, which may take long. */
export async function readFields(
  options: SpeakOptions,
  recognize: Recognize | undefined,
  io: Io,
): Promise<{ readonly fields: RequestFields; readonly warnings: readonly string[] }> {
  const { promptAudio, promptText, referenceAudio, denoise } = options;
  const { signal } = io;
  const read = async (path: string | undefined) => {
    if (path === undefined) return undefined;
    const { readAudioFile } = await import('../../audio/decode/read-audio.ts');
    return readAudioFile(path, { denoise, signal });
  };
  const lexicon = await readLexicons(options, io);
  const given = {
    ...fieldsOfOptions(options),
    speed: options.speed,
    lexicon: lexicon.entries,
    promptAudio: await read(promptAudio),
    promptText: promptText?.trim(),
    referenceAudio: await read(referenceAudio),
    inputFormat: inputFormatOf(options),
  };
  const fields = parseFields(given, needsTranscript(options, recognize) ? 'follows' : 'given');
  return { fields, warnings: lexicon.warnings };
}

/** Adds the transcript of the prompt audio if the options give none. @throws SvcError as the recognizer */
export async function transcribePrompt(
  fields: RequestFields,
  options: SpeakOptions,
  recognize: Recognize | undefined,
  io: Io,
): Promise<RequestFields> {
  const { promptAudio: audio } = fields;
  if (recognize === undefined || !needsTranscript(options, recognize) || audio === undefined || 'role' in audio)
    return fields;
  const { promptAudio: path = '', quiet } = options;
  const promptText = await transcribe(recognize, { audio, path, flag: '--prompt-text', quiet }, io);
  assertVoices({ ...fields, promptText });
  return { ...fields, promptText };
}
