import { z } from 'zod';
import { languageField } from '../../engine/request-fields.ts';
import { transcript } from '../../engine/voice-fields.ts';
import { path, text, truth } from '../../validation.ts';
import { respellings } from './respellings.ts';
import { denoiseField, formDenoise, formTruth } from './speech.ts';

export const voiceId = text.describe(
  'Voice name: 1 to 64 letters, digits, dots, hyphens and underscores, not starting with a dot.',
);
export const lexiconText = text
  .optional()
  .describe('Pronunciations of this voice: PLS, or lines of `word = respelling`, as a field of the form.');
const languageHelp =
  'Language that the voice speaks, such as `de`, in which numbers are read unless a request states one.';
const voiceLanguage = languageField.nullish().describe(languageHelp);
export const formVoiceLanguage = z.preprocess((tag) => tag || undefined, voiceLanguage).describe(languageHelp);
export const modelQuery = z.object({
  model: text.nullish().describe('Model name or alias to encode the recording for; by default, the first model.'),
});

export const recordingFile = z.string().meta({
  format: 'binary',
  description: 'Recording of the voice: WAV, FLAC, MP3, Ogg, Opus, WebM, M4A, AAC, AIFF or CAF, up to 25 MiB.',
});

const replaceHelp = 'Replace a voice of the same name.';

export const transcriptHelp =
  'Transcript of the recording, word for word. Without it, `--check-with` transcribes the recording, or VoxCPM 2 takes only its timbre; other models require it.';

export const uploadFields = z.object({
  id: voiceId.optional(),
  name: voiceId.optional().describe('Same as `id`; one of them is required.'),
  text: transcript.optional().describe(transcriptHelp),
  denoise: formDenoise,
  lexicon: lexiconText,
  language: formVoiceLanguage,
  replace: formTruth.meta({ description: replaceHelp, default: false }),
  ...modelQuery.shape,
});
export const uploadForm = uploadFields.extend({ audio: recordingFile });

export const pathVoiceBody = z.object({
  voice_name: voiceId,
  prompt_wav_path: path.nullish().describe('Path of a recording in the voice folder of the server (`--voice-dir`).'),
  reference_wav_path: path
    .nullish()
    .describe(
      'The same, for a voice whose timbre VoxCPM 2 takes; with `prompt_text`, it continues the recording too. In place of `prompt_wav_path`.',
    ),
  prompt_text: transcript
    .optional()
    .describe(
      'Transcript of that recording. Without it, `--check-with` transcribes the recording, or VoxCPM 2 takes only its timbre; other models require it.',
    ),
  denoise: denoiseField,
  lexicon: respellings.nullish().describe('Pronunciations of this voice: respellings by the words that they replace.'),
  language: voiceLanguage,
  replace: truth.nullish().meta({ description: replaceHelp, default: false }),
  ...modelQuery.shape,
});

export const voiceRecord = z.object({
  id: z.string().describe('Voice name.'),
  object: z.literal('voice'),
  name: z.string().describe('Same as `id`.'),
  alias_of: z.string().nullable().describe('Name of the voice, for an alias (`--voice-alias`).'),
  prompt_text: z.string().nullable().describe('Transcript of the recording.'),
  prompt_audio_length: z.int().describe('Length of the recording, in patches.'),
  sample_rate: z.int().describe('Sample rate of the encoder, in Hz.'),
  patch_size: z.int().describe('Frames per patch.'),
  feat_dim: z.int().describe('Feature size of a frame.'),
  created_at: z.string().describe('Time of creation, in ISO 8601.'),
  updated_at: z.string().describe('Time of the last change, in ISO 8601.'),
  language: z.string().nullable().describe('Language that the voice speaks, if it was stated.'),
  roles: z
    .array(z.string())
    .describe('`prompt`: the model continues the recording. `reference`: it takes only the timbre.'),
  duration_seconds: z.number().describe('Length of the recording, in seconds.'),
  models: z.array(z.string()).describe('Models that the voice is encoded for.'),
  lexicon_entries: z.int().describe('Number of pronunciations that are stored with the voice.'),
  lexicon: z
    .record(z.string(), z.string())
    .optional()
    .describe('Respellings by the words that they replace; left out of lists, and without any.'),
  preset: z.boolean().describe('Whether the voice comes with the server and cannot be deleted.'),
  has_recording: z.boolean().describe('Whether `GET /v1/voices/{id}/audio` has its recording.'),
  voice_id: z.string().describe('Same as `id`, for clients of ElevenLabs.'),
  category: z.enum(['premade', 'cloned']).describe('`premade` for a voice that comes with the server.'),
});

export const quality = z.object({
  duration_seconds: z.number().describe('Length of the recording, in seconds.'),
  level_db: z.number().describe('Level of the speech without its pauses: root mean square, in dB of full scale.'),
  noise_db: z.number().nullable().describe('Level of the background in the pauses; `null` if there are none.'),
  snr_db: z.number().nullable().describe('Speech above the background, in dB.'),
  silent: z.number().describe('Fraction of the recording that is below -50 dB.'),
  clipped: z.number().describe('Fraction of samples that are clipped.'),
});

export const qualityExample = {
  ...{ duration_seconds: 5.04, level_db: -21.3, noise_db: -62.8, snr_db: 41.5, silent: 0.12, clipped: 0 },
} as const satisfies z.output<typeof quality>;

export const newVoice = voiceRecord.extend({
  quality: quality.describe('How well the recording would serve as a voice.'),
  warnings: z.array(z.string()).describe('What may make the voice sound poor.'),
  mode: z
    .enum(['reference', 'reference_plus_continuation', 'continuation'])
    .optional()
    .describe('How the voice is used, for requests with `reference_wav_path`.'),
});

export type VoiceRecord = z.output<typeof voiceRecord>;

export const voiceExample = {
  ...{ id: 'anna', object: 'voice', name: 'anna', alias_of: null, prompt_text: 'The words of the recording.' },
  ...{ prompt_audio_length: 63, sample_rate: 16_000, patch_size: 2, feat_dim: 64 },
  ...{ created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' },
  ...{ language: 'en', roles: ['prompt'], duration_seconds: 5.04, models: ['voxcpm-0.5b'], lexicon_entries: 0 },
  ...{ preset: false, has_recording: true, voice_id: 'anna', category: 'cloned' },
} as const satisfies z.output<typeof voiceRecord>;

export const voiceList = z.object({
  object: z.literal('list'),
  data: z.array(voiceRecord),
  voices: z.array(voiceRecord),
  uploaded_voices: z
    .array(
      z.object({
        name: z.string().describe('Voice name.'),
        created_at: z.int().describe('Time of creation, in seconds since 1970.'),
        ref_text: z.string().optional().describe('Transcript of the recording.'),
      }),
    )
    .optional()
    .describe('Voices that were added, for clients of vLLM-Omni; only at `/v1/audio/voices`.'),
});

export const deletedVoice = z.object({
  id: z.string().describe('Voice name.'),
  deleted: z.literal(true),
  status: z.literal('ok').describe('For clients of ElevenLabs.'),
});
