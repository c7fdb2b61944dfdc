/** Decades of English. */
import type { SemioticClass } from '../../language.ts';
import { foundAt, isNext, take } from '../../place.ts';
import { cardinal } from './numbers.ts';

const tens = 'hundreds tens twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

function sayDecade([century, ten]: readonly [century: string, ten: string]): string {
  if (century === '') return tens[Number(ten)] ?? '';
  if (ten === '0' && Number(century) % 10 === 0) return `${cardinal(century.slice(0, 1))} thousands`;
  return `${cardinal(century)} ${tens[Number(ten)]}`;
}

const decade = /(?:(1\d|20)(\d)0['’]?s|['’]?([2-9])0['’]?s)(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d])/uy;
/** Before `30s` that are no seconds. */
const decadeCue =
  /(?<!\p{L})(?:(?:the|early|late|mid|her|his|their|my|our|your|its)[\s-](?:['’]?\d0s,? (?:and|or|to|through|&) )?|\d{4}s (?:and|or) )$/iu;
/** Things named by their decade: `80s music`. */
const ofDecade =
  /(?:-| )(?:music|movies?|films?|styles?|fashion|hits?|rock|pop|nostalgia|themed?|part(?:y|ies)|kids?|bab(?:y|ies)|era|cartoons?|hair|vibes?|classics?|sitcoms?|bands?|songs?|disco|playlists?|looks?|retro|outfits?|aesthetic)(?!\p{L})/uy;

export const decades: SemioticClass = {
  begins: ['digit', 'sign'],
  signs: "'’",
  digitsBefore: ['letter', 'sign'],
  find(place, cursor) {
    if (!place.isBorder) return undefined;
    const decades: (readonly [string, string])[] = [];
    while (decades.length < 2) {
      const [written = '', century = '', ten, alone = ''] = take(cursor, decade) ?? [];
      if (written === '') break;
      // `wait 30s`
      const isBare = decades.length === 0 && /^\d{2}s/.test(written);
      if (isBare && !decadeCue.test(place.before) && !isNext(place.text, cursor.at, ofDecade)) return undefined;
      // `2010's 308.7 million`, which 2010 had
      if (/['’]s$/.test(written) && isNext(place.text, cursor.at, / \d/y)) return undefined;
      decades.push([century, ten ?? alone]);
      if (!isNext(place.text, cursor.at, /[-–](?=['’]?\d{2,4}['’]?s)/y)) break;
      cursor.at += 1;
    }
    return decades.length === 0 ? undefined : foundAt(cursor, decades.map(sayDecade).join(' to '));
  },
};
