/** Words that the end of a line divides, where a text was typeset: elsewhere a hyphen there is one of a compound. */
import type { TextLines } from './text-lines.ts';

const divided = /[\p{L}\p{M}]-$/u;
const continued = /^\p{Ll}/u;
const compound = /[\p{L}\p{M}]{1,40}(?:-[\p{L}\p{M}]{1,40}){1,4}/gu;
/** Divided words, at least, and in a hundred lines. */
const [fewest, leastShare] = [3, 0.01];

/** Whether a word continues in the next line. */
export const endsDivided = (line: string, next: string): boolean => divided.test(line) && continued.test(next);

/** @returns whether the hyphen between two lines is none of the word */
export function hyphensOf(lines: TextLines): (line: string, next: string) => boolean {
  let count = 0;
  const compounds = new Set<string>();
  for (const [index, { text }] of lines.entries()) {
    if (endsDivided(text, lines[index + 1]?.text ?? '')) count += 1;
    if (text.includes('-')) for (const [word] of text.matchAll(compound)) compounds.add(word.toLowerCase());
  }
  if (count < Math.max(fewest, lines.length * leastShare)) return () => false;
  return (line, next) => {
    const [start = ''] = /[\p{L}\p{M}-]{1,80}$/u.exec(line.slice(-80)) ?? [];
    const [end = ''] = /^[\p{L}\p{M}]{1,40}/u.exec(next) ?? [];
    return !compounds.has(`${start}${end}`.toLowerCase());
  };
}
