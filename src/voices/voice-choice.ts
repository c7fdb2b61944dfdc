/** Resolves names of voices, for the command line, batches and HTTP. */

import { type LexiconEntry, overlayLexicon } from '../engine/lexicon/lexicon.ts';
import { SvcError } from '../errors.ts';
import { didYouMean, quote } from '../messages.ts';
import { requestError } from '../validation.ts';
import { type RecordedVoice, type RecordingFiles, readRecording } from './recorded-voices.ts';
import type { VoiceAliases } from './voice-aliases.ts';
import { ownVoiceId, parseVoiceId } from './voice-id.ts';
import { type NamedShare, parseVoiceMix } from './voice-mix.ts';
import type { Voice, VoiceRole, VoiceStore } from './voice-store.ts';

/** Sources of voices. */
export interface VoiceSources {
  readonly store: VoiceStore;
  /** Built-in voices; a stored voice of the same name takes precedence. */
  readonly presets: readonly (RecordedVoice | RecordingFiles)[];
  /** The user's files; a newer stored voice of the same name takes precedence. */
  readonly recordings?: readonly RecordingFiles[];
  /** Other names of voices, which take precedence over names of voices. */
  readonly aliases?: VoiceAliases | undefined;
  /** Voice for every name that would mean the model's own voice. */
  readonly defaultVoice?: string | undefined;
  /** Command or route that lists the voices, for messages. Default: the command. */
  readonly listing?: string | undefined;
}

/** The voice behind a name. */
export type VoiceChoice = (
  | { readonly kind: 'own'; readonly seed?: number }
  | {
      readonly kind: 'named';
      readonly id: string;
      readonly roles: readonly VoiceRole[];
      /** In place of the roles of the voice. */
      readonly as?: 'reference';
    }
  | { readonly kind: 'mixed'; readonly parts: readonly MixedVoice[] }
) & {
  /** Pronunciations of the voice. */
  readonly lexicon?: readonly LexiconEntry[] | undefined;
  /** BCP 47 tag of the language of the voice. */
  readonly language?: string | undefined;
};

export interface MixedVoice {
  readonly id: string;
  /** All shares of a mix together are 1. */
  readonly share: number;
}

export type FoundVoice =
  | { readonly origin: 'stored'; readonly voice: Voice }
  | { readonly origin: 'recorded'; readonly voice: RecordedVoice };

/**
 * Voice names of OpenAI's speech API, which its clients use by default. Unless a voice of that name is stored, each is
 * the model's own voice with a fixed seed, so that a name always gives the same speech.
 */
const publicNames = ['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable', 'marin', 'nova', 'onyx', 'sage'];
const publicVoices = [...publicNames, 'shimmer', 'verse'];

/** Whether a name means the model's own voice, unless a voice of that name is stored. */
export const isOwnVoice = (id: string): boolean => id === ownVoiceId || publicVoices.includes(id);

/**
 * @param name empty for the default; also a mix such as `anna(2)+ben(1)`
 * @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST
 */
export async function chooseVoice(name: string, sources: VoiceSources): Promise<VoiceChoice> {
  const { aliases, defaultVoice } = sources;
  const mix = parseVoiceMix(name);
  if (mix !== undefined) return chooseMix(mix, sources);
  const id = name === '' ? ownVoiceId : parseVoiceId(name);
  const target = aliases?.get(id);
  if (target !== undefined) return chooseByOwnName(target, sources);
  const choice = await chooseByOwnName(id, sources);
  return choice.kind === 'own' && defaultVoice !== undefined ? chooseByOwnName(defaultVoice, sources) : choice;
}

async function chooseMix(mix: readonly NamedShare[], sources: VoiceSources): Promise<VoiceChoice> {
  const parts: MixedVoice[] = [];
  let lexicon: readonly LexiconEntry[] | undefined;
  const languages = new Set<string | undefined>();
  for (const { name, share } of mix) {
    const choice = await chooseVoice(name, sources);
    if (choice.kind !== 'named') {
      throw requestError(`voice ${quote(name)} has no recording to mix: it is the voice of the model itself`);
    }
    parts.push({ id: choice.id, share });
    lexicon = overlayLexicon(choice.lexicon, lexicon);
    languages.add(choice.language);
  }
  // Voices of different languages have none in common.
  const [language] = languages.size === 1 ? languages : [];
  return { kind: 'mixed', parts, lexicon, language };
}

async function chooseByOwnName(id: string, sources: VoiceSources): Promise<VoiceChoice> {
  if (id === ownVoiceId) return { kind: 'own' };
  const found = await findAnyVoice(id, sources);
  if (found !== undefined)
    return { kind: 'named', id, roles: rolesOf(found), lexicon: lexiconOf(found), language: languageOf(found) };
  if (publicVoices.includes(id)) return { kind: 'own', seed: publicVoices.indexOf(id) + 1 };
  throw await voiceNotFound(id, sources, [ownVoiceId]);
}

/**
 * Checks the names that a server was started with.
 *
 * @throws SvcError VOICE_NOT_FOUND; CONFLICT for an alias that is the name of a voice
 */
export async function checkVoiceNames(sources: VoiceSources): Promise<void> {
  const { aliases = new Map(), defaultVoice } = sources;
  const named = [...aliases].map(([alias, target]) => [`--voice-alias ${alias}=${target}`, target] as const);
  const all =
    defaultVoice === undefined ? named : [...named, [`--default-voice ${defaultVoice}`, defaultVoice] as const];
  for (const [option, target] of all) {
    await chooseByOwnName(target, { ...sources, aliases: undefined, listing: undefined }).catch((error: unknown) => {
      throw error instanceof SvcError ? new SvcError(error.code, `${option}: ${error.message}`) : error;
    });
  }
  for (const [alias, target] of aliases) {
    if ((await findAnyVoice(alias, sources)) === undefined) continue;
    throw new SvcError('CONFLICT', `--voice-alias ${alias}=${target}: "${alias}" is the name of a voice`);
  }
}

/** Finds a voice in any source; undefined if there is none. */
export async function findAnyVoice(
  id: string,
  { store, presets, recordings = [] }: VoiceSources,
): Promise<FoundVoice | undefined> {
  const stored = await store.get(id);
  const recording = recordings.find((candidate) => candidate.id === id);
  const isOutdated = stored !== undefined && recording !== undefined && stored.updatedAt < recording.changedAt;
  if (stored !== undefined && !isOutdated) return { origin: 'stored', voice: stored };
  const recorded = recording ?? presets.find((candidate) => candidate.id === id);
  if (recorded === undefined) return undefined;
  return { origin: 'recorded', voice: 'text' in recorded ? recorded : await readRecording(recorded) };
}

/** Names of all recorded voices. */
export const recordedIds = ({ presets, recordings = [] }: VoiceSources): readonly string[] => [
  ...new Set([...recordings, ...presets].map(({ id }) => id)),
];

export const rolesOf = (found: FoundVoice): readonly VoiceRole[] =>
  found.origin === 'stored' ? found.voice.roles : ['prompt'];

const lexiconOf = (found: FoundVoice): readonly LexiconEntry[] | undefined =>
  found.origin === 'stored' ? found.voice.lexicon : undefined;

const languageOf = (found: FoundVoice): string | undefined =>
  found.origin === 'stored' ? found.voice.language : undefined;

/** Maximum number of names in the message. */
const shownNames = 8;

/** Lists the user's own voices before those that come with svc. @param others names that are possible too, to list first */
export async function voiceNotFound(
  id: string,
  sources: VoiceSources,
  others: readonly string[] = [],
): Promise<SvcError> {
  const { store, presets, recordings = [], aliases } = sources;
  const idsOf = (voices: readonly { readonly id: string }[]): readonly string[] => voices.map((voice) => voice.id);
  const own = [...idsOf(await store.list()), ...idsOf(recordings), ...(aliases?.keys() ?? [])].sort();
  const names = [...new Set([...others, ...own, ...idsOf(presets)])];
  const more = names.length > shownNames ? ', …' : '';
  const available =
    names.length === 0 ? 'none is available' : `available: ${names.slice(0, shownNames).join(', ')}${more}`;
  const hint = didYouMean(id, names);
  const listing = sources.listing ?? "'svc voices list'";
  return new SvcError('VOICE_NOT_FOUND', `unknown voice "${id}" (${available}; see ${listing})${hint}`);
}
