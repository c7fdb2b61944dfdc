/** What both databases keep of an encoding beside its latents. */
import type { VoiceRole } from './voice-store.ts';

export interface EncodingRow {
  readonly voice_id: string;
  readonly role: VoiceRole;
  readonly fingerprint: string;
  readonly model: string;
  readonly sample_rate: number;
  readonly patch_count: number;
  readonly patch_size: number;
  readonly feature_dim: number;
}

export const encodingColumns = 'voice_id, role, fingerprint, model, sample_rate, patch_count, patch_size, feature_dim';
