/** Gender, ordinals and halves in French, Italian, Portuguese and Spanish. */
import { tableOf } from '../../table.ts';
import { unitOf } from '../classes/measures.ts';
import type { Place, SemioticClass } from '../language.ts';
import { firstOf, isBehind, isNext, reading, tokenClass } from '../place.ts';
import type { NumberWords } from './number-words.ts';
import type { Gender } from './settings.ts';

/** Numbers agree with their nouns, which mostly show their gender. */
export function agreeing(text: string, end: number): string | undefined {
  if (isNext(text, end, /\s\p{L}{2,20}as?(?!\p{L})/uy)) return 'cardinal-feminine';
  return isNext(text, end, /\s\p{L}{4}/uy) ? 'cardinal-masculine' : undefined;
}

const ordinalNoun =
  /(?<=[°º])\s(?!(?:sotto|sopra|all|nord|sud|est|ovest|bajo|sobre|abaixo|acima|norte|sul|sur|este|oeste|para|por|com|con)(?!\p{L}))\p{Ll}{3}/uy;
/** `3° piano`, but `20° sotto zero`. */
const isOrdinal = ({ text }: Place, end: number): boolean => isNext(text, end, ordinalNoun);

const temperature =
  /(?<!\p{L})(?:(?:alcan[zç]|marc|super|regist|raggiun|tocc|sub|baj|baix|rond|ating|term[óo]m)\p{L}{1,8}|fiebre|febre|febbre|hacen?|hacía|faz|fazia|fa|temperaturas?|grados|graus|gradi|m[áà]?ximas?|m[íi]nimas?|massim[ae]|minim[ae]|[áa]ngul?os?|angol[oi]|unos|uns|circa|hasta|até|fino a|bajo|sobre|sotto|abaixo de|de|di|da|a|los|os|entre|tra|y|e)\s-?$/iu;
/** `28º` is an ordinal, unless it is a temperature. */
const isRaisedO = (place: Place, end: number): boolean => place.text[end - 1] === 'º' && !isBehind(place, temperature);

/** The gender of a noun behind one half, by its ending. */
export function halfNoun(text: string, end: number): Gender | undefined {
  if (isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{2,20}as?(?!\p{L})/uy)) return 'feminine';
  return isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{3}/uy) ? 'masculine' : undefined;
}

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
  const readings = firstOf(
    reading(
      hoursAndQuarter,
      ([, digits = '', above = '', noun]) => `${whole(digits, formOf('feminine'))} ${noun} ${parts[above]}`,
    ),
    reading(oneAndHalf, ([, digits = '', noun = ''], { text }, { at }) => {
      if (unitOf(noun) !== undefined) return undefined;
      const gender = own.halfNoun?.(text, at - noun.length - 1) === 'feminine' ? 'feminine' : 'masculine';
      const one = singulars.reduce((word, [plural, singular]) => word.replace(plural, singular), noun);
      return `${whole(digits, formOf(gender))} ${digits === '1' ? one : noun} ${parts[gender]}`;
    }),
  );
  return tokenClass({ begins: 'digit', digitsBefore: ['digits', 'mark', 'sign'] }, readings);
}
