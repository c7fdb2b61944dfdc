/** Polish. */
import type { Place } from '../language.ts';
import { inContext, isBehind, isNext, patternClass } from '../place.ts';
import { pluralCategory } from '../spell-out.ts';
import { type Case, type LanguageSettings, pointBeforeNoun } from './settings.ts';

const genitiveBefore = /(?<!\p{L})(?:od|do|bez|około|ok\.|powyżej|poniżej|dla|spośród|wśród|oprócz|->)\s$/iu;
/** The case of a number, where a preposition or the ending of the noun behind it shows it; else the nominative, which all understand. */
const caseOf = inContext<Case>(
  ['genitive', genitiveBefore],
  ['instrumental', undefined, /\s\p{Ll}{2,20}ami(?!\p{L})/uy],
  // The locative has the form of the genitive.
  ['genitive', /(?<!\p{L})(?:w|we|na|o|po|przy)\s$/iu, /\s\p{Ll}{2,20}ach(?!\p{L})/uy],
);

/** `w XIX w.`, `XIX wieku` */
const centuryForm = inContext(
  ['ordinal-masculine-locative', /(?<!\p{L})(?:w|we|o)\s$/iu, /(?!\swiek(?!\p{L}))/uy],
  ['ordinal-masculine-genitive', undefined, /\sw(?:ieku|\.)(?!\p{L})/uy],
  ['ordinal-masculine-genitive', /(?<!\p{L})(?:od|do|z|końc\p{L}|początk\p{L})\s$/iu],
);

const polishYearBehind = /[ \u00a0]?(?:r\.|roku)(?!\p{L})/uy;
/** The form of a Polish year: `w 1998 roku`, `rok 1998`; else of the genitive, as in dates. */
const polishYear = inContext(
  ['ordinal-masculine-locative', /(?<!\p{L})(?:w|we|o|po)\s$/iu, polishYearBehind],
  ['ordinal-masculine', /(?<!\p{L})rok\s$/iu],
  ['ordinal-masculine-genitive', undefined, polishYearBehind],
);

/** `o 10:30` */
const polishHour = inContext(
  ['ordinal-feminine-locative', /(?<!\p{L})(?:o|po|od|do|około|ok\.|godz\.|godzin(?:ie|y))\s$/iu],
  ['ordinal-feminine'],
);

const masculineLocative = /\d{1,4}\. (?:piętrze|kwartale|etapie|sezonie|planie)(?!\p{L})/uy;
/** The form of a Polish ordinal by the noun behind it, and by a preposition before. */
function polishOrdinal(place: Place): string {
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

/** `00-123 Warszawa` */
const polishCodes = patternClass('digit', /(\d\d)-(\d{3})(?= \p{Lu}\p{L})/uy, ([code]) => ({
  kind: 'digits',
  groups: code.split('-'),
}));

/** `czynne 8–16`, `otwarte od 10 do 20` */
const openingHours = patternClass(
  {
    begins: 'digit letter',
    beginsWith: (word) => word === 'od',
    behind:
      /(?<!\p{L})(?:(?:nie)?czynn\p{L}{1,3}|otwart\p{L}{1,3}|godz\.|godzin\p{L}{0,4}(?: (?:otwarcia|pracy))?):?\s$/iu,
  },
  /(?:od )?([01]?\d|2[0-4])(?: ?[-–] ?| do )([01]?\d|2[0-4])(?![\d:%]|[.,]\d|[ \u00a0]?\p{L})/uy,
  ([, first, last]) => ({ kind: 'time', first: { hour: Number(first) }, last: { hour: Number(last) } }),
);

/** `1 1/2 godziny` before a feminine noun */
const oneAndHalf = patternClass(
  'digit',
  /1(?: 1\/2|[ \u00a0]?½)(?=[ \u00a0]\p{Ll}{3,20}[iy](?!\p{L}))/uy,
  () => 'półtorej',
);

/** Feminine nouns that are often counted, by their stems. */
const feminine =
  /[ \u00a0](?:osob|godzin|minut|sekund|dob|noc(?!leg)|kobiet|dziewczyn|stron|łyż|szklan|porcj|sztu|książ|lekcj|ton|rat|kropl|próbk|butelk|paczk|tablet|kapsuł|kaw|herbat|drog|klas|szkoł|grup|ofert|rund|bramk|ulic|gwiazd|wizyt)(?!\p{Ll}{0,2}ami)\p{Ll}{0,2}[eiy](?!\p{L})/uy;

/** `2–3 osoby`, whose last number is one of few: both in the case of the noun, without a word between them. */
const rangesOfFew = patternClass(
  'digit',
  /(\d{1,2}) ?[-–] ?(\d{1,2})(?=[ \u00a0]\p{Ll}{2,20}[aeiy](?!\p{L}))/uy,
  ([, first, last], place, { at }) => {
    const isFew = pluralCategory('pl', Number(last)) === 'few' && Number(first) < Number(last);
    if (!isFew || isBehind(place, genitiveBefore)) return undefined;
    const form = isNext(place.text, at, feminine) ? 'cardinal-feminine' : 'cardinal-masculine';
    return [first, last].map((digits) => place.language.spelling.spellOut(form, Number(digits))).join('-');
  },
);

/** `lata 80.`, `w latach 90.` */
function polishDecade(digits: string, place: Place): string | undefined {
  if (!isBehind(place, /(?<!\p{L})lat(?:a|ach|om|ami)?\s$/iu)) return undefined;
  const ordinal = place.language.spelling.spellOut('ordinal-masculine', Number(digits));
  const stop = isNext(place.text, place.start, /\d{2,4}\.\s*$/y) ? '.' : '';
  return (isBehind(place, /(?<!\p{L})lata\s$/iu) ? ordinal.replace(/y$/u, 'e') : `${ordinal}ch`) + stop;
}

/** `piątek` to "piątku", `sobota` to "soboty" */
const genitiveDay = (day: string): string => day.replace(/ek$/, 'ku').replace(/la$/, 'li').replace(/a$/, 'y');

export const rules: LanguageSettings = {
  words: `
    telephoneWords: tel|telefon; readsWeekdays: yes;
    weekdays: pn=poniedziałek|cz=czwartek|sb=sobota|nd=niedziela|ndz=niedziela; units: mies=month, godz=hour;
    parts: 4=czwarta|czwarte, 3=trzecia|trzecie; ruler: {0}; address: kropka, małpa, ukośnik, myślnik, podkreślenie; half: pół; to: do;
    rates: szt=sztukę, os=osobę, dob=dobę; dayForm: ordinal-masculine-genitive;
    dateYearForm: ordinal-masculine-genitive; clock: {0} {1}; hour: {0}; plus: plus; power: do potęgi {0}; equals: równa się; times: razy;
    by: na; over: przez; and: i; partGender: feminine; lastForm: cardinal-masculine-genitive;
    currencies: złotych=PLN; hundredths: PLN=grosz|grosze|groszy, EUR=cent|centy|centów, USD=cent|centy|centów; magnitudes:
    mln=milion|miliony|milionów|miliona, mld=miliard|miliardy|miliardów|miliarda, tys=tysiąc|tysiące|tysięcy|tysiąca,
    milionów=milionów, miliony=miliony, milion=milion, miliardów=miliardów;
    countedRomans: rozdział|tom|część|akt|scena|księga; home: PLN first;
  `,
  abbreviations: {
    inflected: {
      'godz.': [
        [/(?<!\p{L})o\s$/iu, 'godzinie'],
        [/(?<!\p{L})w\s$/iu, 'godzinach'],
        [/(?<!\p{L})(?:od|do|około|ok\.)\s$/iu, 'godziny'],
      ],
      'str.': [[/(?<!\p{L})na\s$/iu, 'stronie']],
    },
    open: 'np.=na przykład|tzn.=to znaczy|tj.=to jest|m.in.=między innymi|tzw.=tak zwany|ul.=ulica|al.=aleja|pl.=plac|wg=według|tel.=telefon|ds.=do spraw|św.=święty|jw.=jak wyżej',
    titles: 'dr=doktor|dr.=doktora|prof.=profesor|inż.=inżynier|mgr=magister|ks.=ksiądz|gen.=generał|red.=redaktor',
    numbered:
      'ok.=około|nr=numer|nr.=numer|godz.=godzina|str.=strona|s.=strona|rozdz.=rozdział|art.=artykuł|rys.=rysunek|r.=rok|t.=tom|pkt=punkt',
    behind: 'r.=roku|w.=wieku',
    closing:
      'itd.=i tak dalej|itp.=i tym podobne|p.n.e.=przed naszą erą|n.e.=naszej ery|tys.=tysięcy|mln.=milionów|mld.=miliardów',
  },
  caseOf,
  centuryForm,
  weekdayRange: (first, last) => `od ${genitiveDay(first)} do ${genitiveDay(last)}`,
  hours: [
    ['od', 'ordinal-feminine-locative'],
    ['do', 'ordinal-feminine-locative'],
  ],
  ordinalNouns: /\.[ \u00a0](?:piętro|miejsce|wojna|rocznica|wiek)/uy,
  country: / amerykańsk\p{L}*$/u,
  names: [oneAndHalf, polishCodes, openingHours, rangesOfFew],
  ordinals: pointBeforeNoun,
  ordinalForm: (_, place) => polishOrdinal(place),
  counted: ({ text }, end, number) =>
    (number === 1 && isNext(text, end, /\s\p{L}{2,20}[aę](?!\p{L})/uy)) ||
    (/(?<!1)2$/.test(String(number)) && isNext(text, end, feminine))
      ? 'cardinal-feminine'
      : undefined,
  yearForm: polishYear,
  hourForm: polishHour,
  mixed: (whole, part) => (whole === 'jeden' && part === 'pół' ? 'półtora' : `${whole} i ${part}`),
  part: (of) =>
    `${of('ordinal-feminine')}|${of('ordinal-feminine').replace(/a\b/gu, 'e')}|${of('ordinal-masculine').replace(/(?<=[yi])$/u, 'ch')}`,
  decades: {
    pattern: /((?:19|20)?[2-9]0)(\.|-(?:te|tych|tymi|e|ych))(?=\s\p{Ll}|\s?$|[,;)]|\s[IVX]{1,5}\s)/uy,
    say: (digits, _, place) => polishDecade(digits, place),
  },
  century: /\sw(?:iek|\.)/y,
  feminineCurrency: /(?:a|y|ów)$/u,
};
