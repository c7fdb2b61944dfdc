/** The voice store in one SQLite file, usable by several processes at once. */
import { randomUUID } from 'node:crypto';
import type { Audio } from '../audio/audio.ts';
import { SvcError } from '../errors.ts';
import { bytesOf, floatsOf } from '../float-arrays.ts';
import {
  closeDatabase,
  type Database,
  type OpenOptions,
  openDatabase,
  translateErrors,
  whenFree,
} from './sqlite-database.ts';
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

const selectVoices = `SELECT voices.*, recordings.voice_id IS NOT NULL AS kept, lexicons.entries AS lexicon
  FROM voices LEFT JOIN recordings ON recordings.voice_id = voices.id
  LEFT JOIN lexicons ON lexicons.voice_id = voices.id`;

/**
 * Opens or creates the store.
 *
 * @throws SvcError IO, BACKEND_UNAVAILABLE
 */
export async function openSqliteVoiceStore(path: string, options: OpenOptions = {}): Promise<VoiceStore> {
  const database = await openDatabase(path, options);
  let open = true;

  /**
   * Runs a transaction. `immediate` takes the write lock at the start, so that another writer cannot make it fail
   * later.
   */
  function transact<Result>(kind: 'deferred' | 'immediate', work: () => Result): Promise<Result> {
    const attempt = (): Result => {
      // The store may be closed while a call waits for another process.
      if (!open) throw new SvcError('IO', `the voice store ${path} is closed`);
      return database.transaction(work)[kind]();
    };
    return whenFree(path, attempt, options);
  }

  const put: VoiceStore['put'] = (voice, mode) =>
    transact('immediate', () => {
      const existing = readRow(database, voice.id);
      if (existing !== undefined && mode === 'create') {
        throw voiceExists(voice.id);
      }
      database.prepare('DELETE FROM voices WHERE id = ?').run(voice.id);
      insertVoice(database, voice, existing?.created_at);
      insertEncodings(database, voice.id, voice.encodings);
      return readRecord(database, voice.id) as VoiceRecord;
    });

  const get: VoiceStore['get'] = (id) =>
    transact('deferred', (): Voice | undefined => {
      const row = readRow(database, id);
      if (row === undefined) return undefined;
      const rows = database
        .prepare(`SELECT ${encodingColumns}, patches FROM encodings WHERE voice_id = ? ORDER BY role, fingerprint`)
        .all(id) as readonly PatchesRow[];
      return { ...recordOf(row, []), encodings: rows.map(voiceEncodingOf) };
    });

  const list: VoiceStore['list'] = () =>
    transact('deferred', () => {
      const voices = database.prepare(`${selectVoices} ORDER BY id`).all() as readonly VoiceRow[];
      const encodings = database
        .prepare(`SELECT ${encodingColumns} FROM encodings ORDER BY role, fingerprint`)
        .all() as readonly EncodingRow[];
      return recordsOf(voices, encodings);
    });

  const recording: VoiceStore['recording'] = (id, revision) =>
    transact('deferred', (): Audio | undefined => {
      const row = database
        .prepare(
          `SELECT sample_rate, samples FROM voices JOIN recordings ON recordings.voice_id = voices.id
          WHERE id = ? AND revision = ?`,
        )
        .get(id, revision) as { readonly sample_rate: number; readonly samples: Uint8Array } | undefined;
      return row && { samples: floatsOf(row.samples), sampleRate: row.sample_rate, channels: 1 };
    });

  const addEncodings: VoiceStore['addEncodings'] = (id, revision, encodings) =>
    transact('immediate', () => {
      if (readRow(database, id)?.revision !== revision) return false;
      insertEncodings(database, id, encodings);
      return true;
    });

  const remove: VoiceStore['remove'] = (id) =>
    transact('immediate', () => database.prepare('DELETE FROM voices WHERE id = ?').run(id).changes > 0);

  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    translateErrors(path, () => closeDatabase(database));
  };

  return { location: path, put, get, list, recording, addEncodings, remove, close, [Symbol.asyncDispose]: close };
}

const readRow = (database: Database, id: string): VoiceRow | undefined =>
  database.prepare(`${selectVoices} WHERE id = ?`).get(id) as VoiceRow | undefined;

function readRecord(database: Database, id: string): VoiceRecord | undefined {
  const row = readRow(database, id);
  const encodings = database
    .prepare(`SELECT ${encodingColumns} FROM encodings WHERE voice_id = ? ORDER BY role, fingerprint`)
    .all(id) as readonly EncodingRow[];
  return row && recordOf(row, encodings);
}

function insertVoice(database: Database, voice: NewVoice, createdAt: VoiceRow['created_at'] | undefined): void {
  const { id, text, lexicon, roles, recording, keepRecording } = voice;
  const now = Date.now();
  const [isPrompt, isReference] = [roles.includes('prompt'), roles.includes('reference')].map(Number);
  database
    .prepare('INSERT INTO voices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(
      id,
      randomUUID(),
      text ?? null,
      isPrompt,
      isReference,
      recording.sampleRate,
      recording.samples.length,
      createdAt ?? now,
      now,
    );
  const entries = lexiconText(lexicon);
  if (entries !== undefined) database.prepare('INSERT INTO lexicons VALUES (?, ?)').run(id, entries);
  if (keepRecording === 'keep') {
    database.prepare('INSERT INTO recordings VALUES (?, ?)').run(id, bytesOf(recording.samples));
  }
}

function insertEncodings(database: Database, id: string, encodings: readonly VoiceEncoding[]): void {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO encodings (${encodingColumns}, patches) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const encoding of encodings) {
    insert.run(...encodingValues(id, encoding));
  }
}
