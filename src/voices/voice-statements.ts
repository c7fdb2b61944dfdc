/** The statements of both voice stores, which differ in the prefix of their tables and in placeholders. */
import { encodingColumns } from './voice-rows.ts';

export type VoiceStatements = ReturnType<typeof voiceStatements>;

/** @param mark the placeholder of a parameter, counted from 1 */
export function voiceStatements(prefix: '' | 'svc_', mark: (number: number) => string) {
  const voices = `${prefix}voices`;
  const recordings = `${prefix}recordings`;
  const encodings = `${prefix}encodings`;
  const lexicons = `${prefix}lexicons`;
  const marks = (count: number): string => Array.from({ length: count }, (_, index) => mark(index + 1)).join(', ');
  const selectVoices = `SELECT ${voices}.*, ${recordings}.voice_id IS NOT NULL AS kept, ${lexicons}.entries AS lexicon
    FROM ${voices} LEFT JOIN ${recordings} ON ${recordings}.voice_id = ${voices}.id
    LEFT JOIN ${lexicons} ON ${lexicons}.voice_id = ${voices}.id`;
  const ofVoice = `FROM ${encodings} WHERE voice_id = ${mark(1)} ORDER BY role, fingerprint`;
  return {
    listVoices: `${selectVoices} ORDER BY ${voices}.id`,
    readVoice: `${selectVoices} WHERE ${voices}.id = ${mark(1)}`,
    removeVoice: `DELETE FROM ${voices} WHERE id = ${mark(1)}`,
    insertVoice: `INSERT INTO ${voices} VALUES (${marks(9)})`,
    insertLexicon: `INSERT INTO ${lexicons} VALUES (${marks(2)})`,
    insertRecording: `INSERT INTO ${recordings} VALUES (${marks(2)})`,
    /** By id and revision. */
    readRecording: `SELECT sample_rate, samples FROM ${voices} JOIN ${recordings} ON ${recordings}.voice_id = ${voices}.id
      WHERE id = ${mark(1)} AND revision = ${mark(2)}`,
    listEncodings: `SELECT ${encodingColumns} FROM ${encodings} ORDER BY role, fingerprint`,
    readEncodings: `SELECT ${encodingColumns} ${ofVoice}`,
    readPatches: `SELECT ${encodingColumns}, patches ${ofVoice}`,
    insertEncoding: `INSERT INTO ${encodings} (${encodingColumns}, patches) VALUES (${marks(9)})
      ON CONFLICT (voice_id, role, fingerprint) DO UPDATE SET model = excluded.model, sample_rate = excluded.sample_rate,
        patch_count = excluded.patch_count, patch_size = excluded.patch_size, feature_dim = excluded.feature_dim,
        patches = excluded.patches`,
  } as const;
}
