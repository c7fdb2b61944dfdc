/**
 * The case of a number, where a preposition, a suffix or the ending of the noun behind it tells. Undefined where they don't:
 * numbers then stay in the nominative, which every listener understands.
 */
import type { Place, SemioticClass } from '../language.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import { endsSentence } from '../sentence-ends.ts';
import { spellOut } from '../spell-out.ts';

/** What CLDR calls a case in the names of its forms. */
export type Case = 'genitive' | 'dative' | 'prepositional' | 'instrumental';

/** A preposition before a number, or the noun behind it up to its ending. */
interface Rules {
  readonly genitive: RegExp;
  readonly dative?: RegExp;
  readonly place: RegExp;
  readonly placeNoun: RegExp;
  readonly instrumentalNoun: RegExp;
}
const rules: Readonly<Record<string, Rules>> = {
  ru: {
    genitive:
      /(?<!\p{L})(?:от|до|из|без|около|ок\.|св\.|более|менее|свыше|больше|меньше|после|против|кроме|для|у)\s$/iu,
    dative: /(?<!\p{L})(?:к|ко)\s$/iu,
    place: /(?<!\p{L})(?:в|во|о|об|на|при)\s$/iu,
    placeNoun: /\s\p{Ll}{2,20}[ая]х(?!\p{L})/uy,
    instrumentalNoun: /\s\p{Ll}{2,20}[ая]ми(?!\p{L})/uy,
  },
  pl: {
    genitive: /(?<!\p{L})(?:od|do|bez|około|ok\.|powyżej|poniżej|dla|spośród|wśród|oprócz)\s$/iu,
    place: /(?<!\p{L})(?:w|we|na|o|po|przy)\s$/iu,
    placeNoun: /\s\p{Ll}{2,20}ach(?!\p{L})/uy,
    instrumentalNoun: /\s\p{Ll}{2,20}ami(?!\p{L})/uy,
  },
};

/** `с 5 до 10` */
const fromTo = /(?:[ \u00a0](?!до|по)\p{L}{1,9}\.?)?\s(?:до|по)\s\d/uy;
const behindFrom = /(?<!\p{L})(?:с|со)\s$/iu;
/** `21` agrees with its noun in gender. */
const endsInOne = /(?:^|[^1])1$/;

/** The case of a whole number before `end`. */
export function caseOf(tag: string, place: Place, end: number, digits: string): Case | undefined {
  const own = rules[tag];
  if (own === undefined || endsInOne.test(digits)) return undefined;
  const { text } = place;
  if (isBehind(place, own.genitive)) return 'genitive';
  if (tag === 'ru' && isBehind(place, behindFrom) && isNext(text, end, fromTo)) return 'genitive';
  if (own.dative !== undefined && isBehind(place, own.dative)) return 'dative';
  if (isNext(text, end, own.instrumentalNoun)) return 'instrumental';
  // Polish has the same form for both.
  if (isBehind(place, own.place) && isNext(text, end, own.placeNoun))
    return tag === 'pl' ? 'genitive' : 'prepositional';
  return undefined;
}

const behind = {
  accusative: /(?<!\p{L})(?:на|по)\s$/iu,
  dative: /(?<!\p{L})(?:к|ко)\s$/iu,
  place: /(?<!\p{L})(?:в|во|о|об)\s$/iu,
  placePolish: /(?<!\p{L})(?:w|we|o|po)\s$/iu,
  from: /(?<!\p{L})(?:с|со|от|до)\s$/iu,
  through: /(?<!\p{L})(?:по)\s$/iu,
  year: /(?<!\p{L})rok\s$/iu,
};
/** `по 15 год`, `до 2015 г.` */
const toYear = /\s(?:по|до)\s\d{4}\s(?:год|г\.)/uy;
const russianYearBehind = /[ \u00a0]?(гг?\.|год(?:у|а|ах|ов|ы)?)(?!\p{L})/uy;
const polishYearBehind = /[ \u00a0]?(?:r\.|roku)(?!\p{L})/uy;

/** The day of a Russian date: `к 5 мая`, `на 5 мая`, else `5 мая`. */
export const russianDay = (place: Place): string =>
  isBehind(place, behind.dative)
    ? 'ordinal-neuter-dative'
    : isBehind(place, behind.accusative)
      ? 'ordinal-neuter'
      : 'ordinal-neuter-genitive';

/** The form of a Russian year by what stands around it; undefined if it may be an amount. */
export function russianYear(place: Place, end: number): string | undefined {
  const { text } = place;
  if (isBehind(place, behind.from) && isNext(text, end, toYear)) return 'ordinal-masculine-genitive';
  const [, word] = take({ text, at: end }, russianYearBehind) ?? [];
  if (word === undefined) return undefined;
  if (word.endsWith('.')) return `ordinal-masculine${russianYearCase(place).form}`;
  if (word === 'год' || word === 'годы') return 'ordinal-masculine';
  if (word === 'года' || word === 'годов') return 'ordinal-masculine-genitive';
  return word === 'году' && isBehind(place, behind.dative)
    ? 'ordinal-masculine-dative'
    : 'ordinal-masculine-prepositional';
}

/** What `г.` and `гг.` stand for behind a year that begins here. */
function russianYearCase(place: Place): { readonly form: string; readonly word: string; readonly words: string } {
  if (isBehind(place, behind.place)) return { form: '-prepositional', word: 'году', words: 'годах' };
  if (isBehind(place, behind.dative)) return { form: '-dative', word: 'году', words: 'годам' };
  if (isBehind(place, behind.through) || isBehind(place, sentenceBegin))
    return { form: '', word: 'год', words: 'годы' };
  return { form: '-genitive', word: 'года', words: 'годов' };
}

const sentenceBegin = /(?:^|[.!?(]\s?)$/;
const yearWord = /(гг?)\.(?!\p{L})/uy;
const yearBefore = /\d{3,4}(?:[-–—]\d{2,4})?[ \u00a0]?$/;

/** `г.` behind a year. */
export const russianYearWords: SemioticClass = {
  name: 'Russian year',
  begins: ['letter'],
  find(place) {
    if (!isBehind(place, yearBefore)) return undefined;
    const cursor = cursorAt(place);
    const [, letters] = take(cursor, yearWord) ?? [];
    if (letters === undefined) return undefined;
    const { word, words } = russianYearCase({ ...place, before: place.before.replace(yearBefore, '') });
    const stop = endsSentence(place.text, cursor.at, 'any capital') ? '.' : '';
    return foundAt(cursor, { kind: 'words', spoken: (letters === 'г' ? word : words) + stop });
  },
};

/** The form of a Polish year: `w 1998 roku`, `rok 1998`; else of the genitive, as in dates. */
export function polishYear(place: Place, end: number): string | undefined {
  const isNamed = isNext(place.text, end, polishYearBehind);
  if (isNamed && isBehind(place, behind.placePolish)) return 'ordinal-masculine-locative';
  if (isBehind(place, behind.year)) return 'ordinal-masculine';
  return isNamed ? 'ordinal-masculine-genitive' : undefined;
}

const polishTime = /(?<!\p{L})(?:o|po|od|do|około|ok\.|godz\.|godzin(?:ie|y))\s$/iu;
/** `o 10:30` */
export const polishHour = (place: Place): string =>
  isBehind(place, polishTime) ? 'ordinal-feminine-locative' : 'ordinal-feminine';

/** Suffixes of Finnish behind a colon: `20:een`, `5 %:n`, `3:nnen`. */
const finnishCases: readonly (readonly [suffix: RegExp, form: string, percent: string])[] = [
  [/^n$/, 'cardinal-genitive', 'prosentin'],
  [/^(?:t?[aä])$/, 'cardinal-partitive', 'prosenttia'],
  [/^ss[aä]$/, 'cardinal-inessive', 'prosentissa'],
  [/^st[aä]$/, 'cardinal-elative', 'prosentista'],
  [/^ll[aä]$/, 'cardinal-adessive', 'prosentilla'],
  [/^lt[aä]$/, 'cardinal-ablative', 'prosentilta'],
  [/^lle$/, 'cardinal-allative', 'prosentille'],
  [/^ksi$/, 'cardinal-translative', 'prosentiksi'],
  [/^n[aä]$/, 'cardinal-essive', 'prosenttina'],
  [/^(?:[aeiouyäö]{1,2}|h[aeiouyäö])n$/, 'cardinal-illative', 'prosenttiin'],
  [/^s$/, 'ordinal', ''],
  [/^nnen$/, 'ordinal-genitive', ''],
  [/^nness[aä]$/, 'ordinal-inessive', ''],
];
const suffixed = /(\d{1,12})(?:([ \u00a0]?)%)?:(\p{Ll}{1,6})(?![\p{L}\p{N}])/uy;

export const finnishSuffixes: SemioticClass = {
  name: 'Finnish suffix',
  begins: ['digit'],
  find(place) {
    const cursor = cursorAt(place);
    const [, digits = '', percent, suffix = ''] = take(cursor, suffixed) ?? [];
    const known = finnishCases.find(([pattern]) => pattern.test(suffix));
    if (digits === '' || known === undefined || !place.isBorder) return undefined;
    const number = spellOut('fi', known[1], Number(digits));
    return foundAt(cursor, { kind: 'words', spoken: percent === undefined ? number : `${number} ${known[2]}` });
  },
};

/** Nouns that are often counted, by their stems, so that their endings tell the case. */
const finnishNoun =
  /\s(?:vuode|päivä|kuukaude|viiko|tunni|minuuti|sekunni|metri|kilometri|kilo|euro|dollari|prosenti|astee|henge|ihmise|henkilö|kappalee|miljoona|maa|kerra|askele|osa)(n|ssa|ssä|sta|stä|lla|llä|lta|ltä|lle|ksi)(?!\p{L})/uy;

/** The form of a Finnish number before such a noun. */
export function finnishForm(text: string, end: number): string | undefined {
  const [, ending] = take({ text, at: end }, finnishNoun) ?? [];
  return ending === undefined ? undefined : finnishCases.find(([pattern]) => pattern.test(ending))?.[1];
}

const masculineLocative = /\d{1,4}\. (?:piętrze|kwartale|etapie|sezonie|planie)(?!\p{L})/uy;
/** The form of a Polish ordinal by the noun behind it, and by a preposition before. */
export function polishOrdinal(place: Place): string {
  const [, ending = ''] =
    /^\d{1,4}\. \p{L}{1,20}?(ie|[aoeui]|em|[a-z])(?!\p{L})/u.exec(place.text.slice(place.start, place.start + 32)) ??
    [];
  if (/(?<!\p{L})(?:w|we|na|po|przy|o)\s$/iu.test(place.before))
    return /^u$|m$/.test(ending) || isNext(place.text, place.start, masculineLocative)
      ? 'ordinal-masculine-locative'
      : /[iey]$/.test(ending)
        ? 'ordinal-feminine-locative'
        : 'ordinal-masculine';
  return ending === 'a' ? 'ordinal-feminine' : /[oe]$/.test(ending) ? 'ordinal-neuter' : 'ordinal-masculine';
}
