/** Rules that replace digits and symbols in Chinese text by characters. */
import type { Steps } from '../../../event-loop.ts';
import { sayChinese, spellChinese } from './number-words.ts';
import { anyOf, applyRules, number, type Rule, rule } from './rules.ts';

const start = String.raw`(?<![\d.,])`;
const stop = String.raw`(?!\d|[.,]\d)`;

const within = (text: string | undefined, first: number, last: number): boolean =>
  text !== undefined && Number(text) >= first && Number(text) <= last;

const plain = (digits = ''): string => sayChinese(String(Number(digits)));

function sayDate(year: string | undefined, month = '', day = ''): string | undefined {
  if (!within(month, 1, 12) || !within(day, 1, 31)) return undefined;
  return `${year === undefined ? '' : `${spellChinese(year)}年`}${plain(month)}月${plain(day)}日`;
}

function sayTime(hour = '', minute = '', second?: string): string | undefined {
  if (!within(hour, 0, 24)) return undefined;
  const minutes =
    minute === '00'
      ? second === undefined
        ? '整'
        : '零分'
      : `${minute.startsWith('0') ? '零' : ''}${plain(minute)}分`;
  return `${hour === '2' ? '两' : plain(hour)}点${minutes}${second === undefined ? '' : `${plain(second)}秒`}`;
}

const currencies: Readonly<Record<string, string>> = {
  '¥': '元',
  $: '美元',
  US$: '美元',
  '€': '欧元',
  '£': '英镑',
  '₩': '韩元',
  '₹': '卢比',
  USD: '美元',
  EUR: '欧元',
  GBP: '英镑',
  JPY: '日元',
  CNY: '元',
  RMB: '元',
};

const units: Readonly<Record<string, string>> = {
  km: '公里',
  m: '米',
  cm: '厘米',
  mm: '毫米',
  nm: '纳米',
  kg: '千克',
  g: '克',
  mg: '毫克',
  t: '吨',
  L: '升',
  l: '升',
  mL: '毫升',
  ml: '毫升',
  'm²': '平方米',
  '㎡': '平方米',
  'km²': '平方公里',
  'm³': '立方米',
  'km/h': '公里每小时',
  'm/s': '米每秒',
  '°C': '摄氏度',
  '°F': '华氏度',
  '°': '度',
  kW: '千瓦',
  kWh: '千瓦时',
  W: '瓦',
  V: '伏',
  Hz: '赫兹',
  kHz: '千赫',
  MHz: '兆赫',
  GHz: '吉赫',
  ms: '毫秒',
  s: '秒',
  min: '分钟',
  h: '小时',
};
/** Measure words that take 两 instead of 二. */
const measures =
  '个|位|只|本|件|次|天|年(?!级|代|月)|岁|周|种|名|张|条|辆|台|部|座|块|元|美元|欧元|万|亿|千|点|小时|分钟|秒|倍|杯|瓶|碗|家|间|层|所|篇|首|场|届|口|头|匹|双|对|套|份|封|棵|朵|颗|米|公里|公斤|斤|吨|升|人|句|步|遍|回|趟|门|项|样|包|盒|袋|箱|片|根|支|枝|把|扇|幅|克|千克|厘米|毫米';

const rules: readonly Rule[] = [
  rule(`${start}(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${stop}`, ([, year, , month, day]) =>
    /^[12]/.test(year ?? '') ? sayDate(year, month, day) : undefined,
  ),
  rule(
    `${start}([12]\\d{3})\\s?[-~]\\s?([12]\\d{3})(?=\\s?年)`,
    ([, first = '', second = '']) => `${spellChinese(first)}到${spellChinese(second)}`,
  ),
  rule(`${start}([12]\\d{3})(?=\\s?年)`, ([, year = '']) => spellChinese(year)),
  rule(`${start}(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d))?(?![\\d:])`, ([, hour, minute, second]) =>
    sayTime(hour, minute, second),
  ),
  rule(
    `(US\\$|[¥$€£₩₹])\\s?${number}\\s?([万亿千百]+)?`,
    ([, sign = '', amount = '', magnitude = '']) => `${sayChinese(amount)}${magnitude}${currencies[sign]}`,
  ),
  rule(
    `${start}${number}\\s?(USD|EUR|GBP|JPY|CNY|RMB)(?![A-Za-z])`,
    ([, amount = '', code = '']) => `${sayChinese(amount)}${currencies[code]}`,
  ),
  // Mobile and service numbers, where 1 is read as 幺.
  rule(
    String.raw`(?<![\d-])(?:\+?86[- ]?)?(1[3-9]\d)[- ]?(\d{4})[- ]?(\d{4})(?![\d-])|(?<![\d-])(0\d{2,3}|400|800)-(\d{3,4})-?(\d{4})(?![\d-])`,
    ([, ...groups]) =>
      groups
        .filter((group) => group !== undefined)
        .map((group) => spellChinese(group).replaceAll('一', '幺'))
        .join('，'),
  ),
  rule(`${start}(\\d+(?:\\.\\d+){2,})${stop}`, ([, version = '']) =>
    version
      .split('.')
      .map((part) => sayChinese(part))
      .join('点'),
  ),
  rule(
    `${start}${number}\\s?%\\s?[-~至到]\\s?${number}\\s?%`,
    ([, first = '', second = '']) => `百分之${sayChinese(first)}到百分之${sayChinese(second)}`,
  ),
  rule(`${start}${number}\\s?%`, ([, amount = '']) => `百分之${sayChinese(amount)}`),
  rule(`${start}${number}\\s?‰`, ([, amount = '']) => `千分之${sayChinese(amount)}`),
  rule(
    `${start}(\\d{1,3})/(\\d{1,3})(?![\\d/])`,
    ([, above = '', below = '']) => `${sayChinese(below)}分之${sayChinese(above)}`,
  ),
  rule(`${start}${number}\\s?[-~]\\s?(?=\\d)(?!\\d+-)`, ([, first = '']) => `${sayChinese(first)}到`),
  rule(`(?<![\\d.,\\p{L}\\p{N}])-(?=\\d)|(?<=[\\p{Script=Han}])-(?=\\d)`, () => '负'),
  rule(`(?<!第)${start}2(?=\\s?(?:${measures}))`, () => '两'),
  rule(
    `${start}${number}\\s?(${anyOf(units)})(?![A-Za-z²³/])`,
    ([, amount = '', unit = '']) => `${amount === '2' ? '两' : sayChinese(amount)}${units[unit]}`,
  ),
  rule(
    String.raw`(?<=\d)\s?([+=×÷])\s?(?=\d)`,
    ([, sign = '']) => ({ '+': '加', '=': '等于', '×': '乘以', '÷': '除以' })[sign],
  ),
  rule(String.raw`(?<=[A-Za-z])-(?=\d)`, () => ' '),
  rule(String.raw`(?<=\d)\s?:\s?(?=\d)`, () => '比'),
  rule(number, ([amount = '']) => sayChinese(amount)),
];

export const verbalizeChinese = (text: string): Steps<string> => applyRules(rules, text);
