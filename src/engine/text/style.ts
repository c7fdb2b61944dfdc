/** A description of voice or style in parentheses before the text, for VoxCPM 2. */

const parenthesised = /^\s*(?:\([^()（）]{1,400}\)|（[^()（）]{1,400}）)\s*/u;
/** `(1)`, `(a)` and `(iv)` are enumerators, not styles. */
const enumerator = /^\s*[(（]\s*(?:[\d.]+|\p{Script=Latin}|[ivxlc]{1,5})\s*[)）]/iu;

export interface StyledText {
  /** With its parentheses and following white space; empty if there is none. */
  readonly style: string;
  readonly text: string;
}

/**
 * Separates a leading style from the text: each part of a long text needs it, and it is not spoken.
 *
 * @example splitStyle('(calm, slow) Hello.') // { style: '(calm, slow) ', text: 'Hello.' }
 */
export function splitStyle(text: string): StyledText {
  const [style = ''] = parenthesised.exec(text) ?? [];
  // A text of only parentheses is to be spoken.
  if (style === '' || style.length === text.length || enumerator.test(style)) return { style: '', text };
  return { style, text: text.slice(style.length) };
}
