/** Characters of a book that nobody speaks: damage, signs without sound, and letters of scripts that the book hardly has. */
import { cleanText } from '../engine/text/clean.ts';
import { scriptNames } from '../engine/text/scripts-of-letters.ts';
import { sanitizeLine, shorten } from '../messages.ts';

export interface OddCharacter {
  readonly character: string;
  /** Such as `U+FFFD`. */
  readonly code: string;
  /** Why it is listed: `damaged`, `silent`, or a script such as `Cyrillic`. */
  readonly kind: string;
  readonly count: number;
  /** The words around the first one. */
  readonly first: string;
}

const mostListed = 40;
/** Share of the letters below which those of a script are odd. */
const leastShare = 0.002;
/** Characters around the first one. */
const around = 20;

const plain = /[\t\n\r -~\u00a0]/;
const usual = /[\p{P}\p{Zs}\p{Sc}\p{Sm}\p{Nd}\p{M}\u00b0§©®™]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds them
const damage = /[\0-\u0008\u000e-\u001f\u007f-\u009f\ufffd]|\p{Co}|\p{Cs}/u;

export function createOddCharacters() {
  const seen = new Map<string, { count: number; readonly first: string }>();
  let letters = 0;
  return {
    read(text: string): void {
      let at = 0;
      for (const character of text) {
        const known = seen.get(character);
        if (known !== undefined) known.count += 1;
        else seen.set(character, { count: 1, first: text.slice(Math.max(0, at - around), at + around) });
        at += character.length;
      }
    },
    /** The most frequent first. */
    found(): readonly OddCharacter[] {
      for (const [character, { count }] of seen) if (/\p{L}/u.test(character)) letters += count;
      const scripts = new Map<string, number>();
      for (const [character, { count }] of seen) {
        const script = scriptOf(character);
        if (script !== undefined) scripts.set(script, (scripts.get(script) ?? 0) + count);
      }
      const kindOf = (character: string): string | undefined => {
        if (damage.test(character)) return 'damaged';
        if (plain.test(character) || usual.test(character)) return undefined;
        const script = scriptOf(character);
        if (script !== undefined) return (scripts.get(script) ?? 0) < letters * leastShare ? script : undefined;
        return cleanText(character).trim() === '' ? 'silent' : undefined;
      };
      return [...seen]
        .flatMap(([character, { count, first }]) => {
          const kind = kindOf(character);
          const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
          return kind === undefined
            ? []
            : [{ character, code: `U+${code}`, kind, count, first: shorten(sanitizeLine(first)) }];
        })
        .sort((one, other) => other.count - one.count)
        .slice(0, mostListed);
    },
  };
}

const scriptOf = (character: string): string | undefined =>
  /\p{L}/u.test(character) ? scriptNames([character])[0] : undefined;
