import { z } from 'zod';
import { text } from '../../validation.ts';

const voiceId = text.describe('Name: 1 to 64 letters, digits, dots, hyphens and underscores.');
const recording = z
  .string()
  .meta({ format: 'binary', description: 'Recording as WAV, FLAC, MP3, Ogg, Opus, M4A or AAC.' });

/** Fields of the form other than the file. */
export const uploadFields = z.object({
  id: voiceId,
  text: text.describe('Transcript of the recording, word for word.'),
});
export const uploadForm = uploadFields.extend({ audio: recording });

export const pathVoiceBody = z.object({
  voice_name: voiceId,
  prompt_wav_path: text.describe('Path of a recording in a folder that the server allows.'),
  prompt_text: text.describe('Transcript of that recording.'),
});

const featureTexts = z.object({
  feat_id: voiceId,
  prompt_text: text.optional().describe('Transcript of the recording; VoxCPM 2 can do without.'),
});
export const featureForm = featureTexts.extend({ prompt_audio: recording });
/** With the upload as a field. */
export const featureFields = featureTexts.extend({
  prompt_audio: z.custom((file) => file !== undefined, { error: 'an audio file' }),
});

export const featureAnswer = z.object({ feat_id: z.string(), patches_shape: z.array(z.int()) });

export const voiceRecord = z.object({
  id: z.string(),
  object: z.literal('voice'),
  name: z.string(),
  prompt_text: z.string().nullable(),
  prompt_audio_length: z.int().describe('Length in patches.'),
  sample_rate: z.int().describe('Sample rate of the encoder in Hz.'),
  patch_size: z.int(),
  feat_dim: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  roles: z.array(z.string()),
  duration_seconds: z.number(),
  models: z.array(z.string()),
  preset: z.boolean(),
});

export const voiceList = z.object({
  object: z.literal('list'),
  data: z.array(voiceRecord),
  voices: z.array(voiceRecord),
});

export const voiceNames = z.object({ voices: z.array(z.string()), count: z.int(), cache_directory: z.string() });

export const deletedVoice = z.object({ id: z.string(), deleted: z.literal(true) });
