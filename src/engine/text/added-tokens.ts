/** Finds added tokens in a text, like the `tokenizers` library. */

export interface AddedToken {
  readonly content: string;
  /** Matches only between characters that don't belong to words. */
  readonly single_word?: boolean | undefined;
  /** Takes the white space before it. */
  readonly lstrip?: boolean | undefined;
  /** Takes the white space after it. */
  readonly rstrip?: boolean | undefined;
  /** Searched in what is left when the others are found. */
  readonly normalized?: boolean | undefined;
}

export interface Section {
  /** An added token with the white space that it took, or the text between two. */
  readonly content: string;
  readonly isToken: boolean;
  /** Position in the text. */
  readonly start: number;
}

/** Creates a function that cuts a text at added tokens; of several at one position, the longest counts. */
export function addedTokenSplitter(tokens: readonly AddedToken[]): (text: string) => readonly Section[] {
  const first = sectionFinder(tokens.filter(({ normalized }) => !normalized));
  const second = sectionFinder(tokens.filter(({ normalized }) => normalized));
  return (text) =>
    first(text).flatMap((section) =>
      section.isToken
        ? [section]
        : second(section.content).map((inner) => ({ ...inner, start: section.start + inner.start })),
    );
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const word = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
const space = /\p{White_Space}/u;

/** Whether a word ends at `start` or begins at `end`. */
const touchesWord = (text: string, start: number, end: number): boolean =>
  // Two units hold the last character.
  word.test([...text.slice(Math.max(0, start - 2), start)].at(-1) ?? '') ||
  word.test(String.fromCodePoint(text.codePointAt(end) ?? 0));

function sectionFinder(tokens: readonly AddedToken[]): (text: string) => readonly Section[] {
  const byContent = new Map(tokens.map((token) => [token.content, token]));
  const longestFirst = [...byContent.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  return (text) => {
    const sections: Section[] = [];
    let end = 0;
    const pushText = (to: number): void => {
      if (to > end) sections.push({ content: text.slice(end, to), isToken: false, start: end });
    };
    for (const { 0: content, index } of byContent.size === 0 ? [] : text.matchAll(pattern)) {
      const token = byContent.get(content);
      let start = index;
      let after = index + content.length;
      if (token?.single_word && touchesWord(text, start, after)) continue;
      if (token?.lstrip) while (start > end && space.test(text.charAt(start - 1))) start -= 1;
      if (token?.rstrip) while (space.test(text.charAt(after))) after += 1;
      pushText(start);
      sections.push({ content: text.slice(start, after), isToken: true, start });
      end = after;
    }
    pushText(text.length);
    return sections;
  };
}
