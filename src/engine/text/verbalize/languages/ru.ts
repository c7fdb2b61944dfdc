/** Russian. */
import { tableOf } from '../../table.ts';
import type { Place } from '../language.ts';
import { endsSentence, inContext, isBehind, isNext, patternClass, take } from '../place.ts';
import { pluralCategory, type Spelling } from '../spell-out.ts';
import type { Case, LanguageSettings } from './settings.ts';

const decimalEndings: Readonly<Record<string, readonly [one: string, many: string]>> = {
  '-genitive': ['ой', 'ых'],
  '-dative': ['ой', 'ым'],
  '-instrumental': ['ой', 'ыми'],
  '-prepositional': ['ой', 'ых'],
};
/** `3,5` to "три целых пять десятых", and "трех целых пяти десятых" in the genitive. */
function russianDecimal({ spellOut }: Spelling, whole: string, fraction: string, ofNumber: string): string | undefined {
  const parts = ['десят', 'сот', 'тысячн'];
  const part = parts[fraction.length - 1];
  if (part === undefined || whole.length > 15) return undefined;
  const [, form = ''] = /(-(?:genitive|dative|instrumental|prepositional))$/.exec(ofNumber) ?? [];
  const [one, many] = decimalEndings[form] ?? ['ая', 'ых'];
  const number = (digits: string): string => spellOut(`cardinal-feminine${form}`, Number(digits));
  const ending = (digits: string): string => (pluralCategory('ru', Number(digits)) === 'one' ? one : many);
  return `${number(whole)} цел${ending(whole)} ${number(fraction)} ${part}${ending(fraction)}`;
}

/** `с 1 по 5 мая` */
const dateBehind =
  /\s(?:по|до)\s\d{1,2}\s(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)(?!\p{L})/uy;

/** `1998 г.` is a year; grams have no period. Nouns that are written out are units only behind a slash, as in `₽/год`. */
const isRussianYear = ({ text, start }: Place, end: number): boolean =>
  /\d-\p{L}.?$|^(?:1[1-9]|20)\d\d[ \u00a0]?г\.$|\d[ \u00a0]?(?:год|день|час|месяц)/u.test(text.slice(start, end + 1));

const behind = {
  accusative: /(?<!\p{L})(?:на|по)\s$/iu,
  dative: /(?<!\p{L})(?:к|ко)\s$/iu,
  place: /(?<!\p{L})(?:в|во|о|об)\s$/iu,
  from: /(?<!\p{L})(?:с|со|от|до)\s$/iu,
  through: /(?<!\p{L})(?:по)\s$/iu,
};
/** `по 15 год`, `до 2015 г.` */
const toYear = /\s(?:по|до)\s\d{4}\s(?:год|г\.)/uy;
const russianYearBehind = /[ \u00a0]?(гг?\.|год(?:у|а|ах|ов|ы)?)(?!\p{L})/uy;
/** The day of a Russian date: `к 5 мая`, `на 5 мая`, else `5 мая`. */
const russianDay = inContext(
  ['ordinal-neuter-dative', behind.dative],
  ['ordinal-neuter', behind.accusative],
  ['ordinal-neuter-genitive'],
);

/** The form of a Russian year by its context; undefined if it may be an amount. */
function russianYear(place: Place, end: number): string | undefined {
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

/** Meaning of `г.` and `гг.` after a year that begins here. */
function russianYearCase(place: Place): { readonly form: string; readonly word: string; readonly words: string } {
  if (isBehind(place, behind.place)) return { form: '-prepositional', word: 'году', words: 'годах' };
  if (isBehind(place, behind.dative)) return { form: '-dative', word: 'году', words: 'годам' };
  if (isBehind(place, behind.through) || isBehind(place, sentenceBegin))
    return { form: '', word: 'год', words: 'годы' };
  return { form: '-genitive', word: 'года', words: 'годов' };
}

const sentenceBegin = /(?:^|(?<!\d)[.!?(]\s?)$/;
const yearWord = /(гг?)\.(?!\p{L})/uy;
const yearBefore = /(?:\d{3,4}(?:[-–—]\d{2,4})?|\d0-?(?:х|е|м|ми))[ \u00a0]?$/u;

/** `г.` behind a year. */
const russianYearWords = patternClass(
  { begins: 'letter', behind: yearBefore, isGlued: true },
  yearWord,
  ([, letters], place, { at }) => {
    const { word, words } = russianYearCase({ ...place, before: place.before.replace(yearBefore, '') });
    return (letters === 'г' ? word : words) + (endsSentence(place.text, at, 'any capital') ? '.' : '');
  },
);

/** `с 5 до 10` */
const fromTo = /(?:[ \u00a0](?!до|по)\p{L}{1,9}\.?)?\s(?:до|по)\s\d/uy;

/** The case of a number, where a preposition or the ending of the noun behind it shows it; else the nominative, which all understand. */
const caseOf = inContext<Case>(
  [
    'genitive',
    /(?<!\p{L})(?:от|до|из|без|около|ок\.|св\.|более|менее|свыше|больше|меньше|после|против|кроме|для|у|->)\s$|[<>√] ?$/iu,
  ],
  ['genitive', /(?<!\p{L})(?:с|со)\s$/iu, fromTo],
  ['dative', behind.dative],
  ['dative', /[≥≤≠] ?$/u],
  ['instrumental', undefined, /\s\p{Ll}{2,20}[ая]ми(?!\p{L})/uy],
  ['prepositional', /(?<!\p{L})(?:в|во|о|об|на|при)\s$/iu, /\s\p{Ll}{2,20}[ая]х(?!\p{L})/uy],
);

/** `в XIX в.`, `XIX века` */
const centuryForm = inContext(
  ['ordinal-masculine-prepositional', /(?<!\p{L})(?:в|во|о)\s$/iu, /(?!\sвек(?!\p{L}))/uy],
  ['ordinal-masculine-genitive', undefined, /\sвека(?!\p{L})/uy],
  ['ordinal-masculine-genitive', /(?<!\p{L})(?:с|до|от|начал\p{L}|конц\p{L}|середин\p{L})\s$/iu],
);

/** `1990-х`, `80-е`, `70-м`: decades and what they are counted as stand in the plural. */
function russianDecade(digits: string, suffix: string, place: Place): string | undefined {
  const isPlural = isNext(
    place.text,
    place.start,
    /\d{2,4}(?:[-–]\d{2,4})?-?(?:х|ых|ми|ыми|(?:е|ые)(?!\s\p{Ll}{2,20}[оео](?!\p{L}))|(?:м|ым)\s\p{Ll}{2,20}[ая]м)(?!\p{L})/uy,
  );
  if (!isPlural && !(/м$/.test(suffix) && isBehind(place, behind.dative))) return undefined;
  const ending = /х$/.test(suffix) ? 'ых' : /ми$/.test(suffix) ? 'ыми' : /м$/.test(suffix) ? 'ым' : 'ые';
  return digits
    .split(/[-–]/)
    .map((ten) => place.language.spelling.spellOut('ordinal-masculine', Number(ten)))
    .map((said) => said.replace(/^одна (?=тысяча)/u, '').replace(/(?:ый|ой)$/u, ending))
    .join('-');
}

/** `пятница` to "пятницы" */
const genitiveDay = (day: string): string =>
  /[ае]$/u.test(day) ? day.replace(/а$/u, 'ы').replace(/е$/u, 'я') : `${day}а`;

/** Forms of ordinals by the last letter behind their digits. */
const ordinalForms = tableOf(
  'я=ordinal-feminine|е=ordinal-neuter|о=ordinal-masculine-genitive|м=ordinal-masculine-prepositional',
);

export const rules: LanguageSettings = {
  words: `
    operators: > больше, < меньше, ≥ больше или равно, ≤ меньше или равно, ≠ не равно, ÷ разделить на, √ корень из, ≈ примерно;
    telephoneWords: тел|телефон; ruler: {0}; address: точка, собака, слэш, дефис, подчёркивание; half: одна вторая; and: и;
    parts: 3=треть|трети, 4=четверть|четверти; partGender: feminine;
    hundredths: RUB=копейка|копейки|копеек, EUR=цент|цента|центов, USD=цент|цента|центов, UAH=копейка|копейки|копеек;
    to: -; change: до; readsWeekdays: yes; perWord: {0} за {1}; rates: чел=человека, шт=штуку, уп=упаковку, сут=сутки;
    dateYearForm: ordinal-masculine-genitive; point: запятая; plus: плюс; power: в степени {0}; equals: равно; times: раз; by: на;
    over: дробь; magnitudes: млн=миллион|миллиона|миллионов|миллиона, млрд=миллиард|миллиарда|миллиардов|миллиарда,
    тыс=тысяча|тысячи|тысяч|тысячи, миллионов=миллионов, миллиона=миллиона, миллион=миллион, миллиардов=миллиардов,
    тысяч=тысяч; countedRomans: глава|том|часть|раздел|акт|сцена; range: {0}-{1}; score: ; home: RUB last;
    units: км=kilometer, м=meter, см=centimeter, мм=millimeter, кг=kilogram, г=gram, мг=milligram, л=liter, мл=milliliter,
    т=tonne, ч=hour, мин=minute, с=second, сек=second, мс=millisecond, га=hectare, кВт=kilowatt, Вт=watt, ГБ=gigabyte,
    МБ=megabyte, Гц=hertz, час=hour, сут=day, день=day, нед=week, мес=month, месяц=month, год=year;
  `,
  abbreviations: {
    inflected: {
      'стр.': [
        [/(?<!\p{L})на\s$/iu, 'странице'],
        [/(?<!\p{L})(?:со|с|до)\s$/iu, 'страницы'],
        [/(?<!\p{L})см\.\s$/iu, 'страницу'],
      ],
      'рис.': [[/(?<!\p{L})на\s$/iu, 'рисунке']],
      'ул.': [[/(?<!\p{L})(?:на|по)\s$/iu, 'улице']],
      'в.': [
        [/(?<!\p{L})в\s[IVXLC]+\s$/iu, 'веке'],
        [/(?<!\p{L})[сдоа]{1,2}\s[IVXLC]+\s$/iu, 'века'],
      ],
    },
    open: 'т. е.=то есть|т. к.=так как|т. н.=так называемый|т. ч.=том числе|напр.=например|см.=смотри|ул.=улица|пр.=проспект|просп.=проспект|пер.=переулок|пл.=площадь|тел.=телефон',
    behind: 'в.=век|вв.=века',
    titles:
      'г.=город|д.=деревня|с.=село|проф.=профессор|акад.=академик|св.=святой|гр.=гражданин|о.=остров|оз.=озеро|р.=река',
    numbered:
      'д.=дом|кв.=квартира|стр.=страница|с.=страница|рис.=рисунок|гл.=глава|табл.=таблица|№=номер|корп.=корпус|ст.=статья|п.=пункт|т.=том|ок.=около',
    closing:
      'и т. д.=и так далее|и т. п.=и тому подобное|и др.=и другие|и пр.=и прочее|до н. э.=до нашей эры|н. э.=нашей эры|шт.=штук|коп.=копеек|чел.=человек|тыс.=тысяч|млн.=миллионов|млрд.=миллиардов',
  },
  caseOf,
  centuryForm,
  inCaseOfQueen: (ordinal) => ordinal.replace(/ая$/, 'ой').replace(/ья$/, 'ьей'),
  country: / США$/u,
  ordinalWord: (said, mark, place, end) =>
    /й$/.test(mark) &&
    isBehind(place, /(?<!\p{L})(?:на|в|во|о|об|при|после|до|с|со|из|от|к|у)\s$/iu) &&
    isNext(place.text, end, /\s\p{L}{2,20}[еиы](?!\p{L})/uy)
      ? said.replace(/(?:ый|ой)$/, 'ой').replace(/ий$/, 'ьей')
      : said,
  mixed: (whole, part) =>
    part !== 'одна вторая' ? `${whole} и ${part}` : whole === 'один' ? 'полтора' : `${whole} с половиной`,
  part: (of) =>
    `${of('ordinal-feminine')}|${of('ordinal-masculine')
      .replace(/(?:ый|ой)$/u, 'ых')
      .replace(/ий$/u, 'ьих')}`,
  decades: {
    pattern: /((?:1\d|20)?\d0(?:[-–](?:1\d|20)?\d0)?)-?(х|е|ые|ых|м|ым|ми|ыми)(?!\p{L})/uy,
    say: russianDecade,
  },
  hours: [
    ['с', 'cardinal-masculine-genitive'],
    ['до', 'cardinal-masculine-genitive'],
  ],
  weekdayRange: (first, last) =>
    `${/^(?:вт|ср)/u.test(first) ? 'со' : 'с'} ${genitiveDay(first)} по ${last.replace(/а$/u, 'у')}`,
  dayForm: russianDay,
  yearForm: russianYear,
  decimal: russianDecimal,
  ordinals: /-?(?:ый|ий|ой|й|ая|я|ое|е|ого|го|ом|м)(?!\p{L})/uy,
  ordinalForm: (mark) => ordinalForms[mark.at(-1) ?? ''] ?? 'ordinal-masculine',
  sayYear: (said) => said.replace(/^одна (?=тысяча)/u, ''),
  feminineMagnitude: /^тысяч/u,
  counted: ({ text }, end, number) =>
    number < 32 && isNext(text, end, dateBehind) ? 'ordinal-neuter-genitive' : undefined,
  isNoMeasure: isRussianYear,
  century: /\sв(?:ек|в?\.)/y,
  feminineCurrency: /а(?:\s|$)|рупи|лир|крон|гривн|йен|иен/u,
  classes: [russianYearWords],
};
