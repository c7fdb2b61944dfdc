/** Denominators and decades, whose words are made of numbers. */
import type { Place } from '../language.ts';

/** Whether a number over this one is a fraction, rather than two numbers with a slash between them. */
export const isSaidPart = (below: number): boolean =>
  (below > 2 && below <= 12) || [15, 16, 20, 24, 25, 32, 50, 60, 64, 100, 1000].includes(below);

/** `quinto|quintos` */
export const plural = (part: string): string => `${part}|${part}s`;

/**
 * Digits of a decade in one word: tens alone, or hundreds and tens.
 *
 * @param hundred between these; the language's own word in years without it
 */
export function decadeOf({ language }: Place, digits: string, hundred?: string): string {
  const { spellOut, hasForm } = language.spelling;
  const form = hasForm('cardinal-neuter') ? 'cardinal-neuter' : 'cardinal';
  if (digits.length < 4) return spellOut(form, Number(digits)).replaceAll(' ', '');
  if (hundred === undefined) return spellOut(hasForm('numbering-year') ? 'numbering-year' : form, Number(digits));
  const [first, rest] = [Number(digits.slice(0, -2)), Number(digits.slice(-2))];
  return spellOut(form, first) + hundred + (rest === 0 ? '' : spellOut(form, rest));
}
