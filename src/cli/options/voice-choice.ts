/** Resolves voice options and environment variables to voices and their store. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SpeechSource } from '../../engine/speech-source.ts';
import { SvcError } from '../../errors.ts';
import { userFolder } from '../../files/user-folders.ts';
import { quote } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import type { ScriptVoiceNames } from '../../voices/script-voice-names.ts';
import type { chooseScriptVoices, ScriptVoiceChoices } from '../../voices/script-voices.ts';
import type { LoadedVoice } from '../../voices/voice-catalog.ts';
import type { FoundVoice, VoiceChoice, VoiceSources } from '../../voices/voice-choice.ts';
import type { VoiceStore } from '../../voices/voice-store.ts';
import type { Io } from '../io.ts';
import { printWarning } from '../output/messages.ts';
import { readVariable } from './environment-variables.ts';
import type { OutputOptions } from './output-options.ts';
import type { SpeechOptions, VoiceOptions } from './speech-options.ts';

export type VoiceStoreOptions = Pick<VoiceOptions, 'voiceDir'> & Pick<OutputOptions, 'quiet'>;

/** The folder of `--voice-dir` or `SVC_VOICE_DIR`. No other is open to requests: that of the store may hold all. */
export function namedVoiceFolder({ voiceDir }: VoiceStoreOptions, io: Pick<Io, 'environment'>): string | undefined {
  if (voiceDir === '') throw requestError('--voice-dir is empty: name a folder');
  const named = voiceDir ?? readVariable(io, 'SVC_VOICE_DIR');
  return named === undefined ? undefined : resolve(named);
}

/** The file of the voice store: `SVC_SQLITE_PATH`, else one in the named folder or in the user's data folder. */
export function voiceStorePath(options: VoiceStoreOptions, io: Pick<Io, 'environment'>): string {
  const folder = namedVoiceFolder(options, io) ?? userFolder('data');
  return resolve(readVariable(io, 'SVC_SQLITE_PATH') ?? join(folder, 'voices.sqlite'));
}

/**
 * Opens the voice store, creating it if needed: in PostgreSQL with `SVC_DATABASE_URL`, else in a file. A file that is not
 * there and can't be created, as without a writable home, is an empty store: the voices of svc need none.
 *
 * @param warn called with the reason for an empty store
 * @throws SvcError
 */
export async function openVoiceStore(
  options: VoiceStoreOptions,
  io: Io,
  warn: (reason: string) => void,
): Promise<VoiceStore> {
  try {
    return await openOrCreateStore(options, io);
  } catch (error) {
    if (!(await isAbsent(error, options, io))) throw error;
    const failure = withRemedy(error as SvcError);
    warn(`there are no stored voices, and none can be added: ${failure.message}`);
    const { createEmptyStore } = await import('../../voices/empty-store.ts');
    // Clients learn what to do, but no path.
    return createEmptyStore(
      voiceStorePath(options, io),
      new SvcError('BACKEND_UNAVAILABLE', `no voice can be added, as there is no voice store: ${storeRemedy}`, {
        cause: failure,
      }),
    );
  }
}

/** Whether a store was not opened because there is none, and no place for one. */
async function isAbsent(error: unknown, options: VoiceStoreOptions, io: Io): Promise<boolean> {
  if (databaseUrl(io) !== undefined || !(error instanceof SvcError) || error.code !== 'IO') return false;
  return (await stat(voiceStorePath(options, io)).catch(() => undefined)) === undefined;
}

/** Address of the database that stores voices instead of a file. */
export const databaseUrl = (io: Pick<Io, 'environment'>): string | undefined => readVariable(io, 'SVC_DATABASE_URL');

const storeRemedy = 'name a writable folder with --voice-dir, or a file with SVC_SQLITE_PATH';

const withRemedy = ({ code, message }: SvcError): SvcError => new SvcError(code, `${message}; ${storeRemedy}`);

async function openOrCreateStore(options: VoiceStoreOptions, io: Io): Promise<VoiceStore> {
  const path = voiceStorePath(options, io);
  const url = databaseUrl(io);
  // Loaded late: commands without voices need no database.
  if (url) return (await import('../../voices/postgres-store.ts')).openPostgresVoiceStore(url);
  if (readVariable(io, 'SVC_SQLITE_PATH') === undefined) await checkVoiceFolder(options, io);
  const { openSqliteVoiceStore } = await import('../../voices/sqlite-store.ts');
  return openSqliteVoiceStore(path);
}

async function checkVoiceFolder(options: VoiceStoreOptions, io: Io): Promise<void> {
  const folder = namedVoiceFolder(options, io);
  if (folder === undefined) return;
  const found = await stat(folder).catch(() => undefined);
  const name = options.voiceDir === undefined ? 'SVC_VOICE_DIR' : '--voice-dir';
  if (found?.isDirectory() === false) throw invalid('a folder', name, `the file ${quote(folder)}`);
}

/** Makes no folder out of a mistyped name for commands that only read voices. */
async function requireVoiceFolder({ voiceDir }: VoiceStoreOptions): Promise<void> {
  if (voiceDir === undefined || voiceDir === '') return;
  const found = await stat(voiceDir).catch(() => undefined);
  if (found === undefined) throw requestError(`--voice-dir: there is no folder ${quote(voiceDir)}`);
}

export type CommandVoices = ReturnType<typeof openVoices>;

/**
 * All voices that a command may name: stored ones, those in `--voice-dir`, and those that come with svc. Opens nothing yet:
 * most commands name no voice.
 */
export function openVoices(options: VoiceStoreOptions, io: Io) {
  let opening: Promise<VoiceSources> | undefined;
  async function open(): Promise<VoiceSources> {
    await requireVoiceFolder(options);
    const { listPresets, listRecordings } = await import('../../voices/recorded-voices.ts');
    const recordings = options.voiceDir === undefined ? [] : await listRecordings(options.voiceDir);
    const presets = await listPresets();
    const store = await openVoiceStore(options, io, (reason) => {
      if (!options.quiet) printWarning(reason, io);
    });
    return { store, presets, recordings };
  }
  return {
    /** Opens the voice store, which may be an empty one, once. @throws SvcError */
    sources(): Promise<VoiceSources> {
      opening ??= open();
      return opening;
    },
    async [Symbol.asyncDispose]() {
      const opened = await opening?.catch(() => undefined);
      await opened?.store.close();
    },
  };
}

/** Opens a voice store that voices can be added to. @throws SvcError also when there is none */
export async function openWritableVoices(options: VoiceStoreOptions, io: Io) {
  const store = await openOrCreateStore(options, io).catch(async (error: unknown) => {
    throw (await isAbsent(error, options, io)) ? withRemedy(error as SvcError) : error;
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

type ChosenOptions = VoiceOptions & VoiceStoreOptions & Pick<SpeechOptions, 'control' | 'inputFormat'>;

/** The voice that `--voice` names; undefined without it. @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND */
export async function chooseVoiceOption(
  options: ChosenOptions,
  voices: CommandVoices,
): Promise<VoiceChoice | undefined> {
  const { voice: name, promptAudio, promptText, referenceAudio, control } = options;
  if (name === undefined) {
    // A script may name voices too.
    if (options.voiceDir !== undefined && options.voices === undefined && options.inputFormat === undefined)
      throw requestError('--voice-dir needs --voice with the name of a voice');
    return undefined;
  }
  const others = { '--prompt-audio': promptAudio, '--prompt-text': promptText, '--reference-audio': referenceAudio };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) throw requestError(`--voice and ${other} cannot be combined`);
  const { parseVoiceId } = await import('../../voices/voice-id.ts');
  // Over HTTP, an empty name is the model's own voice; here it is a mistake.
  if (name === '') parseVoiceId(name);
  const choice = await chooseNamed(name, voices);
  if (control !== undefined && control.trim() !== '' && choice.kind === 'named' && choice.roles.includes('prompt')) {
    throw requestError(
      `--control cannot be combined with voice ${quote(name)}, which is prompt audio; add the voice with --reference only`,
    );
  }
  return choice;
}

async function chooseNamed(name: string, voices: CommandVoices): Promise<VoiceChoice> {
  const { chooseVoice } = await import('../../voices/voice-choice.ts');
  return chooseVoice(name, await voices.sources());
}

/** The voices that a script names. @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND */
export async function chooseNamedVoices(
  names: ScriptVoiceNames,
  script: Parameters<typeof chooseScriptVoices>[2],
  voices: CommandVoices,
): Promise<ScriptVoiceChoices> {
  const { chooseScriptVoices: choose } = await import('../../voices/script-voices.ts');
  return choose((name) => chooseNamed(name, voices), names, script);
}

/** Loads chosen voices with a model. */
export async function loadVoices(
  engine: SpeechSource,
  { own, named }: { readonly own: VoiceChoice | undefined; readonly named: ScriptVoiceChoices },
  voices: CommandVoices,
  signal: AbortSignal,
): Promise<LoadedVoice> {
  if (own === undefined && Object.keys(named).length === 0) return { request: {}, warnings: [] };
  const { createVoiceCatalog } = await import('../../voices/voice-catalog.ts');
  const catalog = createVoiceCatalog(engine, await voices.sources());
  const { request, warnings } = own ? await catalog.load(own, { signal }) : { request: {}, warnings: [] };
  const { loadScriptVoices } = await import('../../voices/script-voices.ts');
  const { voices: scripted, warnings: more } = await loadScriptVoices(catalog, named, signal);
  return { request: { ...request, voices: scripted }, warnings: [...warnings, ...more] };
}

/** Changes whenever the audio of a voice may change. @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND */
export async function voiceRevision(name: string, voices: CommandVoices): Promise<string> {
  const { findAnyVoice } = await import('../../voices/voice-choice.ts');
  const { recordedRevision } = await import('../../voices/recorded-voices.ts');
  const choice = await chooseNamed(name, voices);
  if (choice.kind === 'mixed') {
    const revisions = choice.parts.map(async ({ id, share }) => `${await voiceRevision(id, voices)} ${share}`);
    return (await Promise.all(revisions)).join('+');
  }
  const found = choice.kind === 'named' ? await findAnyVoice(choice.id, await voices.sources()) : undefined;
  if (found === undefined) return 'own';
  return found.origin === 'stored' ? found.voice.revision : recordedRevision(found.voice);
}

/** @throws SvcError INVALID_REQUEST, VOICE_NOT_FOUND */
export async function findVoiceOption(name: string, voices: CommandVoices): Promise<FoundVoice> {
  const { findAnyVoice, isOwnVoice, voiceNotFound } = await import('../../voices/voice-choice.ts');
  const { parseVoiceId } = await import('../../voices/voice-id.ts');
  const id = parseVoiceId(name);
  const sources = await voices.sources();
  const found = await findAnyVoice(id, sources);
  if (found !== undefined) return found;
  if (!isOwnVoice(id)) throw await voiceNotFound(id, sources);
  throw new SvcError('VOICE_NOT_FOUND', `voice ${quote(id)} is the model's own: there is no recording of it`);
}

export async function listVoices(voices: CommandVoices) {
  const { findAnyVoice, recordedIds } = await import('../../voices/voice-choice.ts');
  const sources = await voices.sources();
  const stored = await sources.store.list();
  const ids = recordedIds(sources).filter((id) => !stored.some((voice) => voice.id === id));
  const found = await Promise.all(ids.map((id) => findAnyVoice(id, sources)));
  const recorded = found.flatMap((voice) => (voice?.origin === 'recorded' ? [voice.voice] : []));
  return { stored, recorded };
}
