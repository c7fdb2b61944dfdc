/** Roman numerals as ordinals: marked in German and French, as in `Ludwig XIV.` and `XXe siècle`, and of rulers and centuries elsewhere. */
import { romanValue } from '../classes/romans.ts';
import type { Place, SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { spellOut } from '../spell-out.ts';

const german = /([IVX]{1,7})\.(?=[ \u00a0,;:)]|$)/uy;
const germanRulers =
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
    const article = isBehind(place, germanRulers) ? 'der' : isBehind(place, queens) ? 'die' : undefined;
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

/** Names that kings, queens and popes have in many languages, by their beginnings. */
export const rulers =
  /(?<!\p{L})(?:Abd|Adri|Alb|Alf|Al[ie][kx]|Amad|Ana|Ann|Aug|Bald|Bea|Bene|Bol|Bon|Carl|Car[oó]l|Cat|Chris|Clem|Dar|Dom|Dua|Edu|Edw|Elis|Elż|Eman|Emm|Enri|Eri|Fel|Ferd?n|Ferdi|Fil|Franc|Franz|Fred|Fryd|Georg|Giac|Giorg|Giov|Gio|Greg|Grz|Gust|H[aåá][kr]|Hen[rn]|Henrik|Inn[oó]|Isab|Iv[aá]n|Jac|Jak|Jan|Jo[aã]o|Joh|Jorge|Jos|Ju[aá]n|Jul|Karl|Karol|Kat|Kaz|Ker|Klem|Konst|Krist|Le[oã]|Leop|Lou|Ludw|Lu[ií][sg]|Mag|Man[uo]|Marg|Mar[ií]a|Max|Maur|Meh|Mie|Mur|Napol|Nic|Nik|Ol[ao]v|Osc|Osk|Ott|Paol|Pau?l|Paw|Ped|Pi[eou]|Piot|Ram|Rod|Sanch|Sel|Sig|Sixt|Sofi|Stan|Step|Stef|Svend|Umb|Urb|Val|Vict|Vit|Vitt|Vlad|Wil|Wład|Zyg|Александ|Алексе|Анн|Василь|Генрих|Георг|Екатерин|Елизавет|Иван|Иоанн|Карл|Людовик|Наполеон|Никола|Павел|Павл|П[её]тр|Пи[йя]|Рамсес|Филипп|Фридрих|Вильгельм)\p{L}*\s$/u;
/** By the ending of the name. */
export function rulerForm(tag: string, { before }: Place): string {
  const isMasculine =
    /(?:Петр|Никола|Александр|Иван|Иоанн|Павл|Карл|Людовик|Генрих|Наполеон|Филипп|Jan|Zygmunt|August|Henryk|Karol|Piotr|Pawł|Stanisław|Władysław)(?:а|я|a)\s$/u.test(
      before,
    );
  if (isMasculine) return 'ordinal-masculine-genitive';
  const isFeminine = /(?:[aаыи]|Isabel|Beatri[xz])\s$/u.test(before);
  return isFeminine ? 'ordinal-feminine' : tag === 'da' ? 'ordinal-common' : 'ordinal-masculine';
}

/** In the case of a queen's name: `Екатерины II`, as CLDR has no such form. */
export const inCaseOfRuler = (tag: string, { before }: Place, ordinal: string): string =>
  tag === 'ru' && /[ыи]\s$/u.test(before) ? ordinal.replace(/ая$/, 'ой').replace(/ья$/, 'ьей') : ordinal;

/** The case of a century in Russian and Polish: `в XIX в.`, `XIX века`. */
export function centuryForm(tag: string, place: Place, end: number): string | undefined {
  if (tag !== 'ru' && tag !== 'pl') return undefined;
  const isIn = isBehind(place, tag === 'ru' ? /(?<!\p{L})(?:в|во|о)\s$/iu : /(?<!\p{L})(?:w|we|o)\s$/iu);
  if (isIn && !isNext(place.text, end, /\s(?:век|wiek)(?!\p{L})/uy))
    return tag === 'ru' ? 'ordinal-masculine-prepositional' : 'ordinal-masculine-locative';
  return isNext(place.text, end, /\s(?:века|wieku)(?!\p{L})/uy) ||
    isBehind(place, /(?<!\p{L})(?:с|до|от|начал\p{L}|конц\p{L}|середин\p{L}|od|do|z|końc\p{L}|początk\p{L})\s$/iu)
    ? 'ordinal-masculine-genitive'
    : undefined;
}
