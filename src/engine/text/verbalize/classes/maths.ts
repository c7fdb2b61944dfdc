/** Signs of mathematics between and before numbers and names, and powers behind them. */
import type { SemioticClass } from '../language.ts';
import { isNext, patternClass, take, tokenClass } from '../place.ts';
import { readUnit } from './measures.ts';

/** Read wherever they are; others only next to a number. */
const always = new Set('≈≠≥≤±√∛∞÷×∑∏∫≡∝∈∉∪∩⊂⊃∀∃∴∂∇≪≫');
const operator = /[ \u00a0]?(>=|<=|!=|==|~=|[-−+=×÷*<>≈≠≥≤±√∛∞∑∏∫≡∝∈∉∪∩⊂⊃∀∃∴∂∇≪≫·⋅])[ \u00a0]?/y;
const operandBefore = /(?:[\p{N}%)°²³!]|(?<!\p{L})\p{L}|(?<=\p{sc=Han})[a-z])[ \u00a0]?$/u;
const operandBehind = /[-−]?(?:[\p{N}(√π∞.]|\p{Sc}\d|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{M}]))/uy;

export const operators = tokenClass('sign', (cursor, { text, start, before }) => {
  const [, sign = ''] = take(cursor, operator) ?? [];
  if (sign === '' || /[+*=<>-]$/.test(before)) return undefined;
  const next = (pattern: RegExp): boolean => isNext(text, cursor.at, pattern);
  const isBehindOperand = operandBefore.test(before);
  const isBeforeOperand = next(operandBehind);
  const isBetween = isBehindOperand && isBeforeOperand;
  const isNumeric = /[\p{N}%)][ \u00a0]?$/u.test(before) || next(/[-−.]?[\p{N}√]|\p{Sc}\d/uy);
  // `€950 + utilities`
  const isAdded = sign === '+' && /\S $/.test(before) && isNext(text, start, /\+ [\p{L}\d]/uy);
  // `5+ years`, `18+`
  const isMore = sign === '+' && /\d[kKMB]?$/.test(before) && isNext(text, start, /\+(?=[ \u00a0]\p{L}|$|[,.;:!?)])/uy);
  if (isMore && !isAdded) {
    cursor.at = start + 1;
    return ' plus';
  }
  const isSaid = (): boolean => {
    if (always.has(sign)) return isBehindOperand || isBeforeOperand || next(/[\p{L}\p{N}]/uy);
    if (sign === '<' || sign === '>')
      return isNumeric && next(/[-−]?[\d.]|\p{Sc}\d|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])/uy);
    // `2h 15m · 2023` is a list.
    if (sign === '·' && /\s/.test(text.slice(start, cursor.at)) && !next(equation)) return false;
    if (sign === '*' || sign === '·' || sign === '⋅') return /[\d)][ \u00a0]?$/.test(before) && next(/[\d(]/y);
    if (sign === '-' || sign === '−') {
      // `3x - 5` of a formula, and `x = -b`
      const isFormula = /[=^²³+±]/.test(before) && next(/\p{L}(?!\p{L})|[\d(]/uy);
      if (isFormula && /(?:[=±(] ?|(?<!\p{L})\p{L} ?|[²³)] ?)$/u.test(before)) return true;
      const isMinus = /[\d)²³] ?$/.test(before) && next(/[\d(]/y);
      if (isMinus && (next(equation) || /[=+×÷*] ?[\d.,]{1,12} ?$/.test(before))) return true;
      return sign === '−' && isBetween;
    }
    if (sign !== '+' && sign !== '=') return isBehindOperand || isBeforeOperand;
    if (isAdded || (sign === '+' && isNumeric && isBeforeOperand)) return true;
    // `n = k` and `timeout=30s`
    const isAssigned =
      sign === '=' &&
      ((/[\p{L}\d)] $/u.test(before) && /^[ \u00a0]?= /.test(text.slice(start, start + 3))) ||
        (/\p{L}$/u.test(before) && next(/\d/y)));
    // `a+b`; a hyphenated or quoted `=` or `+` is none.
    const isOfLetters = /(?<![\p{sc=Latn}\p{sc=Grek}])\p{Ll}$/u.test(before) && next(/\p{Ll}/uy);
    return isAssigned || (isBetween && (isNumeric || isOfLetters || /\s/.test(text[start - 1] ?? ' ')));
  };
  return isSaid() ? { kind: 'operator', sign } : undefined;
});
const equation = /\d{1,20}(?:\.\d{1,20})?(?: ?[-+×÷*/] ?\d{1,20}(?:\.\d{1,20})?){0,4} ?[=≈]/y;

/** Greek letters alone, as in formulas, by their names. */
export const greekLettersWith = (names: string): SemioticClass => {
  const spoken = new Map(
    names.split(' ').map((name, index) => [String.fromCodePoint(0x3b1 + index + (index > 16 ? 1 : 0)), name] as const),
  );
  const where = { beginsWith: (word: string) => /^[\u0370-\u03ff]/u.test(word), behind: /(?<!\p{sc=Grek})$/u };
  return patternClass(
    { begins: 'letter sign', ...where, isGlued: true },
    /[\u0391-\u03c9](?![\p{sc=Grek}\p{M}])(?<!\u03bc(?=[a-zA-Z]))/uy,
    ([letter]) => spoken.get(letter.toLowerCase()),
  );
};

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const raised =
  /([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,6}|\*\*[-−+]?\d{1,6}|\^(?:[-−+]?\d{1,6}|\{[-−+]?\d{1,6}\}|\([-−+]?\d{1,6}\)|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])))(?!\d)/uy;

/** `x²`, `10^-3`, `10⁶`. */
export const powers = tokenClass({ begins: 'sign', signs: '⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉*^' }, (cursor, place) => {
  if (!/[\p{L}\p{N})]$/u.test(place.before)) return undefined;
  // `H₂O`
  const [lowered] = take(cursor, /[₀-₉]{1,4}/uy) ?? [];
  if (lowered !== undefined) {
    const whole = [...lowered].map((digit) => '₀₁₂₃₄₅₆₇₈₉'.indexOf(digit)).join('');
    return { kind: 'code', number: { whole } };
  }
  const [, written] = take(cursor, raised) ?? [];
  if (written === undefined) return undefined;
  // A note's number behind a word is none.
  if (
    !/^[\^*]/.test(written) &&
    /\p{L}{3}$/u.test(place.before) &&
    !/(?:sin|cos|tan|cot|sec|log|exp)$/.test(place.before)
  )
    return '';
  const exponent = [...written.replace(/[\^*{}()]/g, '')]
    .map((character) => {
      const digit = superscripts.indexOf(character);
      return digit === -1 ? character.replace('⁻', '-').replace('−', '-').replace('⁺', '') : String(digit);
    })
    .join('');
  // `3 × 10^8 m/s`
  const unit = /\d$/.test(place.before) ? readUnit(cursor, place.language) : undefined;
  return { kind: 'power', exponent, unit };
});
