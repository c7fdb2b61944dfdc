/** Hints about lines of a dialogue whose speaker is none of the voices, so that another voice reads the name aloud. */
import { closest, didYouMean, quote } from '../../messages.ts';

/** One to three words and a colon, as `Ben:` or `**Dr. Ben**:`; not a time, nor an address. Bounded, so that it is linear. */
const label =
  /^[ \t]{0,20}(?:\*\*)?(\p{L}[^\s:：*[\]]{0,30}(?: [^\s:：*[\]]{1,30}){0,2})(?:\*\*)?[ \t]{0,5}[:：](?!\/\/)/gmu;
const mostHints = 10;

/**
 * One line for each such name that is probably a speaker: when a voice never speaks, or when the name begins several lines.
 *
 * @param spoken names of the voices that the script uses
 */
export function unknownSpeakers(
  text: string,
  voices: readonly string[],
  spoken: ReadonlySet<string | undefined>,
): readonly string[] {
  const known = new Set(voices.map((voice) => voice.toLowerCase()));
  const silent = voices.filter((voice) => !spoken.has(voice));
  const hint = (name: string): string => {
    // A voice that never speaks is the misspelled one, not the speaker of the text.
    const meant = closest(name, silent);
    if (meant !== undefined) return `; is ${quote(meant)} in the list of voices a misspelling of it?`;
    return didYouMean(name, voices);
  };
  const found = new Map<string, { readonly line: number; readonly lines: number }>();
  let line = 1;
  let counted = 0;
  for (const { 1: name = '', index } of text.matchAll(label)) {
    if (known.has(name.toLowerCase())) continue;
    line += text.slice(counted, index).split('\n').length - 1;
    counted = index;
    const before = found.get(name);
    found.set(name, before === undefined ? { line, lines: 1 } : { ...before, lines: before.lines + 1 });
  }
  const speakers = [...found].filter(([, { lines }]) => silent.length > 0 || lines > 1);
  return speakers.slice(0, mostHints).map(([name, place]) => {
    return `${quote(`${name}:`)} on line ${place.line} is read aloud, as no voice has that name${hint(name)}`;
  });
}
