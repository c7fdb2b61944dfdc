/** Characters right after a number, by which most classes that can't match there are passed over. */

export type Follow =
  /** The end of the text, of a line or of a sentence; a comma. */
  | 'end'
  /** A period that isn't part of the number. */
  | 'point'
  /** A separator with more of the number behind it. */
  | 'number'
  /** A space with three digits, or with others. */
  | 'group'
  | 'digits'
  | 'word'
  /** A space with a sign. */
  | 'mark'
  | 'colon'
  | 'slash'
  | 'hyphen'
  /** A letter without a space. */
  | 'letter'
  | 'sign';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isDigitAt = (text: string, at: number): boolean => isDigit(text.charCodeAt(at));
const letter = /[\p{L}\p{M}]/u;
const isLetterAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  if (code < 128) return (code | 32) >= 97 && (code | 32) <= 122;
  return letter.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
};

const ofSigns = new Map<string, Follow>([
  ...[...':：∶'].map((sign) => [sign, 'colon'] as const),
  ...[...'/⁄∕'].map((sign) => [sign, 'slash'] as const),
  ...[...'-‐‑‒–—−~～〜…'].map((sign) => [sign, 'hyphen'] as const),
  ...[...'!?;。，、；？！\n\r'].map((sign) => [sign, 'end'] as const),
]);
const spaces = ' \u00a0\u2009\u202f\t\u3000';

/** The end of the digits that begin at a place. */
export function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigitAt(text, at)) at += 1;
  return at;
}

/** @param at behind the digits */
export function followOf(text: string, at: number): Follow {
  const next = text[at];
  if (next === undefined) return 'end';
  const behind = text.charCodeAt(at + 1);
  if (spaces.includes(next)) {
    if (Number.isNaN(behind) || behind === 10) return 'end';
    if (isDigit(behind)) return digitsEnd(text, at + 1) - at === 4 ? 'group' : 'digits';
    return isLetterAt(text, at + 1) ? 'word' : 'mark';
  }
  if (next === '.' || next === ',') {
    if (isDigit(behind)) return 'number';
    if (behind === 46) return 'hyphen';
    if (ofSigns.get(text[at + 1] ?? '') === 'hyphen') return 'sign';
    return next === '.' ? 'point' : 'end';
  }
  if (next === '_' && isDigit(behind)) return 'number';
  if ((next === "'" || next === '’') && digitsEnd(text, at + 1) - at === 4) return 'number';
  return ofSigns.get(next) ?? (isLetterAt(text, at) ? 'letter' : 'sign');
}
