/** Rewriting rules of a language: patterns, applied in order. */

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

export function applyRules(rules: readonly Rule[], text: string): string {
  let current = text;
  for (const { pattern, say } of rules) {
    const given = current;
    current = given.replace(pattern, (...parameters: unknown[]) => {
      const place = parameters.findLastIndex((parameter) => typeof parameter === 'number');
      const groups = parameters.slice(0, place) as Groups;
      const [start, match] = [parameters[place] as number, groups[0] as string];
      const end = start + match.length;
      return (
        say(groups, { before: given.slice(Math.max(0, start - reach), start), after: given.slice(end, end + reach) }) ??
        match
      );
    });
  }
  return current;
}
