/** Converts rows of both databases to voice records. */
import { randomUUID } from 'node:crypto';
import type { Audio } from '../audio/audio.ts';
import type { LexiconEntry } from '../engine/lexicon/lexicon.ts';
import { bytesOf, floatsOf } from '../float-arrays.ts';
import type { EncodingInfo, NewVoice, VoiceEncoding, VoiceRecord, VoiceRole } from './voice-store.ts';

/** SQLite returns booleans as 0 and 1, PostgreSQL returns 64-bit integers as strings. */
export interface VoiceRow {
  readonly id: string;
  readonly revision: string;
  readonly text: string | null;
  readonly is_prompt: boolean | 0 | 1;
  readonly is_reference: boolean | 0 | 1;
  readonly sample_rate: number;
  readonly sample_count: number;
  readonly created_at: number | string;
  readonly updated_at: number | string;
  /** Entries as JSON. */
  readonly lexicon: string | null;
  readonly language: string | null;
  readonly kept: boolean | 0 | 1;
}

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

export interface PatchesRow extends EncodingRow {
  readonly patches: Uint8Array;
}

export const encodingColumns = 'voice_id, role, fingerprint, model, sample_rate, patch_count, patch_size, feature_dim';

export const recordOf = (row: VoiceRow, encodings: readonly EncodingRow[]): VoiceRecord => ({
  id: row.id,
  revision: row.revision,
  ...(row.text === null ? {} : { text: row.text }),
  ...(row.lexicon === null ? {} : { lexicon: JSON.parse(row.lexicon) as readonly LexiconEntry[] }),
  ...(row.language === null ? {} : { language: row.language }),
  roles: [...(row.is_prompt ? (['prompt'] as const) : []), ...(row.is_reference ? (['reference'] as const) : [])],
  recording: { sampleRate: row.sample_rate, sampleCount: row.sample_count, kept: Boolean(row.kept) },
  createdAt: new Date(Number(row.created_at)),
  updatedAt: new Date(Number(row.updated_at)),
  encodings: encodings.map(encodingOf),
});

export interface RecordingRow {
  readonly sample_rate: number;
  readonly samples: Uint8Array;
}

export const recordingOf = (row: RecordingRow): Audio => ({
  samples: floatsOf(row.samples),
  sampleRate: row.sample_rate,
  channels: 1,
});

/** A new voice in the order of its columns. @param createdAt of the voice that it replaces */
export function voiceValues(
  { id, text, roles, recording }: NewVoice,
  createdAt: VoiceRow['created_at'] | undefined,
): readonly (string | number | boolean | null)[] {
  const now = Date.now();
  const { sampleRate, samples } = recording;
  const isRole = (role: VoiceRole): boolean => roles.includes(role);
  return [
    id,
    randomUUID(),
    text ?? null,
    isRole('prompt'),
    isRole('reference'),
    sampleRate,
    samples.length,
    createdAt ?? now,
    now,
  ];
}

export const lexiconText = (lexicon: readonly LexiconEntry[] | undefined): string | undefined =>
  lexicon === undefined || lexicon.length === 0 ? undefined : JSON.stringify(lexicon);

/** @param encodings of any voices; each voice keeps this order */
export function recordsOf(rows: readonly VoiceRow[], encodings: readonly EncodingRow[]): VoiceRecord[] {
  const byVoice = new Map<string, EncodingRow[]>(rows.map(({ id }) => [id, []]));
  for (const encoding of encodings) byVoice.get(encoding.voice_id)?.push(encoding);
  return rows.map((row) => recordOf(row, byVoice.get(row.id) ?? []));
}

const encodingOf = (row: EncodingRow): EncodingInfo => ({
  role: row.role,
  fingerprint: row.fingerprint,
  model: row.model,
  sampleRate: row.sample_rate,
  patchCount: row.patch_count,
  patchSize: row.patch_size,
  featureDim: row.feature_dim,
});

export const voiceEncodingOf = (row: PatchesRow): VoiceEncoding => ({
  ...encodingOf(row),
  patches: floatsOf(row.patches),
});

/** Values in the order of `encodingColumns`, then the patches. */
export const encodingValues = (id: string, encoding: VoiceEncoding): (string | number | Buffer)[] => {
  const { role, fingerprint, model, sampleRate, patchCount, patchSize, featureDim, patches } = encoding;
  return [id, role, fingerprint, model, sampleRate, patchCount, patchSize, featureDim, bytesOf(patches)];
};
