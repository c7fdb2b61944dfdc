/** Signs of mathematics between and before numbers and names, and powers behind them. */

import type { SemioticClass } from '../language.ts';
import { foundAt, isNext, take } from '../place.ts';
import { readUnit } from './measures.ts';

/** Read wherever they are; others only next to a number. */
const always = new Set('≈≠≥≤±√∛∞÷×∑∏∫≡∝∈∉∪∩⊂⊃∀∃∴∂∇≪≫');
const operator = /[ \u00a0]?(>=|<=|!=|==|~=|[-−+=×÷*<>≈≠≥≤±√∛∞∑∏∫≡∝∈∉∪∩⊂⊃∀∃∴∂∇≪≫·⋅])[ \u00a0]?/y;
const operandBefore = /(?:[\p{N}%)°²³!]|(?<!\p{L})\p{L}|(?<=\p{sc=Han})[a-z])[ \u00a0]?$/u;
const operandBehind = /[-−]?(?:[\p{N}(√π∞.]|\p{Sc}\d|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\p{M}]))/uy;

export const operators: SemioticClass = {
  begins: ['sign'],
  find(place, cursor) {
    const { text, start, before } = place;
    const [, sign = ''] = take(cursor, operator) ?? [];
    if (sign === '' || /[+*=<>-]$/.test(before)) return undefined;
    const isBehindOperand = operandBefore.test(before);
    const isBeforeOperand = isNext(text, cursor.at, operandBehind);
    const isNumeric = /[\p{N}%)][ \u00a0]?$/u.test(before) || isNext(text, cursor.at, /[-−.]?[\p{N}√]|\p{Sc}\d/uy);
    const found = foundAt(cursor, { kind: 'operator', sign });
    if (always.has(sign))
      return isBehindOperand || isBeforeOperand || isNext(text, cursor.at, /[\p{L}\p{N}]/uy) ? found : undefined;
    if (sign === '<' || sign === '>') {
      return isNumeric && isNext(text, cursor.at, /[-−]?[\d.]|\p{Sc}\d|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])/uy)
        ? found
        : undefined;
    }
    // `2h 15m · 2023` is a list.
    if (sign === '·' && /\s/.test(text.slice(start, cursor.at)) && !isNext(text, cursor.at, equation)) return undefined;
    if (sign === '*' || sign === '·' || sign === '⋅')
      return /[\d)][ \u00a0]?$/.test(before) && isNext(text, cursor.at, /[\d(]/y) ? found : undefined;
    if (sign === '-' || sign === '−') {
      // `3x - 5` of a formula, and `x = -b`
      const isFormula = /[=^²³+±]/.test(before) && isNext(text, cursor.at, /\p{L}(?!\p{L})|[\d(]/uy);
      if (isFormula && /(?:[=±(] ?|(?<!\p{L})\p{L} ?|[²³)] ?)$/u.test(before)) return found;
      const isMinus = /[\d)²³] ?$/.test(before) && isNext(text, cursor.at, /[\d(]/y);
      if (isMinus && (isNext(text, cursor.at, equation) || /[=+×÷*] ?[\d.,]{1,12} ?$/.test(before))) return found;
      return sign === '−' && isBeforeOperand && isBehindOperand ? found : undefined;
    }
    // `€950 + utilities`
    if (sign === '+' && /\S $/.test(before) && isNext(text, start, /\+ [\p{L}\d]/uy)) return found;
    // `5+ years`, `18+`
    if (sign === '+' && /\d[kKMB]?$/.test(before) && isNext(text, start, /\+(?=[ \u00a0]\p{L}|$|[,.;:!?)])/uy)) {
      return { end: start + 1, meaning: { kind: 'words', spoken: ' plus' } };
    }
    // A hyphenated or quoted `=` or `+` is none.
    if (sign === '+' || sign === '=') {
      const isBetween = isBehindOperand && isBeforeOperand;
      // `n = k` and `timeout=30s`
      const isAssigned =
        sign === '=' &&
        ((/[\p{L}\d)] $/u.test(before) && /^[ \u00a0]?= /.test(text.slice(start, start + 3))) ||
          (/\p{L}$/u.test(before) && isNext(text, cursor.at, /\d/y)));
      // `a+b`
      const isOfLetters =
        isBetween && /(?<![\p{sc=Latn}\p{sc=Grek}])\p{Ll}$/u.test(before) && isNext(text, cursor.at, /\p{Ll}/uy);
      return (isBetween && isNumeric) ||
        isOfLetters ||
        (isBetween && /\s/.test(text[start - 1] ?? ' ')) ||
        isAssigned ||
        (isNumeric && isBeforeOperand && sign === '+')
        ? found
        : undefined;
    }
    return isBehindOperand || isBeforeOperand ? found : undefined;
  },
};
const equation = /\d{1,20}(?:\.\d{1,20})?(?: ?[-+×÷*/] ?\d{1,20}(?:\.\d{1,20})?){0,4} ?[=≈]/y;

/** Greek letters alone, as in formulas, by their names. */
export const greekLettersWith = (names: string): SemioticClass => {
  const spoken = new Map(
    names.split(' ').map((name, index) => [String.fromCodePoint(0x3b1 + index + (index > 16 ? 1 : 0)), name] as const),
  );
  return {
    begins: ['letter', 'sign'],
    beginsWith: (word) => /^[\u0370-\u03ff]/u.test(word),
    find({ text, start, before }) {
      const letter = text[start] ?? '';
      if (
        letter < '\u0391' ||
        letter > '\u03c9' ||
        /\p{sc=Grek}$/u.test(before) ||
        /[\p{sc=Grek}\p{M}]/u.test(text[start + 1] ?? '')
      )
        return undefined;
      if (letter === 'μ' && /[a-zA-Z]/.test(text[start + 1] ?? '')) return undefined;
      const name = spoken.get(letter.toLowerCase());
      return name === undefined ? undefined : { end: start + 1, meaning: { kind: 'words', spoken: name } };
    },
  };
};

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const raised =
  /([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,6}|\*\*[-−+]?\d{1,6}|\^(?:[-−+]?\d{1,6}|\{[-−+]?\d{1,6}\}|\([-−+]?\d{1,6}\)|\p{L}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])))(?!\d)/uy;

/** `x²`, `10^-3`, `10⁶`. */
export const powers: SemioticClass = {
  begins: ['sign'],
  signs: '⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉*^',
  find(place, cursor) {
    if (!/[\p{L}\p{N})]$/u.test(place.before)) return undefined;
    // `H₂O`
    const [lowered] = take(cursor, /[₀-₉]{1,4}/uy) ?? [];
    if (lowered !== undefined) {
      const whole = [...lowered].map((digit) => '₀₁₂₃₄₅₆₇₈₉'.indexOf(digit)).join('');
      return foundAt(cursor, { kind: 'code', number: { whole } });
    }
    const [, written] = take(cursor, raised) ?? [];
    if (written === undefined) return undefined;
    // A note's number behind a word is none.
    if (
      !/^[\^*]/.test(written) &&
      /\p{L}{3}$/u.test(place.before) &&
      !/(?:sin|cos|tan|cot|sec|log|exp)$/.test(place.before)
    )
      return foundAt(cursor, '');
    const exponent = [...written.replace(/[\^*{}()]/g, '')]
      .map((character) => {
        const digit = superscripts.indexOf(character);
        return digit === -1 ? character.replace('⁻', '-').replace('−', '-').replace('⁺', '') : String(digit);
      })
      .join('');
    // `3 × 10^8 m/s`
    const unit = /\d$/.test(place.before) ? readUnit(cursor, place.language) : undefined;
    return foundAt(cursor, { kind: 'power', exponent, unit });
  },
};
