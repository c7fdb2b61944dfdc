/** The voice store in PostgreSQL, shared by any number of machines. */
import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Audio } from '../audio/audio.ts';
import { SvcError } from '../errors.ts';
import { bytesOf, floatsOf } from '../float-arrays.ts';
import { openPostgres } from './postgres-database.ts';
import { voiceExists } from './voice-id.ts';
import {
  type EncodingRow,
  encodingColumns,
  encodingValues,
  lexiconText,
  type PatchesRow,
  recordOf,
  recordsOf,
  type VoiceRow,
  voiceEncodingOf,
} from './voice-rows.ts';
import type { NewVoice, Voice, VoiceEncoding, VoiceRecord, VoiceStore } from './voice-store.ts';

const selectVoices = `SELECT svc_voices.*, svc_recordings.voice_id IS NOT NULL AS kept, svc_lexicons.entries AS lexicon
  FROM svc_voices LEFT JOIN svc_recordings ON svc_recordings.voice_id = svc_voices.id
  LEFT JOIN svc_lexicons ON svc_lexicons.voice_id = svc_voices.id`;
const encodingOrder = 'ORDER BY role, fingerprint';
/** All statements of the transaction see the same snapshot. */
const readAtOneMoment = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';

/**
 * Opens the store; creates missing tables.
 *
 * @param url such as `postgres://user:password@host:5432/database`
 * @throws SvcError INVALID_REQUEST, IO, BACKEND_UNAVAILABLE
 */
export async function openPostgresVoiceStore(url: string): Promise<VoiceStore> {
  const { location, transact: run, close: disconnect } = await openPostgres(url);
  let open = true;

  async function transact<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (!open) throw new SvcError('IO', `the voice store ${location} is closed`);
    return run(work);
  }

  const put: VoiceStore['put'] = (voice, mode) =>
    transact(async (client) => {
      // Concurrent puts of the same name wait, even if there is no row to lock yet.
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc voice ${voice.id}`]);
      const existing = await readRow(client, voice.id);
      if (existing !== undefined && mode === 'create') {
        throw voiceExists(voice.id);
      }
      await client.query('DELETE FROM svc_voices WHERE id = $1', [voice.id]);
      await insertVoice(client, voice, existing?.created_at);
      await insertEncodings(client, voice.id, voice.encodings);
      return (await readRecord(client, voice.id)) as VoiceRecord;
    });

  const get: VoiceStore['get'] = (id) =>
    transact(async (client): Promise<Voice | undefined> => {
      await client.query(readAtOneMoment);
      const row = await readRow(client, id);
      if (row === undefined) return undefined;
      const { rows } = await client.query<PatchesRow>(
        `SELECT ${encodingColumns}, patches FROM svc_encodings WHERE voice_id = $1 ${encodingOrder}`,
        [id],
      );
      return { ...recordOf(row, []), encodings: rows.map(voiceEncodingOf) };
    });

  const list: VoiceStore['list'] = () =>
    transact(async (client) => {
      await client.query(readAtOneMoment);
      const voices = await client.query<VoiceRow>(`${selectVoices} ORDER BY svc_voices.id`);
      const encodings = await client.query<EncodingRow>(
        `SELECT ${encodingColumns} FROM svc_encodings ${encodingOrder}`,
      );
      return recordsOf(voices.rows, encodings.rows);
    });

  const recording: VoiceStore['recording'] = (id, revision) =>
    transact(async (client): Promise<Audio | undefined> => {
      const { rows } = await client.query<{ readonly sample_rate: number; readonly samples: Buffer }>(
        `SELECT sample_rate, samples FROM svc_voices JOIN svc_recordings ON svc_recordings.voice_id = svc_voices.id
        WHERE id = $1 AND revision = $2`,
        [id, revision],
      );
      const [row] = rows;
      return row && { samples: floatsOf(row.samples), sampleRate: row.sample_rate, channels: 1 };
    });

  const addEncodings: VoiceStore['addEncodings'] = (id, revision, encodings) =>
    transact(async (client) => {
      if ((await lockRow(client, id))?.revision !== revision) return false;
      await insertEncodings(client, id, encodings);
      return true;
    });

  const remove: VoiceStore['remove'] = (id) =>
    transact(async (client) => ((await client.query('DELETE FROM svc_voices WHERE id = $1', [id])).rowCount ?? 0) > 0);

  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await disconnect();
  };

  return { location, put, get, list, recording, addEncodings, remove, close, [Symbol.asyncDispose]: close };
}

async function readRow(client: PoolClient, id: string): Promise<VoiceRow | undefined> {
  return (await client.query<VoiceRow>(`${selectVoices} WHERE svc_voices.id = $1`, [id])).rows[0];
}

/** Locks the voice against replacement and removal until the transaction ends. */
async function lockRow(client: PoolClient, id: string): Promise<VoiceRow | undefined> {
  const text = `${selectVoices} WHERE svc_voices.id = $1 FOR UPDATE OF svc_voices`;
  return (await client.query<VoiceRow>(text, [id])).rows[0];
}

async function readRecord(client: PoolClient, id: string): Promise<VoiceRecord | undefined> {
  const row = await readRow(client, id);
  const text = `SELECT ${encodingColumns} FROM svc_encodings WHERE voice_id = $1 ${encodingOrder}`;
  const { rows } = await client.query<EncodingRow>(text, [id]);
  return row && recordOf(row, rows);
}

async function insertVoice(
  client: PoolClient,
  voice: NewVoice,
  createdAt: VoiceRow['created_at'] | undefined,
): Promise<void> {
  const { id, text, lexicon, roles, recording, keepRecording } = voice;
  const now = Date.now();
  await client.query('INSERT INTO svc_voices VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    id,
    randomUUID(),
    text ?? null,
    roles.includes('prompt'),
    roles.includes('reference'),
    recording.sampleRate,
    recording.samples.length,
    createdAt ?? now,
    now,
  ]);
  const entries = lexiconText(lexicon);
  if (entries !== undefined) await client.query('INSERT INTO svc_lexicons VALUES ($1, $2)', [id, entries]);
  if (keepRecording === 'keep') {
    await client.query('INSERT INTO svc_recordings VALUES ($1, $2)', [id, bytesOf(recording.samples)]);
  }
}

async function insertEncodings(client: PoolClient, id: string, encodings: readonly VoiceEncoding[]): Promise<void> {
  for (const encoding of encodings) {
    await client.query(
      `INSERT INTO svc_encodings (${encodingColumns}, patches) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (voice_id, role, fingerprint) DO UPDATE SET model = excluded.model, sample_rate = excluded.sample_rate,
        patch_count = excluded.patch_count, patch_size = excluded.patch_size, feature_dim = excluded.feature_dim,
        patches = excluded.patches`,
      encodingValues(id, encoding),
    );
  }
}
