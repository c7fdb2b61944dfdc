/** The statements of both voice stores, which differ in the prefix of their tables, in placeholders and in how values are read. */
import { encodingColumns } from './voice-rows.ts';

export interface Column {
  readonly table: string;
  readonly column: string;
  readonly kind: 'text' | 'integer' | 'bytes';
}

type Kinds = Readonly<Record<string, Column['kind']>>;

const ofVoices: Kinds = {
  id: 'text',
  revision: 'text',
  text: 'text',
  is_prompt: 'integer',
  is_reference: 'integer',
  sample_rate: 'integer',
  sample_count: 'integer',
  created_at: 'integer',
  updated_at: 'integer',
};
const ofEncodings: Kinds = {
  voice_id: 'text',
  role: 'text',
  fingerprint: 'text',
  model: 'text',
  sample_rate: 'integer',
  patch_count: 'integer',
  patch_size: 'integer',
  feature_dim: 'integer',
};

/**
 * @param mark the placeholder of a parameter, counted from 1
 * @param read an expression that reads a column
 */
export function voiceStatements(
  prefix: '' | 'svc_',
  mark: (number: number) => string,
  read: (column: Column) => string = ({ table, column }) => `${table}.${column}`,
) {
  const voices = `${prefix}voices`;
  const recordings = `${prefix}recordings`;
  const encodings = `${prefix}encodings`;
  const lexicons = `${prefix}lexicons`;
  const languages = `${prefix}voice_languages`;
  const marks = (count: number): string => Array.from({ length: count }, (_, index) => mark(index + 1)).join(', ');
  const columns = (table: string, kinds: Kinds): string =>
    Object.entries(kinds)
      .map(([column, kind]) => `${read({ table, column, kind })} AS ${column}`)
      .join(', ');
  const entries = read({ table: lexicons, column: 'entries', kind: 'text' });
  const tag = read({ table: languages, column: 'tag', kind: 'text' });
  const selectVoices = `SELECT ${columns(voices, ofVoices)}, ${recordings}.voice_id IS NOT NULL AS kept,
    ${entries} AS lexicon, ${tag} AS language
    FROM ${voices} LEFT JOIN ${recordings} ON ${recordings}.voice_id = ${voices}.id
    LEFT JOIN ${lexicons} ON ${lexicons}.voice_id = ${voices}.id
    LEFT JOIN ${languages} ON ${languages}.voice_id = ${voices}.id`;
  const selectEncodings = `SELECT ${columns(encodings, ofEncodings)}`;
  const ofVoice = `FROM ${encodings} WHERE ${encodings}.voice_id = ${mark(1)} ORDER BY ${encodings}.role, ${encodings}.fingerprint`;
  return {
    listVoices: `${selectVoices} ORDER BY ${voices}.id`,
    readVoice: `${selectVoices} WHERE ${voices}.id = ${mark(1)}`,
    removeVoice: `DELETE FROM ${voices} WHERE id = ${mark(1)}`,
    insertVoice: `INSERT INTO ${voices} VALUES (${marks(9)})`,
    insertLexicon: `INSERT INTO ${lexicons} VALUES (${marks(2)})`,
    insertLanguage: `INSERT INTO ${languages} VALUES (${marks(2)})`,
    insertRecording: `INSERT INTO ${recordings} VALUES (${marks(2)})`,
    /** Takes id and revision. */
    readRecording: `SELECT ${columns(voices, { sample_rate: 'integer' })}, ${columns(recordings, { samples: 'bytes' })}
      FROM ${voices} JOIN ${recordings} ON ${recordings}.voice_id = ${voices}.id
      WHERE ${voices}.id = ${mark(1)} AND ${voices}.revision = ${mark(2)}`,
    listEncodings: `${selectEncodings} FROM ${encodings} ORDER BY ${encodings}.role, ${encodings}.fingerprint`,
    readEncodings: `${selectEncodings} ${ofVoice}`,
    readPatches: `${selectEncodings}, ${columns(encodings, { patches: 'bytes' })} ${ofVoice}`,
    insertEncoding: `INSERT INTO ${encodings} (${encodingColumns}, patches) VALUES (${marks(9)})
      ON CONFLICT (voice_id, role, fingerprint) DO UPDATE SET model = excluded.model, sample_rate = excluded.sample_rate,
        patch_count = excluded.patch_count, patch_size = excluded.patch_size, feature_dim = excluded.feature_dim,
        patches = excluded.patches`,
  } as const;
}
