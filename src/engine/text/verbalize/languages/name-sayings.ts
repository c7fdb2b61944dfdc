/** Numerals of names, signs, identifiers and addresses in words. */

import { tableOf } from '../../table.ts';
import { listWord } from '../classes/between-values.ts';
import type { Place, Sayings } from '../language.ts';
import { isBehind } from '../place.ts';
import type { NumberWords } from './number-words.ts';
import { fill, type Settings } from './settings.ts';
import type { UnitWords } from './unit-words.ts';

/** Names that kings, queens and popes have in many languages, by their beginnings. */
export const rulers =
  /(?<!\p{L})(?:Abd|Adri|Alb|Alf|Al[ie][kx]|Amad|Ana|Ann|Aug|Bald|Bea|Bene|Bol|Bon|Carl|Car[oó]l|Cat|Chris|Clem|Dar|Dom|Dua|Edu|Edw|Elis|Elż|Eman|Emm|Enri|Eri|Fel|Ferd?n|Ferdi|Fil|Franc|Franz|Fred|Fryd|Georg|Giac|Giorg|Giov|Gio|Greg|Grz|Gust|H[aåá][kr]|Hen[rn]|Henrik|Inn[oó]|Isab|Iv[aá]n|Jac|Jak|Jan|Jo[aã]o|Joh|Jorge|Jos|Ju[aá]n|Jul|Karl|Karol|Kat|Kaz|Ker|Klem|Konst|Krist|Le[oã]|Leop|Lou|Ludw|Lu[ií][sg]|Mag|Man[uo]|Marg|Mar[ií]a|Max|Maur|Meh|Mie|Mur|Napol|Nic|Nik|Ol[ao]v|Osc|Osk|Ott|Paol|Pau?l|Paw|Ped|Pi[eou]|Piot|Ram|Rod|Sanch|Sel|Sig|Sixt|Sofi|Stan|Step|Stef|Svend|Umb|Urb|Val|Vict|Vit|Vitt|Vlad|Wil|Wład|Zyg|Александ|Алексе|Анн|Василь|Генрих|Георг|Екатерин|Елизавет|Иван|Иоанн|Карл|Людовик|Наполеон|Никола|Павел|Павл|П[её]тр|Пи[йя]|Рамсес|Филипп|Фридрих|Вильгельм)\p{L}*\s$/u;
/** Form of a ruler's number by the ending of the name. */
function rulerForm({ ofMen = 'ordinal-masculine' }: Settings, { before }: Place): string {
  const isMasculine =
    /(?:Петр|Никола|Александр|Иван|Иоанн|Павл|Карл|Людовик|Генрих|Наполеон|Филипп|Jan|Zygmunt|August|Henryk|Karol|Piotr|Pawł|Stanisław|Władysław)(?:а|я|a)\s$/u.test(
      before,
    );
  if (isMasculine) return 'ordinal-masculine-genitive';
  const isFeminine = /(?:[aаыи]|Isabel|Beatri[xz])\s$/u.test(before);
  return isFeminine ? 'ordinal-feminine' : ofMen;
}

/** In the case of a queen's name: `Екатерины II`, as CLDR has no such form. */
const inCaseOfRuler = ({ inCaseOfQueen }: Settings, { before }: Place, ordinal: string): string =>
  inCaseOfQueen !== undefined && /[ыи]\s$/u.test(before) ? inCaseOfQueen(ordinal) : ordinal;

export function nameSayings(numbers: NumberWords, { perSign, sayUnit }: UnitWords) {
  const { own, minus, join, signed, spell, whole } = numbers;
  const { isUnspaced, to } = own;
  const [dot = numbers.point, at, slash, hyphen, underscore] = own.address?.split(', ') ?? [];
  const signWords: Readonly<Record<string, string | undefined>> = {
    ...tableOf(own.operators ?? '', ',', ' '),
    '+': own.plus,
    '=': own.equals,
    '-': minus,
    '−': minus,
    '×': own.by,
    to,
    '->': own.change ?? to,
  };
  return {
    telephone: ({ groups }) => groups.map(spell).join(', '),
    digits: ({ groups }) => groups.map(spell).join(', '),
    roman({ value, form }, place, end) {
      const said = whole(String(value));
      if (form !== 'ordinal') return said;
      if (own.ruler === undefined || !isBehind(place, rulers))
        return whole(String(value), own.centuryForm?.(place, end) ?? numbers.ordinalForm('', place));
      const ordinal = whole(String(value), numbers.firstForm(rulerForm(own, place), 'ordinal'));
      return fill(own.ruler, inCaseOfRuler(own, place, ordinal), said, String(value));
    },
    operator({ sign }, { before }) {
      if (sign === 'per') return perSign();
      if (sign === 'or') {
        const or = listWord(numbers.intlTag, 'disjunction');
        return isUnspaced ? or.trim() : or;
      }
      const word = signWords[sign];
      if (word === undefined || isUnspaced) return word;
      return `${before === '' || /\s$/.test(before) ? '' : ' '}${word} `;
    },
    power({ exponent, unit }, { before }) {
      // The unit of "per km²" has a name of its own.
      if (own.power === undefined || /(?<!\p{L})[kcm]?m$/u.test(before)) return undefined;
      const sign = exponent.startsWith('-') ? '-' : undefined;
      const raised = fill(own.power, signed(sign, /\d/.test(exponent) ? whole(exponent.replace(/\D/g, '')) : exponent));
      const counted = unit && sayUnit({ first: { whole: '5' } }, unit);
      return (isUnspaced || own.spacing === 'none' ? '' : ' ') + (counted?.replace(whole('5'), raised) ?? raised);
    },
    version: ({ parts, mask, port, release = [] }) =>
      join(
        parts.map((part) => whole(part)).join(!isUnspaced ? ` ${dot} ` : parts.length === 2 ? numbers.point : dot) +
          (port === undefined ? '' : `, ${whole(port)}`),
        ...(mask === undefined ? [] : [slash ?? '/', whole(mask)]),
        ...release.map((part) => (/\d/.test(part) ? whole(part) : part)),
      ),
    address({ text }) {
      if (own.address === undefined || text.startsWith('#')) return undefined;
      const names: Readonly<Record<string, string | undefined>> = {
        '.': dot,
        '@': at,
        '/': slash,
        '-': hyphen,
        _: underscore,
      };
      return text
        .replace(/^(?:https?|ftp|file):\/\//iu, '')
        .replace(/\/$/, '')
        .replaceAll('&', listWord(numbers.intlTag, 'conjunction'))
        .replace(/[.@/_-]/g, (sign) => (names[sign] === undefined ? sign : ` ${names[sign]} `))
        .replace(/\d{1,15}/g, (digits) => ` ${whole(digits)} `)
        .replace(/ {2,}/g, ' ')
        .trim();
    },
    code: ({ number }) => numbers.say(number),
    words: ({ spoken }) => spoken,
  } satisfies Partial<Sayings>;
}
