/** Rewriting rules of a language: patterns, applied in order. */
import type { Steps } from '../../../event-loop.ts';

/** The match and its groups. */
export type Groups = readonly (string | undefined)[];

/** A few characters on both sides of a match. */
export interface Surroundings {
  readonly before: string;
  readonly after: string;
}

export interface Rule {
  readonly pattern: RegExp;
  /** The replacement of a match; undefined keeps it. */
  readonly say: (groups: Groups, surroundings: Surroundings) => string | undefined;
}

/** A number with optional commas between thousands and a decimal point; one group. */
export const number = String.raw`(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`;

export const rule = (pattern: string, say: Rule['say']): Rule => ({ pattern: new RegExp(pattern, 'gu'), say });

/** Names as alternatives of a pattern, longest first. */
export const anyOf = (names: Readonly<Record<string, unknown>>): string =>
  Object.keys(names)
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replace(/[.$^/?+*()|[\]]/g, String.raw`\$&`))
    .join('|');

const reach = 8;

/** Replacements between two steps. */
const replacementsPerStep = 200;

export function* applyRules(rules: readonly Rule[], text: string): Steps<string> {
  let current = text;
  for (const { pattern, say } of rules) {
    let rewritten = '';
    let copied = 0;
    let count = 0;
    for (const match of current.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      const before = current.slice(Math.max(0, start - reach), start);
      const said = say(match, { before, after: current.slice(end, end + reach) }) ?? match[0];
      rewritten += current.slice(copied, start) + said;
      copied = end;
      count += 1;
      if (count % replacementsPerStep === 0) yield;
    }
    if (count > 0) current = rewritten + current.slice(copied);
    yield;
  }
  return current;
}
