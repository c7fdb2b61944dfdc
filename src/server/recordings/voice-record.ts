/** A voice as clients see it. */
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import type { VoiceRecord } from '../schemas/voices.ts';

/** VoxCPM.cpp's fields, and those that other clients and the playground need. */
export const recordOf = (voice: CatalogVoice): VoiceRecord => ({
  id: voice.id,
  object: 'voice',
  name: voice.id,
  alias_of: voice.aliasOf ?? null,
  prompt_text: voice.text ?? null,
  prompt_audio_length: voice.patchCount,
  sample_rate: voice.sampleRate,
  patch_size: voice.patchSize,
  feat_dim: voice.featureDim,
  created_at: voice.createdAt.toISOString(),
  updated_at: voice.updatedAt.toISOString(),
  language: voice.language ?? null,
  roles: [...voice.roles],
  duration_seconds: Number(voice.seconds.toFixed(3)),
  models: [...voice.models],
  lexicon_entries: voice.lexicon?.length ?? 0,
  preset: voice.origin === 'preset',
  has_recording: voice.hasRecording,
  voice_id: voice.id,
  category: voice.origin === 'preset' ? 'premade' : 'cloned',
});

/** With its respellings, which lists leave out. */
export const wholeRecordOf = (voice: CatalogVoice) => ({
  ...recordOf(voice),
  lexicon: voice.lexicon && Object.fromEntries(voice.lexicon.map(({ written, spoken }) => [written, spoken])),
});
