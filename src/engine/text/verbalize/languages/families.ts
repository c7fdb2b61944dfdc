/** Words, rules and classes that several languages share. */
import { tableOf } from '../../table.ts';
import { measures, unitOf } from '../classes/measures.ts';
import { money } from '../classes/money.ts';
import type { Found, Place, SemioticClass } from '../language.ts';
import { cursorAt, foundAt, inContext, isBehind, isNext, patternClass, reading, tokenClass } from '../place.ts';
import type { NumberWords } from './number-words.ts';
import { fill, type Gender } from './settings.ts';

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

const fiveDigits = /\d{5}(?=[ \u00a0]\p{Lu}\p{L})/uy;

/**
 * @param behind what comes before a postal code
 * @param meaningOf digit by digit, if not another way; undefined for what is none
 */
export const postalCodes = (
  behind: RegExp,
  meaningOf: (code: string, place: Place) => Found['meaning'] | string | undefined = (code) => ({
    kind: 'digits',
    groups: [code],
  }),
): SemioticClass => patternClass({ begins: 'digit', behind }, fiveDigits, ([code], place) => meaningOf(code, place));

/** @param pattern with the price as `{0}` */
export const pricesPerAmount = (pattern: string): SemioticClass => ({
  begins: 'digit',
  find(place) {
    const price = money.find(place, cursorAt(place));
    if (price?.meaning.kind !== 'money' || place.text[price.end] !== '/') return undefined;
    const behind = { ...place, start: price.end + 1 };
    const amount = measures.find(behind, cursorAt(behind));
    if (amount?.meaning.kind !== 'measure') return undefined;
    const { say } = place.language;
    const said = [say.money(price.meaning, place, price.end), say.measure(amount.meaning, behind, amount.end)];
    return foundAt({ text: place.text, at: amount.end }, fill(pattern, ...said.map((words) => words ?? '')));
  },
});

const dash = / ?(?:[-–—~～] ?(?=\d|오[전후]|午[前後]|[月火水木金土日](?:曜|(?!\p{L})))|[〜～](?=[\d\p{sc=Han}]))/uy;
const counted =
  /(?:[년월일시분초명개원층권장세살위회번年月日時分秒人個円階歳位回番週火水木金土曜旬代頃末]|일\([월화수목금토일]\)|日[(（][月火水木金土日][)）])$/u;
/** The wave dash stands behind any of these. */
const numbered = new RegExp(String.raw`${counted.source}|\d\p{sc=Han}{0,6}$`, 'u');

export const eastAsianRanges = patternClass(
  { begins: 'sign', signs: '-–—~～〜', behind: numbered },
  dash,
  ([dash], place, { at }) => {
    if (!/[〜～]/.test(dash) && !isBehind(place, counted)) return undefined;
    const to = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, at)?.trim() ?? '';
    return /\p{sc=Hangul}$/u.test(to) ? `${to} ` : to;
  },
);

/** `2月4日(土)`, `5월10일(금)` */
export const eastAsianDays = patternClass(
  { begins: 'sign', signs: '(（', behind: /[일日]$/u },
  /[(（](?:([月火水木金土日])|([월화수목금토일]))[)）]/uy,
  ([, day, weekday]) => (day === undefined ? ` ${weekday}요일` : `${day}曜日`),
);

/** Numbers agree with their nouns, which mostly show their gender. */
export const agreeing = inContext(
  ['cardinal-feminine', undefined, /\s\p{L}{2,20}as?(?!\p{L})/uy],
  ['cardinal-masculine', undefined, /\s\p{L}{4}/uy],
);

const ordinalNoun =
  /(?<=[°º])\s(?!(?:sotto|sopra|all|nord|sud|est|ovest|bajo|sobre|abaixo|acima|norte|sul|sur|este|oeste|para|por|com|con)(?!\p{L}))\p{Ll}{3}/uy;
/** `3° piano`, but `20° sotto zero`. */
const isOrdinal = ({ text }: Place, end: number): boolean => isNext(text, end, ordinalNoun);

const temperature =
  /(?<!\p{L})(?:(?:alcan[zç]|marc|super|regist|raggiun|tocc|sub|baj|baix|rond|ating|term[óo]m)\p{L}{1,8}|fiebre|febre|febbre|hacen?|hacía|faz|fazia|fa|temperaturas?|grados|graus|gradi|m[áà]?ximas?|m[íi]nimas?|massim[ae]|minim[ae]|[áa]ngul?os?|angol[oi]|unos|uns|circa|hasta|até|fino a|bajo|sobre|sotto|abaixo de|de|di|da|a|los|os|entre|tra|y|e)\s-?$/iu;
/** `28º` is an ordinal, unless it is a temperature. */
const isRaisedO = (place: Place, end: number): boolean => place.text[end - 1] === 'º' && !isBehind(place, temperature);

/** The gender of a noun behind one half, by its ending. */
export const halfNoun = inContext<Gender>(
  ['feminine', undefined, /\s(?!d[aeio]\s|d[’'])\p{Ll}{2,20}as?(?!\p{L})/uy],
  ['masculine', undefined, /\s(?!d[aeio]\s|d[’'])\p{Ll}{3}/uy],
);

/** Rules that Spanish and Portuguese share, and Italian in part. */
export const romanceRules = {
  counted: agreeing,
  halfNoun,
  isNoMeasure: (place: Place, end: number): boolean => isOrdinal(place, end) || isRaisedO(place, end),
};

const oneAndHalf =
  /([1-9]\d{0,2})(?: 1\/2|[ \u00a0]?½) (?!(?:del|dell[ae]|degli|dos|das|des|par[ae]?|por|pour|per|con|com|avec|dans|sur|que|più|más|plus|mais|los|las|les|est|sono|son|sin|sem|senza|sans|entre|tra|fra)(?!\p{L}))(\p{Ll}{3,20})(?![\p{L}.])/uy;
/** `2 1/4 heures` */
const hoursAndQuarter = /([1-9]\d{0,2}) ([13])\/4 (heures?|horas?|or[ae])(?!\p{L})/uy;
const singulars: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/(?<=[\p{L}](?<!foi|moi)[aeo]?)s$/u, ''],
  [/(?<=\p{L}{2})i$/u, 'o'],
];

/** `1 1/2 tazas`, where the half follows the noun: "una taza y media". */
export function halvesBehindNouns({ own, whole, formOf }: NumberWords): SemioticClass {
  const parts = tableOf(own.halfBehind ?? '', ',');
  return tokenClass(
    { begins: 'digit', digitsBefore: ['digits', 'mark', 'sign'] },
    reading(
      hoursAndQuarter,
      ([, digits = '', above = '', noun]) => `${whole(digits, formOf('feminine'))} ${noun} ${parts[above]}`,
    ),
    reading(oneAndHalf, ([, digits = '', noun = ''], place, { at }) => {
      if (unitOf(noun) !== undefined) return undefined;
      const gender = own.halfNoun?.(place, at - noun.length - 1) === 'feminine' ? 'feminine' : 'masculine';
      const one = singulars.reduce((word, [plural, singular]) => word.replace(plural, singular), noun);
      return `${whole(digits, formOf(gender))} ${digits === '1' ? one : noun} ${parts[gender]}`;
    }),
  );
}
