/** A description of the voice or the style in parentheses, which VoxCPM 2 reads in front of the text. */

const parenthesised = /^\s*(?:\([^()（）]{1,400}\)|（[^()（）]{1,400}）)\s*/u;
/** `(1)`, `(a)` and `(iv)` number what follows. */
const enumerator = /^\s*[(（]\s*(?:[\d.]+|\p{Script=Latin}|[ivxlc]{1,5})\s*[)）]/iu;

export interface StyledText {
  /** With its parentheses and the white space after it; empty when there is none. */
  readonly style: string;
  readonly text: string;
}

/**
 * Separates a leading style from the text: each part of a long text needs it, and it is no speech.
 *
 * @example splitStyle('(calm, slow) Hello.') // { style: '(calm, slow) ', text: 'Hello.' }
 */
export function splitStyle(text: string): StyledText {
  const [style = ''] = parenthesised.exec(text) ?? [];
  // Parentheses alone are what is to be said.
  if (style === '' || style.length === text.length || enumerator.test(style)) return { style: '', text };
  return { style, text: text.slice(style.length) };
}
