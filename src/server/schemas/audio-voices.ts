/** Bodies and answers about voices by upload, as OpenAI and vLLM-Omni have them. */
import { z } from 'zod';
import { transcript } from '../../engine/voice-fields.ts';
import { oneOf, text } from '../../validation.ts';
import { formDenoise, formTruth } from './speech.ts';
import { formVoiceLanguage, lexiconText, modelQuery, quality, recordingFile } from './voices.ts';

/** Fields about a voice without effect on its sound. */
export const silentVoiceFields: readonly string[] = [
  'description',
  'labels',
  'moderate_metadata',
  'speaker_description',
];

export const transcriptHelp =
  'Transcript of the recording, word for word. Without it, `--check-with` transcribes the recording, or VoxCPM 2 takes only its timbre; other models require it.';

export const audioVoiceFields = z.object({
  name: text
    .optional()
    .describe(
      'Name of the voice; characters other than letters, digits, dots, hyphens and underscores become hyphens.',
    ),
  id: text.optional().describe('Same as `name`.'),
  consent: text.max(256).optional().describe('ID of the consent of the person, for the log.'),
  type: oneOf(['audio_sample', 'prompt']).optional().describe('`audio_sample`: voices are cloned from recordings.'),
  ref_text: transcript.optional().describe(transcriptHelp),
  text: transcript.optional().describe('Same as `ref_text`.'),
  denoise: formDenoise,
  lexicon: lexiconText,
  language: formVoiceLanguage,
  replace: formTruth.meta({ description: 'Replace a voice of the same name.', default: false }),
  ...modelQuery.shape,
});
export const audioVoiceForm = audioVoiceFields.extend({ audio_sample: recordingFile });

export const audioVoice = z.object({
  id: z.string().describe('Voice name, for `voice` in requests for speech.'),
  object: z.literal('audio.voice'),
  created_at: z.int().describe('Time of creation, in seconds since 1970.'),
  name: z.string().describe('Same as `id`.'),
  type: z.literal('audio_sample'),
});

export const audioVoiceExample = {
  ...{ id: 'anna', object: 'audio.voice', created_at: 1_763_640_000, name: 'anna', type: 'audio_sample' },
} as const satisfies z.output<typeof audioVoice>;

export const createdAudioVoice = audioVoice.extend({
  success: z.literal(true).describe('Always `true`, for clients of vLLM-Omni.'),
  voice: z
    .object({
      name: z.string().describe('Voice name.'),
      consent: z.string().optional().describe('As it was sent.'),
      created_at: z.int().describe('Time of creation, in seconds since 1970.'),
      mime_type: z.string().describe('Content type of the upload, as it was declared.'),
      file_size: z.int().describe('Size of the upload, in bytes.'),
      ref_text: z.string().optional().describe('Transcript of the recording.'),
    })
    .describe('The same, as vLLM-Omni describes it.'),
  quality: quality.describe('How well the recording would serve as a voice.'),
  warnings: z.array(z.string()).describe('What may make the voice sound poor.'),
});

export const createdExample = {
  ...audioVoiceExample,
  success: true,
  voice: {
    ...{ name: 'anna', consent: 'cons_1234', created_at: 1_763_640_000 },
    ...{ mime_type: 'audio/wav', file_size: 161_280 },
  },
  quality: {},
  warnings: [],
};

export const deletedAudioVoice = z.object({
  id: z.string().describe('Voice name.'),
  object: z.literal('audio.voice'),
  deleted: z.literal(true),
  success: z.literal(true).describe('Always `true`, for clients of vLLM-Omni.'),
  message: z.string().describe('The same in words.'),
});
