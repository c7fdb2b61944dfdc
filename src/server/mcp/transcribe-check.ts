/** The tool `transcribe_check`: what a recognizer hears in a recording, and how far that is from a text. */
import { z } from 'zod';
import type { Recognize } from '../../engine/recognize.ts';
import { wordErrorRate } from '../../engine/text/word-errors.ts';
import { path, text } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import { encodedRecording } from '../schemas/encoded-recording.ts';
import { recordingOf } from './granted-files.ts';
import { defineTool, structured, type Tool } from './tool.ts';

const input = z.strictObject({
  path: path.nullish().describe('The recording: a file below a folder that the client has granted.'),
  audio: encodedRecording.describe('The recording itself, in place of a path: base64 or a data URL.'),
  text: text.max(65_536).nullish().describe('What it should say.'),
});

const output = z.object({
  transcript: z.string().describe('What the recognizer heard.'),
  word_error_rate: z
    .number()
    .optional()
    .describe('Substituted, missing and added words per word of the text: 0 is perfect. Only with a text.'),
});

export const transcribeCheckTool = (context: ServerContext, recognize: Recognize): Tool =>
  defineTool({
    name: 'transcribe_check',
    title: 'Check the words of a recording',
    description:
      'Transcribes a recording, such as one that speak has written, and compares the words with a text. At most two minutes.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call({ path: file, audio, text: expected }, call) {
      const recording = await recordingOf(context, call, ['transcribe_check', 'path', file], audio);
      const heard = (await recognize(recording, call.client.signal)).trim();
      const rate = expected?.trim()
        ? { word_error_rate: Number((await wordErrorRate(expected, heard)).toFixed(4)) }
        : {};
      return structured({ transcript: heard, ...rate });
    },
  });
