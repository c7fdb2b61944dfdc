/** How Chinese is written and spoken. */
import { mapOf } from '../../../table.ts';
import { addresses, socialNames } from '../../classes/addresses.ts';
import { betweenValues } from '../../classes/between-values.ts';
import { numericDates } from '../../classes/dates.ts';
import { hyphens, identifiers, letterPairs, versions } from '../../classes/identifiers.ts';
import { operators, powers } from '../../classes/maths.ts';
import { cardinals, fractionRanges, fractions, itemNumbers, ordinalsWith, ratios } from '../../classes/numbers.ts';
import { quantities } from '../../classes/quantities.ts';
import { telephones } from '../../classes/telephones.ts';
import { times } from '../../classes/times.ts';
import type { Language } from '../../language.ts';
import { numberOf } from '../../numerals.ts';
import { isBehind, isNext } from '../../place.ts';
import type { Clock } from '../../semiotic.ts';
import { sayAddress } from '../english/addresses.ts';
import { english } from '../english/english.ts';
import { dates, dialled, perSlashes, rangeDashes, years } from './dates.ts';
import { currencyName, factors, multiplied, namedAgain } from './money.ts';
import {
  cardinal,
  dial,
  inFours,
  sayAmountWith,
  sayCount,
  sayNumeral,
  saySign,
  sayWhole,
  spellChinese,
  spelling,
} from './numbers.ts';
import { andMore, greekLetters, minusPercent, operatorWords, perUnits, signKeys } from './signs.ts';
import { sayUnit, simpleUnit, unitName } from './units.ts';

/** Measure words that take 两 instead of 二. */
const measureWord =
  /\s?(?:个|個|位|只|隻|本|件|次|天|年(?!级|代|月|級)|岁|歲|周|种|種|名|张|張|条|條|辆|輛|台|部|座|块|塊|元|美元|欧元|英镑|日元|万|萬|亿|億|千|点(?!\d(?!\d?分))|點|小时|小時|分钟|分鐘|秒|倍|杯|瓶|碗|家|间|間|层(?!楼)|所|篇|首|场|場|届|口|头|頭|匹|双|對|对|套|份|封|棵|朵|颗|顆|米|公里|公斤|斤|吨|噸|升|人|句|步|遍|回|趟|门|項|项|样|包|盒|袋|箱|片|根|支|枝|把|扇|幅|克|千克|厘米|毫米|株|粒|滴|艘|架|列|枚|道|股|串|节|段|支|顿|番|阵|百|毛|角|寸|尺|丈|里|亩|公顷|两|磅|摄氏度|刻)/uy;

function sayClock(
  { hour, minute, second, half }: Clock,
  place: 'alone' | 'before another' | 'behind another',
  before = '',
): string {
  const isSaid = /(?:[上下中]午|早上|晚上|凌晨|夜里|傍晚)\s?$/u.test(before);
  const day = half === undefined || isSaid ? '' : half === 'AM' ? '上午' : '下午';
  const hours = `${day}${hour === 2 ? '两' : cardinal(String(hour))}点`;
  if (minute === undefined || (minute === 0 && second === undefined))
    return place === 'alone' && minute !== undefined ? `${hours}整` : hours;
  if (minute === 0 && second === 0) return `${hours}整`;
  const minutes = minute === 0 ? '零分' : `${minute < 10 ? '零' : ''}${cardinal(String(minute))}分`;
  return `${hours}${minutes}${second === undefined || second === 0 ? '' : `${cardinal(String(second))}秒`}`;
}

const victory = /(?:险胜|战胜|击败|大胜|完胜|逆转|力克|力压|不敌|负于|输给|惜败|告负|领先|落后|取胜|获胜|胜|负)/uy;

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
    addresses,
    socialNames,
    dates,
    years,
    numericDates,
    times,
    dialled,
    telephones,
    versions,
    letterPairs,
    minusPercent,
    ...quantities,
    ordinalsWith(/(?:st|nd|rd|th)(?![\p{Script=Latin}\d])/uy),
    fractions,
    perSlashes,
    rangeDashes,
    fractionRanges,
    perUnits,
    signKeys,
    andMore,
    powers,
    greekLetters,
    operators,
    betweenValues,
    ratios,
    identifiers,
    itemNumbers,
    cardinals,
    hyphens,
  ],
  spelling,
  sayNumeral,
  sayAmount: (amount) => sayAmountWith(sayNumeral, amount),
  say: {
    cardinal({ amount }, place, end) {
      const { text, before, language } = place;
      // `3-2` is a score.
      const { first, last, sign, magnitude } = amount;
      const isScore =
        last !== undefined && sign === undefined && magnitude === undefined && numberOf(last) < numberOf(first);
      if (last !== undefined && isBehind(place, language.cues.score))
        return `${sayNumeral(first)}比${sayNumeral(last)}`;
      // `112-108险胜`
      if (isScore && (numberOf(first) <= 30 || isNext(text, end, victory)))
        return `${sayNumeral(first)}比${sayNumeral(last)}`;
      const isCount = isNext(text, end, measureWord) && !/第\s?$/.test(before);
      // `2年级` and `第2个` name, they don't count.
      const isName = /第\s?$/.test(before) && amount.magnitude === undefined;
      if (isName) return sayAmountWith((numeral) => sayNumeral(numeral).replace(/^两/, '二'), amount);
      return sayAmountWith(isCount ? sayCount : sayNumeral, amount);
    },
    ordinal: ({ first }) => `第${sayNumeral({ whole: first })}`,
    fraction({ sign, whole, above, below, unit }, { before }) {
      // `血压130/85`
      if (Number(above) > Number(below) && (unit?.of.id === 'millimeter-ofhg' || /血压[为是：:]?\s?$/u.test(before)))
        return `${sayWhole(above)}比${sayWhole(below)}${unit === undefined ? '' : unitName(unit)}`;
      const part = `${sayWhole(below)}分之${sayWhole(above)}`;
      const said = `${whole === undefined ? '' : `${sayWhole(whole)}又`}${part}`;
      return unit?.of.id === 'percent'
        ? `${saySign(sign)}百分之${said}`
        : `${saySign(sign)}${said}${unit === undefined ? '' : unitName(unit)}`;
    },
    percent({ amount: { sign, first, last, lastSign }, mark }) {
      const part = mark === '‰' ? '千分之' : '百分之';
      return `${saySign(sign)}${part}${sayNumeral(first)}${last === undefined ? '' : `到${saySign(lastSign)}${part}${sayNumeral(last)}`}`;
    },
    money({ amount: written, currency, per }) {
      const amount = multiplied(written);
      const said = `${sayAmountWith(sayCount, amount)}${currencyName(currency)}`;
      return per === undefined ? said : `${said}${per.replace(/^|\//g, '每')}`;
    },
    measure: ({ amount, unit }) => sayUnit(amount, unit),
    measures: ({ parts, rest }) => {
      const sides: Readonly<Record<string, string>> = { N: '北纬', S: '南纬', E: '东经', W: '西经' };
      return (
        (sides[rest ?? ''] ?? '') + parts.map(([number, unit]) => `${sayNumeral(number)}${simpleUnit(unit)}`).join('')
      );
    },
    date({ year, month, day, weekday, lastDay }) {
      const start = year === undefined ? '' : `${spellChinese(year)}年`;
      const days =
        day === undefined
          ? ''
          : `${cardinal(String(day))}日${lastDay === undefined ? '' : `到${cardinal(String(lastDay))}日`}`;
      return `${start}${cardinal(String(month ?? 1))}月${days}${weekday ?? ''}`;
    },
    year: ({ first, last }) => spellChinese(first) + (last === undefined ? '' : `到${spellChinese(last)}`),
    time: ({ first, last, zone }, { before }) =>
      (last === undefined
        ? sayClock(first, 'alone', before)
        : `${sayClock(first, 'before another', before)}到${sayClock(last, 'behind another')}`) +
      (zone === undefined ? '' : ` ${zone}`),
    duration: ({ parts }) =>
      parts.map(([number, unit]) => `${sayCount({ whole: number })}${simpleUnit(unit)}`).join(''),
    matchMinute: ({ minute, added }) => `第${sayWhole(minute)}${added === undefined ? '' : `加${sayWhole(added)}`}分钟`,
    telephone: ({ groups }) => groups.flatMap(inFours).map(dial).join('，'),
    digits: ({ groups }) => groups.map(spellChinese).join('，'),
    roman: ({ value }) => cardinal(String(value)),
    ratio: ({ numbers }) => numbers.map(sayNumeral).join('比'),
    dimensions: ({ numbers, unit, use }) =>
      numbers.map(sayNumeral).join(use === 'product' ? '乘以' : '乘') + (unit === undefined ? '' : unitName(unit)),
    multiplier: ({ amount }) => `${sayAmountWith(sayCount, amount)}倍`,
    operator: ({ sign }) => operatorWords[sign],
    power({ exponent, unit }) {
      const name = unit === undefined ? '' : unitName(unit);
      if (exponent === '2') return `的平方${name}`;
      if (exponent === '3') return `的立方${name}`;
      return `的${exponent.startsWith('-') ? '负' : ''}${/\d/.test(exponent) ? sayWhole(exponent.replace(/\D/g, '')) : exponent}次方${name}`;
    },
    version: ({ parts, named, port, mask, release = [] }, { before }) =>
      `${named && !/版(?:本号?)?[：:]?\s?$/u.test(before) ? '版本' : ''}${parts.map(sayWhole).join('点')}${port === undefined ? '' : `端口${sayWhole(port)}`}${mask === undefined ? '' : `斜杠${sayWhole(mask)}`}${release.map((part) => (/\d/.test(part) ? sayWhole(part) : part)).join('')}`,
    address: ({ text }) => (/^[@#]/.test(text) ? undefined : sayAddress(text)),
    // `iPhone15`, but `abc12345`
    code: ({ number }) =>
      number.fraction === undefined && number.whole.length >= 3 ? spellChinese(number.whole) : sayNumeral(number),
    words: ({ spoken }) => spoken,
  },
};
