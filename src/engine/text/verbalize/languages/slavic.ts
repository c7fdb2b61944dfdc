/** Polish and Russian. */
import type { Place } from '../language.ts';
import { isBehind, isNext } from '../place.ts';
import { pluralCategory, spellOut } from '../spell-out.ts';
import { polishHour, polishOrdinal, polishYear, russianDay, russianYear, russianYearWords } from './cases.ts';
import { type LanguageSettings, pointBeforeNoun } from './settings.ts';

const decimalEndings: Readonly<Record<string, readonly [one: string, many: string]>> = {
  '-genitive': ['ой', 'ых'],
  '-dative': ['ой', 'ым'],
  '-instrumental': ['ой', 'ыми'],
  '-prepositional': ['ой', 'ых'],
};
/** `3,5` to "три целых пять десятых", and "трех целых пяти десятых" in the genitive. */
function russianDecimal(whole: string, fraction: string, numberForm: string): string | undefined {
  const parts = ['десят', 'сот', 'тысячн'];
  const part = parts[fraction.length - 1];
  if (part === undefined || whole.length > 15) return undefined;
  const [, form = ''] = /(-(?:genitive|dative|instrumental|prepositional))$/.exec(numberForm) ?? [];
  const [one, many] = decimalEndings[form] ?? ['ая', 'ых'];
  const number = (digits: string): string => spellOut('ru', `cardinal-feminine${form}`, Number(digits));
  const ending = (digits: string): string => (pluralCategory('ru', Number(digits)) === 'one' ? one : many);
  return `${number(whole)} цел${ending(whole)} ${number(fraction)} ${part}${ending(fraction)}`;
}

const russianUnits = {
  км: 'kilometer',
  м: 'meter',
  см: 'centimeter',
  мм: 'millimeter',
  кг: 'kilogram',
  г: 'gram',
  мг: 'milligram',
  л: 'liter',
  мл: 'milliliter',
  т: 'tonne',
  ч: 'hour',
  мин: 'minute',
  с: 'second',
  сек: 'second',
  га: 'hectare',
  кВт: 'kilowatt',
  Вт: 'watt',
  ГБ: 'gigabyte',
  МБ: 'megabyte',
  Гц: 'hertz',
};

/** `с 1 по 5 мая` */
const dateBehind =
  /\s(?:по|до)\s\d{1,2}\s(?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)(?!\p{L})/uy;

/** `1998 г.` is a year; grams have no period. */
const isRussianYear = ({ text, start }: Place, end: number): boolean =>
  /^(?:1[1-9]|20)\d\d[ \u00a0]?г\.$/u.test(text.slice(start, end + 1));

export const slavic: Readonly<Record<string, LanguageSettings>> = {
  pl: {
    parts: { 4: ['czwarta', 'czwarte'], 3: ['trzecia', 'trzecie'] },
    ruler: (ordinal) => ordinal,
    ordinals: pointBeforeNoun,
    ordinalForm: (_, place) => polishOrdinal(place),
    counted: (text, end, number) =>
      number !== 1 ? undefined : isNext(text, end, /\s\p{L}{2,20}[aę](?!\p{L})/uy) ? 'cardinal-feminine' : undefined,
    address: ['kropka', 'małpa', 'ukośnik'],
    half: 'pół',
    to: 'do',
    dayForm: 'ordinal-masculine-genitive',
    yearForm: polishYear,
    dateYearForm: 'ordinal-masculine-genitive',
    clock: (h, m) => `${h} ${m}`,
    hourForm: polishHour,
    hour: (h) => h,
    plus: 'plus',
    equals: 'równa się',
    times: 'razy',
    by: 'na',
    over: 'przez',
    magnitudes: {
      mln: 'milion|miliony|milionów|miliona',
      mld: 'miliard|miliardy|miliardów|miliarda',
      tys: 'tysiąc|tysiące|tysięcy|tysiąca',
      milionów: 'milionów',
      miliony: 'miliony',
      milion: 'milion',
      miliardów: 'miliardów',
    },
    countedRomans: 'rozdział|tom|część|akt|scena|księga',
    century: /\sw(?:iek|\.)/y,
    home: ['PLN', 'first'],
    feminineCurrency: /(?:a|y|ów)$/u,
  },
  ru: {
    ruler: (ordinal) => ordinal,
    ordinalWord: (said, mark, place, end) =>
      /й$/.test(mark) &&
      isBehind(place, /(?<!\p{L})(?:на|в|во|о|об|при|после|до|с|со|из|от|к|у)\s$/iu) &&
      isNext(place.text, end, /\s\p{L}{2,20}[еиы](?!\p{L})/uy)
        ? said.replace(/(?:ый|ой)$/, 'ой').replace(/ий$/, 'ьей')
        : said,
    address: ['точка', 'собака', 'слэш'],
    half: 'одна вторая',
    to: '-',
    dayForm: russianDay,
    yearForm: russianYear,
    dateYearForm: 'ordinal-masculine-genitive',
    decimal: russianDecimal,
    point: 'запятая',
    plus: 'плюс',
    equals: 'равно',
    times: 'раз',
    by: 'на',
    over: 'дробь',
    ordinals: /-?(?:ый|ий|ой|й|ая|я|ое|е|ого|го|ом|м)(?!\p{L})/uy,
    ordinalForm: (mark) =>
      /я$/.test(mark)
        ? 'ordinal-feminine'
        : /е$/.test(mark)
          ? 'ordinal-neuter'
          : /го$/.test(mark)
            ? 'ordinal-masculine-genitive'
            : /м$/.test(mark)
              ? 'ordinal-masculine-prepositional'
              : 'ordinal-masculine',
    magnitudes: {
      млн: 'миллион|миллиона|миллионов|миллиона',
      млрд: 'миллиард|миллиарда|миллиардов|миллиарда',
      тыс: 'тысяча|тысячи|тысяч|тысячи',
      миллионов: 'миллионов',
      миллиона: 'миллиона',
      миллион: 'миллион',
      миллиардов: 'миллиардов',
      тысяч: 'тысяч',
    },
    countedRomans: 'глава|том|часть|раздел|акт|сцена',
    range: (first, last) => `${first}-${last}`,
    score: '',
    sayYear: (said) => said.replace(/^одна (?=тысяча)/u, ''),
    feminineMagnitude: /^тысяч/u,
    counted: (text, end, number) =>
      number < 32 && isNext(text, end, dateBehind) ? 'ordinal-neuter-genitive' : undefined,
    units: russianUnits,
    isNoMeasure: isRussianYear,
    century: /\sв(?:ек|в?\.)/y,
    home: ['RUB', 'last'],
    feminineCurrency: /а(?:\s|$)|рупи|лир|крон|гривн|йен|иен/u,
    classes: [russianYearWords],
  },
};
