/** Pairs of a speaker and a voice, such as `Anna=anna,Ben=ben`. */
import { longestVoiceName } from '../engine/voice-fields.ts';
import { quote, show } from '../messages.ts';
import { invalid, requestError } from '../validation.ts';

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
