/** Amounts, fractions, names, signs and addresses in words. */
import { tableOf } from '../../table.ts';
import { listWord } from '../classes/between-values.ts';
import type { CompoundUnit, Meaning, Place, Sayings } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { isBehind, isNext } from '../place.ts';
import type { DateWords } from './date-words.ts';
import { isSaidPart } from './families.ts';
import type { NumberWords, UnitWords } from './number-words.ts';
import { fill, type Settings } from './settings.ts';

export function amountSayings(numbers: NumberWords, units: UnitWords, { sayYear }: DateWords) {
  const { own, join, say, whole, range, sayAmount } = numbers;
  const linked = (said: string, text: string, end: number): string =>
    own.linker !== undefined && isNext(text, end, /\s\p{L}/uy) ? own.linker(said) : said;
  return {
    cardinal({ amount }, place, end) {
      const { first, last, magnitude } = amount;
      const { text } = place;
      const isWhole = first.fraction === undefined;
      const isAlone = isWhole && last === undefined;
      const number = numberOf(last ?? first);
      const counted =
        magnitude === undefined && isWhole ? own.counted?.(place, end, number, last !== undefined) : undefined;
      if (counted !== undefined)
        return sayAmount(amount, counted) + (own.spaceBehindCount && !isNext(text, end, /\s/y) ? ' ' : '');
      const isYear = isAlone && typeof own.yearForm === 'function' && /^[12]\d{3}$/.test(first.whole);
      if (isYear && own.yearForm(place, end) !== undefined) return sayYear(first.whole, place, end);
      const isHundreds = isAlone && !first.grouped && /^1[1-9]\d\d$/.test(first.whole);
      const ofHundreds = isHundreds ? own.countedYears : undefined;
      return linked(sayAmount(amount, ofHundreds ?? numbers.inCase(amount, place, end)), text, end);
    },
    ordinal({ first, last, mark = '' }, place, end) {
      const form = numbers.ordinalForm(mark.trim(), place);
      const said = whole(first, form);
      return last === undefined ? (own.ordinalWord?.(said, mark, place, end) ?? said) : range(said, whole(last, form));
    },
    percent({ amount, mark }, place, end) {
      const unit = mark === '‰' ? 'permille' : 'percent';
      const form = numbers.genitive(amount, place, end);
      const pattern = units.nounPattern(unit, amount, form);
      if (pattern !== undefined && !/[%‰٪]/.test(pattern))
        return units.withPattern(pattern, sayAmount(amount, form ?? numbers.formOf(units.genderOf(unit))));
      return own.percent && join(sayAmount(amount), mark === '‰' ? '‰' : own.percent);
    },
    measure({ amount, unit }, place, end) {
      // `04h`
      const isPadded = /^0\d$/.test(amount.first.whole) && /^(?:hour|minute|second)$/.test(unit.of.id);
      const counted = isPadded ? { ...amount, first: { whole: amount.first.whole.slice(1) } } : amount;
      return units.sayUnit(counted, unit, numbers.genitive(amount, place, end));
    },
    measures: ({ parts }) => {
      const said = parts.map(([number, unit]) => units.sayUnit({ first: number }, { of: { id: unit } }));
      return said.includes(undefined) ? undefined : said.join(' ');
    },
    ratio({ numbers: written }) {
      const { gap, to } = numbers;
      const ofRange = own.isUnspaced ? ':' : ` ${to} `;
      const ofScore = own.score === '' ? gap : `${gap}${own.score}${gap}`;
      return written.map((number) => say(number)).join(own.score === undefined ? ofRange : ofScore);
    },
    dimensions({ numbers: written, unit }) {
      const { by } = own;
      const last = written.at(-1);
      if (by === undefined || last === undefined) return undefined;
      const end = unit === undefined ? say(last) : units.sayUnit({ first: last }, unit);
      return end && join(...written.slice(0, -1).flatMap((number) => [say(number), by]), end);
    },
    multiplier: ({ amount }) => own.times && join(sayAmount(amount), own.times),
  } satisfies Partial<Sayings>;
}

/** The number of one part, which an article stands for. */
const one = /^(?:une?|uno|um|eine?|een|en|et|én) /u;

export function fractionSaying(numbers: NumberWords, units: UnitWords): Sayings['fraction'] {
  const { own, join, signed, whole, formOf } = numbers;
  const { genderOf, nounPattern, withPattern } = units;
  const parts = tableOf(own.parts ?? '', ',');
  const halves = tableOf(own.halves ?? '', ',');
  const halfBehind = tableOf(own.halfBehind ?? '', ',');
  const sayFraction = fractionWords(numbers, parts, halves.masculine);
  const behindArticle = new RegExp(String.raw`(?<!\p{L})(?:${own.articles ?? '(?!)'})\s$`, 'iu');

  function percent(said: string): string | undefined {
    const pattern = nounPattern('percent', { first: { whole: '0', fraction: '5' } });
    if (pattern !== undefined && !/[%٪]/.test(pattern)) return withPattern(pattern, said);
    return own.percent && join(said, own.percent);
  }

  /** "una taza y media" */
  function withHalfBehind(digits: string, { of, per }: CompoundUnit): string | undefined {
    const pattern = nounPattern(of.id, { first: { whole: digits } });
    if (own.halfBehind === undefined || pattern === undefined || per !== undefined) return undefined;
    const gender = genderOf(of.id) === 'feminine' ? 'feminine' : 'masculine';
    return `${withPattern(pattern, whole(digits, formOf(gender)))} ${halfBehind[gender]}`;
  }

  return ({ unit, ...fraction }, place, end) => {
    const { above, below, whole: digits } = fraction;
    const isHalf = above === '1' && below === '2';
    const gender = unit === undefined ? own.halfNoun?.(place, end) : genderOf(unit.of.id);
    const half = isHalf && digits === undefined ? (halves[gender ?? ''] ?? halves.any) : undefined;
    const full = half === undefined ? sayFraction(fraction) : signed(fraction.sign, half);
    const isNamed = above === '1' && digits === undefined && isBehind(place, behindArticle);
    const said = isNamed ? full?.replace(one, '') : full;
    if (said === undefined || unit === undefined) return said;
    if (unit.of.id === 'percent') return percent(said);
    const behind = isHalf && digits !== undefined ? withHalfBehind(digits, unit) : undefined;
    if (behind !== undefined) return behind;
    // "a quarter of a liter"
    const isPart = digits === undefined && (own.halves !== undefined || own.partOf !== undefined);
    const pattern = nounPattern(unit.of.id, { first: isPart ? { whole: '1' } : { whole: '0', fraction: '5' } });
    const of = isPart && parts[below] !== undefined && own.partOf !== undefined ? `${said} ${own.partOf}` : said;
    const isSaid = unit.per === undefined && unit.of.power === undefined && pattern !== undefined;
    return isSaid ? withPattern(pattern, of) : undefined;
  };
}

function fractionWords(numbers: NumberWords, known: Readonly<Record<string, string>>, masculineHalf?: string) {
  const { own, join, whole, signed } = numbers;
  return ({ sign, whole: digits, above, below }: Omit<Meaning<'fraction'>, 'kind' | 'unit'>): string | undefined => {
    const mixed = (part: string): string => {
      if (digits === undefined) return signed(sign, part);
      const said = whole(digits);
      return signed(sign, own.mixed === undefined ? join(said, own.and ?? '', part) : fill(own.mixed, said, part));
    };
    const denominator = Number(below);
    const isProper = Number(above) < denominator && Number(above) > 0;
    const part = isSaidPart(denominator)
      ? own.part?.((form) => numbers.spellOut(form, denominator), denominator)
      : undefined;
    const parts = isProper ? (known[below] ?? part) : undefined;
    if (parts !== undefined) {
      const gender = own.partGender ?? (/a(?:\||$)/.test(parts) ? 'feminine' : 'masculine');
      const said = Number(above) <= Number(own.partsAlone ?? 0) ? '' : whole(above, numbers.formOf(gender));
      const named = numbers.agreeing(parts, { whole: above }, '');
      return mixed(own.partBelowFirst ? join(named, said) : join(said, named));
    }
    const [, demi] = /^un (demi)$/.exec(own.half ?? '') ?? ['', masculineHalf];
    const isHalf = above === '1' && below === '2';
    if (isHalf && digits !== undefined && own.and !== undefined && demi !== undefined) return mixed(demi);
    if (isHalf && own.half !== undefined) return mixed(own.half);
    if (own.over === undefined) return undefined;
    const [first, last] = own.fractionOrder === 'below first' ? [below, above] : [above, below];
    return mixed(join(whole(first), own.over, whole(last)));
  };
}

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
