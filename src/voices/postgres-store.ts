/** The voice store in PostgreSQL, shared by any number of machines. */
import type { PoolClient } from 'pg';
import type { Audio } from '../audio/audio.ts';
import { SvcError } from '../errors.ts';
import { bytesOf } from '../float-arrays.ts';
import { checkedStore } from './checked-store.ts';
import { openPostgres } from './postgres-database.ts';
import { voiceExists } from './voice-id.ts';
import {
  type EncodingRow,
  encodingValues,
  lexiconText,
  type PatchesRow,
  type RecordingRow,
  recordingOf,
  recordOf,
  recordsOf,
  type VoiceRow,
  voiceEncodingOf,
  voiceValues,
} from './voice-rows.ts';
import { voiceStatements } from './voice-statements.ts';
import type { NewVoice, Voice, VoiceEncoding, VoiceRecord, VoiceStore } from './voice-store.ts';

const sql = voiceStatements('svc_', (number) => `$${number}`);
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
      await client.query(sql.removeVoice, [voice.id]);
      await insertVoice(client, voice, existing?.created_at);
      await insertEncodings(client, voice.id, voice.encodings);
      return (await readRecord(client, voice.id)) as VoiceRecord;
    });

  const get: VoiceStore['get'] = (id) =>
    transact(async (client): Promise<Voice | undefined> => {
      await client.query(readAtOneMoment);
      const row = await readRow(client, id);
      if (row === undefined) return undefined;
      const { rows } = await client.query<PatchesRow>(sql.readPatches, [id]);
      return { ...recordOf(row, []), encodings: rows.map(voiceEncodingOf) };
    });

  const list: VoiceStore['list'] = () =>
    transact(async (client) => {
      await client.query(readAtOneMoment);
      const voices = await client.query<VoiceRow>(sql.listVoices);
      const encodings = await client.query<EncodingRow>(sql.listEncodings);
      return recordsOf(voices.rows, encodings.rows);
    });

  const recording: VoiceStore['recording'] = (id, revision) =>
    transact(async (client): Promise<Audio | undefined> => {
      const [row] = (await client.query<RecordingRow>(sql.readRecording, [id, revision])).rows;
      return row && recordingOf(row);
    });

  const addEncodings: VoiceStore['addEncodings'] = (id, revision, encodings) =>
    transact(async (client) => {
      if ((await lockRow(client, id))?.revision !== revision) return false;
      await insertEncodings(client, id, encodings);
      return true;
    });

  const remove: VoiceStore['remove'] = (id) =>
    transact(async (client) => ((await client.query(sql.removeVoice, [id])).rowCount ?? 0) > 0);

  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await disconnect();
  };

  const store = { location, put, get, list, recording, addEncodings, remove, close, [Symbol.asyncDispose]: close };
  return checkedStore(store);
}

async function readRow(client: PoolClient, id: string): Promise<VoiceRow | undefined> {
  return (await client.query<VoiceRow>(sql.readVoice, [id])).rows[0];
}

/** Locks the voice against replacement and removal until the transaction ends. */
async function lockRow(client: PoolClient, id: string): Promise<VoiceRow | undefined> {
  return (await client.query<VoiceRow>(`${sql.readVoice} FOR UPDATE OF svc_voices`, [id])).rows[0];
}

async function readRecord(client: PoolClient, id: string): Promise<VoiceRecord | undefined> {
  const row = await readRow(client, id);
  const { rows } = await client.query<EncodingRow>(sql.readEncodings, [id]);
  return row && recordOf(row, rows);
}

async function insertVoice(
  client: PoolClient,
  voice: NewVoice,
  createdAt: VoiceRow['created_at'] | undefined,
): Promise<void> {
  const { id, lexicon, language, recording, keepRecording } = voice;
  await client.query(sql.insertVoice, [...voiceValues(voice, createdAt)]);
  const entries = lexiconText(lexicon);
  if (entries !== undefined) await client.query(sql.insertLexicon, [id, entries]);
  if (language !== undefined) await client.query(sql.insertLanguage, [id, language]);
  if (keepRecording === 'keep') await client.query(sql.insertRecording, [id, bytesOf(recording.samples)]);
}

async function insertEncodings(client: PoolClient, id: string, encodings: readonly VoiceEncoding[]): Promise<void> {
  for (const encoding of encodings) await client.query(sql.insertEncoding, encodingValues(id, encoding));
}
