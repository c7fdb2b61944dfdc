/** Gender and ordinals in Italian, Portuguese and Spanish. */
import type { Place } from '../language.ts';
import { isNext } from '../place.ts';
import type { Gender } from './settings.ts';

/** Spanish and Portuguese numbers agree with their nouns, which mostly show their gender. */
export function agreeing(text: string, end: number): string | undefined {
  if (isNext(text, end, /\s\p{L}{2,20}as?(?!\p{L})/uy)) return 'cardinal-feminine';
  return isNext(text, end, /\s\p{L}{4}/uy) ? 'cardinal-masculine' : undefined;
}

const ordinalNoun =
  /(?<=[°º])\s(?!(?:sotto|sopra|all|nord|sud|est|ovest|bajo|sobre|abaixo|acima|norte|sul|sur|este|oeste|para|por|com|con)(?!\p{L}))\p{Ll}{3}/uy;
/** `3° piano`, but `20° sotto zero`. */
export const isOrdinal = ({ text }: Place, end: number): boolean => isNext(text, end, ordinalNoun);

/** The gender of a noun behind one half, by its ending. */
export function romanceHalf(text: string, end: number): Gender | undefined {
  if (isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{2,20}as?(?!\p{L})/uy)) return 'feminine';
  return isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{3}/uy) ? 'masculine' : undefined;
}
