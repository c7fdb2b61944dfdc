/** How Chinese is written and spoken. */
import { mapOf } from '../../../table.ts';
import { addresses, socialNames } from '../../classes/addresses.ts';
import { numericDates } from '../../classes/dates.ts';
import { identifiers } from '../../classes/identifiers.ts';
import { numbersInOrder } from '../../classes/in-order.ts';
import { countsPer } from '../../classes/measures.ts';
import { ordinalsWith } from '../../classes/numbers.ts';
import { telephones } from '../../classes/telephones.ts';
import { times } from '../../classes/times.ts';
import type { Language } from '../../language.ts';
import { english } from '../english/english.ts';
import {
  andMore,
  dates,
  dialled,
  greekLetters,
  minusPercent,
  perSlashes,
  perUnits,
  rangeDashes,
  signKeys,
  years,
} from './classes.ts';
import { factors, namedAgain, say, sayAmountWith, sayNumeral, spelling, unitName } from './say.ts';

/** Words that are said as they are written. */
const itself = (words: readonly string[]) => new Map(words.map((word) => [word, word]));

export const chinese: Language = {
  tag: 'zh',
  spacing: 'none',
  phrases: english,
  decimalMark: '.',
  dateOrder: 'ymd',
  shortDateOrder: 'ymd',
  dashesDates: true,
  longestAmount: 15,
  months: new Map(),
  weekdays: new Map(),
  magnitudes: itself('万 亿 千 百 十 万亿 千万 百万 十万 十亿 百亿 千亿 萬 億 多万 余万 多亿 几万'.split(' ')),
  // Multiplied out, as Chinese counts in ten thousands.
  moneyMagnitudes: itself(Object.keys(factors)),
  currencies: new Map(),
  currencyAgain: namedAgain,
  units: mapOf('w=ten-thousand|F=floor|ly=light-year'),
  isNoMeasure: ({ text, start, before }, end) =>
    (/\dF$/.test(text.slice(start, end)) && !/^\d{1,2}F$/.test(text.slice(start, end))) ||
    (/[A-Z]/.test(text[end - 1] ?? '') && /(?:座位|座|登机口|栋|单元|室|门|区|型号)[号：: ]?\s?$/u.test(before)),
  cues: {
    date: /(?:周|星期|礼拜)[一二三四五六日天][（(，, ]?\s?$|(?:截至|截止到?)\s?$/u,
    score: /(?:比分|比例|比率|大比分|以|战成|战平)[是为：:]{0,2}\s?(?:\d{1,3}[:：]\d{1,3}[、,，和 ]{1,2}){0,6}$/u,
    telephone: /(?:电话|電話|手机|手機|传真|傳真|热线|熱線|拨打|致电|座机|客服)[号码是为：: ]{0,4}$/u,
  },
  classes: [
    ...[addresses, socialNames, dates, years, numericDates, times, dialled, telephones, identifiers],
    ...numbersInOrder({
      amounts: [countsPer((of) => `每${unitName({ of })}`, /[人户台辆个只棵株]$|\d \p{L}{3,20}$/u)],
      ordinals: [ordinalsWith(/(?:st|nd|rd|th)(?![\p{Script=Latin}\d])/uy)],
      signs: [minusPercent, perSlashes, rangeDashes, perUnits, signKeys, andMore, greekLetters],
    }),
  ],
  spelling,
  sayNumeral,
  sayAmount: (amount) => sayAmountWith(sayNumeral, amount),
  say,
};
