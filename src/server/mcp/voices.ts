/** The tools `list_voices` and `clone_voice`. */
import { z } from 'zod';
import { entriesOf } from '../../engine/lexicon/lexicon.ts';
import { transcript } from '../../engine/voice-fields.ts';
import { path, text } from '../../validation.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import { parseNewVoiceId } from '../../voices/voice-id.ts';
import type { ServerContext } from '../context/context.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { createVoice } from '../recordings/create-voice.ts';
import { encodedRecording } from '../schemas/encoded-recording.ts';
import { modelQuery, pathVoiceBody } from '../schemas/voices.ts';
import { recordingOf } from './granted-files.ts';
import { defineTool, structured, type Tool } from './tool.ts';

const voice = z.object({
  name: z.string().describe('What speak takes as voice.'),
  alias_of: z.string().optional().describe('The voice that this is another name of.'),
  roles: z
    .array(z.string())
    .describe(
      '`prompt`: the model continues the recording, with its pace and mood. `reference`: it takes only the timbre.',
    ),
  seconds: z.number().describe('Length of the recording.'),
  transcript: z.string().optional().describe('What is said in the recording.'),
  language: z.string().optional().describe('Language that the voice speaks, if it was stated.'),
  preset: z.boolean().describe('Whether the voice comes with svc.'),
});

export const plainVoice = (found: CatalogVoice): z.output<typeof voice> => ({
  name: found.id,
  ...(found.aliasOf !== undefined && { alias_of: found.aliasOf }),
  roles: [...found.roles],
  seconds: Number(found.seconds.toFixed(3)),
  ...(found.text !== undefined && { transcript: found.text }),
  ...(found.language !== undefined && { language: found.language }),
  preset: found.origin === 'preset',
});

export const listVoicesTool = ({ allVoices }: ServerContext): Tool =>
  defineTool({
    name: 'list_voices',
    title: 'List voices',
    description: 'Lists the voices that speak takes by name. `default` is the voice of the model itself.',
    input: z.strictObject({}),
    output: z.object({ voices: z.array(voice) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call() {
      const voices = allVoices();
      return structured({ voices: [voices.own(), ...(await voices.list())].map(plainVoice) });
    },
  });

const cloneInput = z.strictObject({
  name: text.describe(
    'Name of the new voice: 1 to 64 letters, digits, dots, hyphens and underscores, not starting with a dot.',
  ),
  prompt_wav_path: path
    .nullish()
    .describe('Recording of the voice, 3 to 30 seconds: a file below a folder that the client has granted.'),
  audio: encodedRecording.describe('The recording itself, in place of a path: base64 or a data URL.'),
  prompt_text: transcript
    .nullish()
    .describe('What is said in the recording, word for word. Without it, VoxCPM 2 takes only the timbre.'),
  denoise: pathVoiceBody.shape.denoise,
  lexicon: pathVoiceBody.shape.lexicon,
  language: pathVoiceBody.shape.language,
  ...modelQuery.shape,
});

const cloned = voice.extend({
  quality: z.record(z.string(), z.unknown()).describe('Length, level and noise of the recording.'),
  warnings: z.array(z.string()).describe('What may make the voice sound poor.'),
});

export const cloneVoiceTool = (context: ServerContext): Tool =>
  defineTool({
    name: 'clone_voice',
    title: 'Clone a voice',
    description:
      'Stores a voice, cloned from a recording, under a new name for speak. Only clone voices of people who have agreed to it.',
    input: cloneInput,
    output: cloned,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async call({ name, prompt_wav_path, audio, prompt_text, denoise, lexicon, language, model }, call) {
      const { client } = call;
      const id = await withErrorParam('name', () => parseNewVoiceId(name));
      const path = ['clone_voice', 'prompt_wav_path', prompt_wav_path] as const;
      const recording = {
        id,
        audio: await recordingOf(context, call, path, audio, denoise),
        text: prompt_text?.trim() ? prompt_text : undefined,
        denoise,
        lexicon: entriesOf(lexicon),
        language: language ?? undefined,
      };
      const request = { choice: { model }, client, textField: 'prompt_text' };
      const created = await createVoice(context, recording, request);
      await call.voicesChanged();
      const { quality, warnings } = created;
      return structured({ ...plainVoice(created.voice), quality, warnings });
    },
  });
