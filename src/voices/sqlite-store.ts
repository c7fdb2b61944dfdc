/** The voice store in one SQLite file, usable by several processes at once. */
import type { Audio } from '../audio/audio.ts';
import { SvcError } from '../errors.ts';
import { bytesOf } from '../float-arrays.ts';
import { show } from '../messages.ts';
import { invalid } from '../validation.ts';
import { checkedStore } from './checked-store.ts';
import {
  closeDatabase,
  type Database,
  damaged,
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

/**
 * Each value is read with its type: libsql ends the process for text that is not UTF-8, as a damaged file has it, even where a
 * number should be. Text comes as bytes.
 */
const sql = voiceStatements(
  '',
  () => '?',
  ({ table, column, kind }) => `CAST(${table}.${column} AS ${kind === 'integer' ? 'INTEGER' : 'BLOB'})`,
);

/**
 * Opens or creates the store.
 *
 * @throws SvcError INVALID_REQUEST, IO, BACKEND_UNAVAILABLE
 */
export async function openSqliteVoiceStore(path: string, options: OpenOptions = {}): Promise<VoiceStore> {
  if (typeof path !== 'string' || path === '') throw invalid('a file name', 'path', show(path), { param: 'path' });
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
      const rows = database
        .prepare(sql.readPatches)
        .all(id)
        .map(decoded<PatchesRow>);
      return { ...recordOf(row, []), encodings: rows.map(voiceEncodingOf) };
    });

  const list: VoiceStore['list'] = () =>
    transact('deferred', () => {
      const voices = database
        .prepare(sql.listVoices)
        .all()
        .map(decoded<VoiceRow>);
      const encodings = database
        .prepare(sql.listEncodings)
        .all()
        .map(decoded<EncodingRow>);
      return recordsOf(voices, encodings);
    });

  const recording: VoiceStore['recording'] = (id, revision) =>
    transact('deferred', (): Audio | undefined => {
      const row = database.prepare(sql.readRecording).get(id, revision);
      return row === undefined ? undefined : recordingOf(decoded<RecordingRow>(row));
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

  const store = {
    location: path,
    put,
    get,
    list,
    recording,
    addEncodings,
    remove,
    close,
    [Symbol.asyncDispose]: close,
  };
  return checkedStore(store);
}

function readRow(database: Database, id: string): VoiceRow | undefined {
  const row = database.prepare(sql.readVoice).get(id);
  return row === undefined ? undefined : decoded<VoiceRow>(row);
}

/** Columns whose bytes are none of a text. */
const bytesColumns = new Set(['samples', 'patches']);

/** A row with its texts. @throws SvcError IO for text that is not UTF-8 */
function decoded<Row>(row: unknown): Row {
  const values = Object.entries(row as Record<string, unknown>).map(([column, value]) => {
    const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
    if (!(bytes instanceof Uint8Array) || bytesColumns.has(column)) return [column, value];
    try {
      return [column, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)];
    } catch (cause) {
      throw damaged(`${column} of a voice is not UTF-8 text`, cause);
    }
  });
  return Object.fromEntries(values) as Row;
}

function readRecord(database: Database, id: string): VoiceRecord | undefined {
  const row = readRow(database, id);
  const encodings = database
    .prepare(sql.readEncodings)
    .all(id)
    .map(decoded<EncodingRow>);
  return row && recordOf(row, encodings);
}

function insertVoice(database: Database, voice: NewVoice, createdAt: VoiceRow['created_at'] | undefined): void {
  const { id, lexicon, language, recording, keepRecording } = voice;
  // SQLite has no booleans.
  const values = voiceValues(voice, createdAt).map((value) => (typeof value === 'boolean' ? Number(value) : value));
  database.prepare(sql.insertVoice).run(...values);
  const entries = lexiconText(lexicon);
  if (entries !== undefined) database.prepare(sql.insertLexicon).run(id, entries);
  if (language !== undefined) database.prepare(sql.insertLanguage).run(id, language);
  if (keepRecording === 'keep') database.prepare(sql.insertRecording).run(id, bytesOf(recording.samples));
}

function insertEncodings(database: Database, id: string, encodings: readonly VoiceEncoding[]): void {
  const insert = database.prepare(sql.insertEncoding);
  for (const encoding of encodings) {
    insert.run(...encodingValues(id, encoding));
  }
}
