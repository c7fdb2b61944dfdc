/** Resolves the voices named in a script. */
import type { ParsedRequest } from '../engine/parsed-request.ts';
import { longestVoiceName, type SynthesisRequest } from '../engine/request.ts';
import { placeOfVoice } from '../engine/script/voice-names.ts';
import { SvcError } from '../errors.ts';
import { quote, show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';
import type { VoiceCatalog } from './voice-catalog.ts';
import type { VoiceChoice } from './voice-choice.ts';
import type { VoiceRequest } from './voice-service.ts';

/** Names of voices by the names that a script uses. */
export type ScriptVoiceNames = Readonly<Record<string, string>>;

type Pair = readonly [name: string, voice: string];

function pairsOf(text: string): readonly Pair[] | undefined {
  const pairs = text.split(',').map(pairOf);
  return pairs.every(([name, voice]) => name && name.length <= longestVoiceName && voice) ? pairs : undefined;
}

function pairOf(text: string): Pair {
  // A regular expression would backtrack over white space.
  const at = text.indexOf('=');
  return at === -1 ? ['', ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** `Anna=anna,Ben=ben`; undefined for another text. */
export function voiceNamesOf(text: string): ScriptVoiceNames | undefined {
  const pairs = pairsOf(text);
  return pairs && Object.fromEntries(pairs);
}

/**
 * Reads `Anna=anna,Ben=ben`.
 *
 * @param field names the value in messages
 * @param others those that were given before
 * @throws SvcError INVALID_REQUEST, also for a speaker with two voices
 */
export function parseVoiceNames(text: string, field: string, others: ScriptVoiceNames = {}): ScriptVoiceNames {
  const pairs = pairsOf(text);
  if (pairs === undefined)
    throw invalid('pairs of a speaker and a voice such as Anna=anna,Ben=ben', field, show(text), { param: field });
  const known = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  for (const [name] of pairs) {
    if (known.has(name.toLowerCase())) throw requestError(`${field} names the speaker ${quote(name)} twice`, field);
    known.add(name.toLowerCase());
  }
  return { ...others, ...Object.fromEntries(pairs) };
}

/** Those that are given, and for the others that a script uses the voices of the same name. */
export const storedNames = (
  { voiceNames }: Pick<ParsedRequest, 'voiceNames'>,
  given: ScriptVoiceNames = {},
): ScriptVoiceNames =>
  Object.fromEntries(voiceNames.map((name) => [name, Object.hasOwn(given, name) ? (given[name] as string) : name]));

/** Voices by the names that a script uses. */
export type ScriptVoiceChoices = Readonly<Record<string, VoiceChoice>>;

interface ScriptVoices {
  /** Undefined for a script without named voices. */
  readonly voices: SynthesisRequest['voices'];
  readonly warnings: readonly string[];
}

export async function loadScriptVoices(
  catalog: VoiceCatalog,
  choices: ScriptVoiceChoices,
  signal: AbortSignal,
): Promise<ScriptVoices> {
  const voices = new Map<string, VoiceRequest>();
  const warnings: string[] = [];
  for (const [name, choice] of Object.entries(choices)) {
    const loaded = await catalog.load(choice, { signal });
    const { seed: _s, voices: _v, ...voice } = loaded.request;
    voices.set(name, voice);
    warnings.push(...loaded.warnings);
  }
  return { voices: voices.size === 0 ? undefined : Object.fromEntries(voices), warnings: [...new Set(warnings)] };
}

/**
 * @param choose finds a voice by its name, for the name that the script uses
 * @param script to say where it names a voice that there is not
 * @throws SvcError VOICE_NOT_FOUND
 */
export async function chooseScriptVoices(
  choose: (stored: string, name: string) => Promise<VoiceChoice>,
  names: ScriptVoiceNames,
  script?: Pick<ParsedRequest, 'script' | 'inputFormat'>,
): Promise<ScriptVoiceChoices> {
  const choices = new Map<string, VoiceChoice>();
  for (const [name, stored] of Object.entries(names)) {
    const choice = await choose(stored, name).catch((error: unknown) => {
      // Behind another name, the voice is one that the request lists.
      const isOfScript = script !== undefined && stored === name;
      throw isOfScript ? atPlace(error, placeOfVoice(script.script, script.inputFormat, name)) : error;
    });
    choices.set(name, choice);
  }
  return Object.fromEntries(choices);
}

function atPlace(error: unknown, place: string | undefined): unknown {
  if (place === undefined || !(error instanceof SvcError) || error.code !== 'VOICE_NOT_FOUND') return error;
  return new SvcError(error.code, `${place}: ${error.message}`, { param: error.param, cause: error.cause });
}
