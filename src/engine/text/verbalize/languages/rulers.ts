/** Numerals of kings, queens and popes, which are ordinals in most languages. */
import type { Place } from '../language.ts';
import type { Settings } from './settings.ts';

/** Names that kings, queens and popes have in many languages, by their beginnings. */
export const rulers =
  /(?<!\p{L})(?:Abd|Adri|Alb|Alf|Al[ie][kx]|Amad|Ana|Ann|Aug|Bald|Bea|Bene|Bol|Bon|Carl|Car[oó]l|Cat|Chris|Clem|Dar|Dom|Dua|Edu|Edw|Elis|Elż|Eman|Emm|Enri|Eri|Fel|Ferd?n|Ferdi|Fil|Franc|Franz|Fred|Fryd|Georg|Giac|Giorg|Giov|Gio|Greg|Grz|Gust|H[aåá][kr]|Hen[rn]|Henrik|Inn[oó]|Isab|Iv[aá]n|Jac|Jak|Jan|Jo[aã]o|Joh|Jorge|Jos|Ju[aá]n|Jul|Karl|Karol|Kat|Kaz|Ker|Klem|Konst|Krist|Le[oã]|Leop|Lou|Ludw|Lu[ií][sg]|Mag|Man[uo]|Marg|Mar[ií]a|Max|Maur|Meh|Mie|Mur|Napol|Nic|Nik|Ol[ao]v|Osc|Osk|Ott|Paol|Pau?l|Paw|Ped|Pi[eou]|Piot|Ram|Rod|Sanch|Sel|Sig|Sixt|Sofi|Stan|Step|Stef|Svend|Umb|Urb|Val|Vict|Vit|Vitt|Vlad|Wil|Wład|Zyg|Александ|Алексе|Анн|Василь|Генрих|Георг|Екатерин|Елизавет|Иван|Иоанн|Карл|Людовик|Наполеон|Никола|Павел|Павл|П[её]тр|Пи[йя]|Рамсес|Филипп|Фридрих|Вильгельм)\p{L}*\s$/u;
/** Form of a ruler's number by the ending of the name. */
export function rulerForm({ ofMen = 'ordinal-masculine' }: Settings, { before }: Place): string {
  const isMasculine =
    /(?:Петр|Никола|Александр|Иван|Иоанн|Павл|Карл|Людовик|Генрих|Наполеон|Филипп|Jan|Zygmunt|August|Henryk|Karol|Piotr|Pawł|Stanisław|Władysław)(?:а|я|a)\s$/u.test(
      before,
    );
  if (isMasculine) return 'ordinal-masculine-genitive';
  const isFeminine = /(?:[aаыи]|Isabel|Beatri[xz])\s$/u.test(before);
  return isFeminine ? 'ordinal-feminine' : ofMen;
}

/** In the case of a queen's name: `Екатерины II`, as CLDR has no such form. */
export const inCaseOfRuler = ({ inCaseOfQueen }: Settings, { before }: Place, ordinal: string): string =>
  inCaseOfQueen !== undefined && /[ыи]\s$/u.test(before) ? inCaseOfQueen(ordinal) : ordinal;
