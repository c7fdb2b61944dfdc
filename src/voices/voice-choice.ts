/** What the name of a voice stands for, wherever it is given: on the command line, in a batch, over HTTP. */
import { didYouMean } from '../did-you-mean.ts';
import { SvcError } from '../errors.ts';
import { type RecordedVoice, type RecordingFiles, readRecording } from './recorded-voices.ts';
import { ownVoiceId, parseVoiceId } from './voice-id.ts';
import type { Voice, VoiceRole, VoiceStore } from './voice-store.ts';

/** Where voices are. */
export interface VoiceSources {
  readonly store: VoiceStore;
  /** Those that come with svc; a stored voice of the same name goes before one. */
  readonly presets: readonly (RecordedVoice | RecordingFiles)[];
  /** Files of the user's; a stored voice of the same name goes before one that is older. */
  readonly recordings?: readonly RecordingFiles[];
}

/** What a name stands for. */
export type VoiceChoice =
  | { readonly kind: 'own'; readonly seed?: number }
  | { readonly kind: 'named'; readonly id: string; readonly roles: readonly VoiceRole[] };

export type FoundVoice =
  | { readonly origin: 'stored'; readonly voice: Voice }
  | { readonly origin: 'recorded'; readonly voice: RecordedVoice };

/**
 * Voices of the public speech API, which its clients name by default. Unless one of that name is stored they are
 * the model's own voice, each with a seed of its own, so that a name gives the same speech each time.
 */
const publicNames = ['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable', 'marin', 'nova', 'onyx', 'sage'];
const publicVoices = [...publicNames, 'shimmer', 'verse'];

/**
 * @param offered what a message about an unknown name may name
 * @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST
 */
export async function chooseVoice(
  name: string,
  sources: VoiceSources,
  offered: VoiceSources = sources,
): Promise<VoiceChoice> {
  if (name === '' || name === ownVoiceId) return { kind: 'own' };
  const id = parseVoiceId(name);
  const found = await findAnyVoice(id, sources);
  if (found !== undefined) return { kind: 'named', id, roles: rolesOf(found) };
  if (publicVoices.includes(id)) return { kind: 'own', seed: publicVoices.indexOf(id) + 1 };
  throw await voiceNotFound(id, offered);
}

/** Undefined when no source has one of the name. */
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

/** Names of the voices that are files, each once. */
export const recordedIds = ({ presets, recordings = [] }: VoiceSources): readonly string[] => [
  ...new Set([...recordings, ...presets].map(({ id }) => id)),
];

export const rolesOf = (found: FoundVoice): readonly VoiceRole[] =>
  found.origin === 'stored' ? found.voice.roles : ['prompt'];

/** Names that the message has room for. */
const shownNames = 8;

export async function voiceNotFound(id: string, sources: VoiceSources): Promise<SvcError> {
  const stored = (await sources.store.list()).map((voice) => voice.id);
  const names = [...new Set([...stored, ...recordedIds(sources)])].sort();
  const more = names.length > shownNames ? ', …' : '';
  const available =
    names.length === 0 ? 'none is stored' : `available: ${names.slice(0, shownNames).join(', ')}${more}`;
  const hint = didYouMean(id, names);
  return new SvcError('VOICE_NOT_FOUND', `unknown voice "${id}" (${available}; see 'svc voices list')${hint}`);
}
