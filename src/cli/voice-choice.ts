/** From the options that name a voice and where voices are kept to the voice. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Engine } from '../engine/engine.ts';
import type { VoiceRequest } from '../voices/voice-service.ts';
import type { VoiceStore } from '../voices/voice-store.ts';
import type { Io } from './io.ts';
import { invalidOption, type VoiceOptions } from './options.ts';

export type VoiceStoreOptions = Pick<VoiceOptions, 'voiceDir'>;

const fileName = 'voices.sqlite';

/**
 * The folder of `--voice-dir`, or else of `SVC_VOICE_DIR`. Nothing but these opens a folder to requests: the one that the
 * voice store happens to lie in may hold anything.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function namedVoiceFolder(
  { voiceDir }: VoiceStoreOptions,
  { environment }: Pick<Io, 'environment'>,
): string | undefined {
  if (voiceDir === '') throw invalidOption('a folder', '--voice-dir', 'an empty text');
  const named = voiceDir ?? (environment.SVC_VOICE_DIR || undefined);
  return named === undefined ? undefined : resolve(named);
}

/**
 * The file of the voice store: `SVC_SQLITE_PATH`, which names the file itself; else `voices.sqlite` in the named folder,
 * or in the one where the system keeps a user's data.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function voiceStorePath(options: VoiceStoreOptions, io: Pick<Io, 'environment'>): string {
  const { environment } = io;
  const folder = namedVoiceFolder(options, io) ?? envPaths('svc', { suffix: '' }).data;
  return resolve(environment.SVC_SQLITE_PATH || join(folder, fileName));
}

/**
 * The voice store, which is made when it is not there: in PostgreSQL with `SVC_DATABASE_URL`, else in a file.
 *
 * @throws SvcError
 */
export async function openVoiceStore(options: VoiceStoreOptions, io: Io): Promise<VoiceStore> {
  const path = voiceStorePath(options, io);
  const url = io.environment.SVC_DATABASE_URL;
  // Loaded late: databases are of no concern to a command without voices.
  if (url) return (await import('../voices/postgres-store.ts')).openPostgresVoiceStore(url);
  if (!io.environment.SVC_SQLITE_PATH) await checkVoiceFolder(options, io);
  const { openSqliteVoiceStore } = await import('../voices/sqlite-store.ts');
  return openSqliteVoiceStore(path);
}

async function checkVoiceFolder(options: VoiceStoreOptions, io: Io): Promise<void> {
  const folder = namedVoiceFolder(options, io);
  const found = folder === undefined ? undefined : await stat(folder).catch(() => undefined);
  const name = options.voiceDir === undefined ? 'SVC_VOICE_DIR' : '--voice-dir';
  if (found !== undefined && !found.isDirectory()) throw invalidOption('a folder', name, 'a file');
}

/** Runs `work` on the voice store. */
export async function withVoices<Result>(
  options: VoiceStoreOptions,
  io: Io,
  work: (store: VoiceStore) => Promise<Result>,
): Promise<Result> {
  const store = await openVoiceStore(options, io);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * Checks `--voice` before a model is loaded.
 *
 * @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND
 */
export async function checkVoice(options: VoiceOptions, io: Io): Promise<void> {
  const { voice: name, promptAudio, promptText, referenceAudio, control } = options;
  if (name === undefined) {
    if (options.voiceDir !== undefined) throw invalidOption('--voice', '--voice-dir', 'none');
    return;
  }
  const others = { '--prompt-audio': promptAudio, '--prompt-text': promptText, '--reference-audio': referenceAudio };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) throw invalidOption('no other voice', '--voice', other);
  const { findVoice } = await import('../voices/voice-service.ts');
  const { roles } = await withVoices(options, io, (store) => findVoice(store, name));
  if (control !== undefined && control.trim() !== '' && roles.includes('prompt')) {
    throw invalidOption('a voice that is a reference only', '--control', `${name}, which is a prompt`);
  }
}

/** What `--voice` adds to a request; nothing without it. */
export async function chooseVoice(engine: Engine, options: VoiceOptions, io: Io): Promise<VoiceRequest> {
  const { voice: name } = options;
  if (name === undefined) return {};
  const { loadVoice } = await import('../voices/voice-service.ts');
  return withVoices(options, io, (store) => loadVoice(engine, store, name, { signal: io.signal }));
}
