/** Roman numerals that German and French mark as ordinals: `Ludwig XIV.`, `XXe siècle`. */
import { romanValue } from '../classes/romans.ts';
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { spellOut } from '../spell-out.ts';

const german = /([IVX]{1,7})\.(?=[ \u00a0,;:)]|$)/uy;
const rulers =
  /(?<!\p{L})(?:Ludwig|Karl|Friedrich|Wilhelm|Heinrich|Otto|Johannes|Franz|Georg|Philipp|Leopold|Maximilian|Ferdinand|Rudolf|Josef|Benedikt|Pius|Leo|Paul|Gregor|Nikolaus|Alexander|Peter|Iwan|Gustav|Christian|Harald|Albert|August|Napoleon|Eduard|Jakob|(?:König|Kaiser|Papst|Zar|Herzog|Fürst|Prinz)\s\p{Lu}\p{Ll}{2,20})\s$/u;
const queens =
  /(?<!\p{L})(?:Elisabeth|Katharina|Margarethe|Anna|Maria|(?:Königin|Kaiserin|Zarin)\s\p{Lu}\p{Ll}{2,20})\s$/u;
const nouns =
  /[ \u00a0](?:Weltkriege?s?|Akt|Teil|Abteilung|Quartal|Jahrhunderts?|Republik|Reich(?:e?s)?|Bundesliga|Liga|Internationale)(?!\p{L})/uy;
const dative = /(?<!\p{L})(?:im|am|vom|zum|dem|des|den|nach|vor|seit)\s$/iu;

/** After a ruler's name, and before a war or an act. */
export const germanRomans: SemioticClass = {
  name: 'German roman',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, letters = ''] = take(cursor, german) ?? [];
    const value = romanValue(letters);
    if (value === undefined) return undefined;
    if (isNext(place.text, cursor.at, nouns)) {
      const spoken = spellOut('de', isBehind(place, dative) ? 'ordinal-n' : 'ordinal', value);
      return foundAt(cursor, { kind: 'words', spoken });
    }
    const article = isBehind(place, rulers) ? 'der' : isBehind(place, queens) ? 'die' : undefined;
    if (article === undefined) return undefined;
    const ordinal = spellOut('de', 'ordinal', value).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
    const stop = isNext(place.text, cursor.at, /\s*$/y) ? '.' : '';
    return foundAt(cursor, { kind: 'words', spoken: `${article} ${ordinal}${stop}` });
  },
};

const french = /([IVXLC]{1,6})(er|re|ère|e|ème)(?![\p{L}\p{N}])/uy;

/** `XXe siècle`, `Ier`, `Ve République`. */
export const frenchCenturies: SemioticClass = {
  name: 'French roman',
  begins: ['letter'],
  find(place) {
    if (!place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, letters = '', mark = ''] = take(cursor, french) ?? [];
    const value = romanValue(letters);
    if (value === undefined || (mark === 'e' && (letters === 'C' || letters === 'L'))) return undefined;
    const form = /^(?:re|ère)$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine';
    return foundAt(cursor, { kind: 'words', spoken: spellOut('fr', form, value) });
  },
};
