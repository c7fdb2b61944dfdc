/** The voice store in one SQLite file, usable by several processes at once. */
import type { Audio } from '../audio/audio.ts';
import { SvcError } from '../errors.ts';
import { bytesOf } from '../float-arrays.ts';
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

const sql = voiceStatements('', () => '?');

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
      database.prepare(sql.removeVoice).run(voice.id);
      insertVoice(database, voice, existing?.created_at);
      insertEncodings(database, voice.id, voice.encodings);
      return readRecord(database, voice.id) as VoiceRecord;
    });

  const get: VoiceStore['get'] = (id) =>
    transact('deferred', (): Voice | undefined => {
      const row = readRow(database, id);
      if (row === undefined) return undefined;
      const rows = database.prepare(sql.readPatches).all(id) as readonly PatchesRow[];
      return { ...recordOf(row, []), encodings: rows.map(voiceEncodingOf) };
    });

  const list: VoiceStore['list'] = () =>
    transact('deferred', () => {
      const voices = database.prepare(sql.listVoices).all() as readonly VoiceRow[];
      const encodings = database.prepare(sql.listEncodings).all() as readonly EncodingRow[];
      return recordsOf(voices, encodings);
    });

  const recording: VoiceStore['recording'] = (id, revision) =>
    transact('deferred', (): Audio | undefined => {
      const row = database.prepare(sql.readRecording).get(id, revision) as RecordingRow | undefined;
      return row && recordingOf(row);
    });

  const addEncodings: VoiceStore['addEncodings'] = (id, revision, encodings) =>
    transact('immediate', () => {
      if (readRow(database, id)?.revision !== revision) return false;
      insertEncodings(database, id, encodings);
      return true;
    });

  const remove: VoiceStore['remove'] = (id) =>
    transact('immediate', () => database.prepare(sql.removeVoice).run(id).changes > 0);

  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    translateErrors(path, () => closeDatabase(database));
  };

  return { location: path, put, get, list, recording, addEncodings, remove, close, [Symbol.asyncDispose]: close };
}

const readRow = (database: Database, id: string): VoiceRow | undefined =>
  database.prepare(sql.readVoice).get(id) as VoiceRow | undefined;

function readRecord(database: Database, id: string): VoiceRecord | undefined {
  const row = readRow(database, id);
  const encodings = database.prepare(sql.readEncodings).all(id) as readonly EncodingRow[];
  return row && recordOf(row, encodings);
}

function insertVoice(database: Database, voice: NewVoice, createdAt: VoiceRow['created_at'] | undefined): void {
  const { id, lexicon, recording, keepRecording } = voice;
  // SQLite has no booleans.
  const values = voiceValues(voice, createdAt).map((value) => (typeof value === 'boolean' ? Number(value) : value));
  database.prepare(sql.insertVoice).run(...values);
  const entries = lexiconText(lexicon);
  if (entries !== undefined) database.prepare(sql.insertLexicon).run(id, entries);
  if (keepRecording === 'keep') database.prepare(sql.insertRecording).run(id, bytesOf(recording.samples));
}

function insertEncodings(database: Database, id: string, encodings: readonly VoiceEncoding[]): void {
  const insert = database.prepare(sql.insertEncoding);
  for (const encoding of encodings) {
    insert.run(...encodingValues(id, encoding));
  }
}
