/** How Chinese says each kind of token. */
import { signsOf, tableOf } from '../../../table.ts';
import { numberRules } from '../../generated/zh.ts';
import type { Amount, Clock, CompoundUnit, Numeral, Sayings, Sign, Unit } from '../../language.ts';
import { numberOf } from '../../numerals.ts';
import { isBehind, isNext } from '../../place.ts';
import { createSpelling } from '../../spell-out.ts';
import { sayAddress } from '../english/say.ts';
import { currencyOf } from '../money-words.ts';

export const spelling = createSpelling('zh', numberRules);
const { spellOut } = spelling;

const digitNames = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'] as const;
const longestNumber = 15;

/** Digits one by one; other characters are left out. */
export const spellChinese = (digits: string): string =>
  [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)]).join('');

/** As numbers are dialled, where 1 is 幺. */
const dial = (digits: string): string => spellChinese(digits).replaceAll('一', '幺');

/** Long numbers in the groups that they are dialled in. */
const inFours = (digits: string): readonly string[] =>
  /^1[3-9]\d{9}$/.test(digits)
    ? [digits.slice(0, 3), digits.slice(3, 7), digits.slice(7)]
    : digits.length === 7 || digits.length === 8
      ? [digits.slice(0, -4), digits.slice(-4)]
      : [digits];

/** A million millions is 一万亿, as 兆 is a million elsewhere; CLDR leaves out the 零 behind 亿. */
export function cardinal(digits: string): string {
  if (digits.length > longestNumber) return spellChinese(digits);
  const number = Number(digits);
  if (number < 1e8) return spellOut('cardinal', number);
  const [high, low] = [Math.floor(number / 1e8), number % 1e8];
  const rest = low === 0 ? '' : `${low < 1e7 ? '零' : ''}${spellOut('cardinal', low).replace(/^十(?!万)/, '一十')}`;
  return `${spellOut('cardinal', high)}亿${rest}`;
}

/** 两百, 两千 and 两万, but 二十, 十二 and 一万二千. */
export const sayWhole = (digits: string): string =>
  /^0\d/.test(digits) ? spellChinese(digits) : cardinal(digits).replace(/^二(?=[百千万亿])/, '两');

export const sayNumeral = ({ whole, fraction }: Numeral): string => {
  const words = sayWhole(whole === '' ? '0' : whole);
  return fraction === undefined ? words : `${words}点${spellChinese(fraction)}`;
};

const signs: Readonly<Record<Sign, string>> = { '-': '负', '+': '正', '±': '正负', '~': '约' };
const saySign = (sign: Sign | undefined): string => (sign === undefined ? '' : signs[sign]);

/** A count of two is 两. */
const sayCount = (numeral: Numeral): string =>
  numeral.whole === '2' && numeral.fraction === undefined ? '两' : sayNumeral(numeral);

export const sayAmountWith = (
  say: (numeral: Numeral) => string,
  { sign, first, last, lastSign, magnitude = '' }: Amount,
): string => {
  const firstSaid = last === undefined && magnitude !== '' ? sayCount(first) : say(first);
  return `${saySign(sign)}${firstSaid}${last === undefined ? '' : `到${saySign(lastSign)}${say(last)}`}${magnitude}`;
};

const prefixNames = Object.entries(
  tableOf('pico=皮|nano=纳|micro=微|milli=毫|centi=厘|deci=分|hecto=百|kilo=千|mega=兆|giga=吉|tera=太|peta=拍'),
);
const unitNames = tableOf(`
  meter=米|kilometer=公里|light-year=光年|ten-thousand=万|floor=楼|gram=克|liter=升|second=秒|minute=分钟|hour=小时|day=天|week=周|month=个月|
  year=年|hertz=赫兹|kilohertz=千赫|megahertz=兆赫|gigahertz=吉赫|watt=瓦|watt-hour=瓦时|volt=伏|ampere=安|ampere-hour=安时|joule=焦耳|newton=牛|
  pascal=帕|bar=巴|byte=字节|bit=比特|calorie=卡|ohm=欧姆|farad=法拉|electronvolt=电子伏特|mole=摩尔|tonne=吨|ton=吨|pixel=像素|hectare=公顷|acre=英亩|
  celsius=摄氏度|fahrenheit=华氏度|kelvin=开尔文|degree=度|decibel=分贝|lux=勒克斯|lumen=流明|candela=坎德拉|radian=弧度|mile=英里|yard=码|foot=英尺|
  inch=英寸|pound=磅|ounce=盎司|gallon=加仑|quart=夸脱|pint=品脱|teaspoon=茶匙|tablespoon=汤匙|fluid-ounce=液盎司|square-meter=平方米|
  square-kilometer=平方公里|cubic-meter=立方米|square-foot=平方英尺|cubic-foot=立方英尺|square-mile=平方英里|square-inch=平方英寸|
  cubic-centimeter=立方厘米|horsepower=马力|knot=节|atmosphere=标准大气压|millimeter-ofhg=毫米汞柱|part-per-million=PPM|part-per-billion=PPB|
  frame-per-second=帧每秒|revolution-per-minute=转每分钟|beat-per-minute=次每分钟|dot-per-inch=点每英寸|pixel-per-inch=像素每英寸|
  mile-per-gallon=英里每加仑|pound-force-per-square-inch=磅每平方英寸|arc-minute=分|arc-second=秒|megapixel=百万像素|mile-per-hour=英里每小时|
  liter-per-100-kilometer=升每百公里
`);

function simpleUnit(id: string): string {
  const known = unitNames[id];
  if (known !== undefined) return known;
  const [of = '', per] = id.split('-per-');
  if (per !== undefined) return `${simpleUnit(of)}每${simpleUnit(per)}`;
  for (const [prefix, name] of prefixNames)
    if (id.startsWith(prefix)) return name + simpleUnit(id.slice(prefix.length));
  return id;
}
const powered = ({ id, power }: Unit): string =>
  `${power === 2 ? '平方' : power === 3 ? '立方' : ''}${simpleUnit(id)}${power !== undefined && power !== 2 && power !== 3 ? `的${power}次方` : ''}`;
export const unitName = ({ of, per }: CompoundUnit): string => {
  if (per === undefined) return powered(of);
  const below = /^(?:second|minute|hour)$/.test(per.id) && per.power === 2 ? `${simpleUnit(per.id)}平方` : powered(per);
  return `${powered(of)}每${below}`;
};
const sayUnit = (amount: Amount, unit: CompoundUnit): string => `${sayAmountWith(sayCount, amount)}${unitName(unit)}`;

const currencies = tableOf(`
  $=美元|¥=元|cent=美分|USD=美元|EUR=欧元|GBP=英镑|JPY=日元|CNY=元|KRW=韩元|INR=卢比|RUB=卢布|THB=泰铢|AUD=澳元|CAD=加元|HKD=港元|SGD=新加坡元|TWD=新台币|
  CHF=瑞士法郎|NZD=新西兰元|BRL=巴西雷亚尔|MXN=墨西哥比索|VND=越南盾|MYR=马来西亚林吉特|IDR=印尼盾|PHP=菲律宾比索|TRY=土耳其里拉|SEK=瑞典克朗|NOK=挪威克朗|DKK=丹麦克朗|kr=克朗|
  UAH=乌克兰格里夫纳|ILS=以色列新谢克尔|PLN=波兰兹罗提|ZAR=南非兰特|BTC=比特币|ETH=以太币|NGN=奈拉|MOP=澳门元
`);
const currencyName = (code: string): string => currencies[code] ?? currencyOf('zh', code, 1);
export const factors: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, m: 1e6, M: 1e6, b: 1e9, B: 1e9, bn: 1e9 };

/** `$1.2M` is 120万. */
function multiplied(amount: Amount): Amount {
  const factor = factors[amount.magnitude ?? ''];
  if (factor === undefined) return amount;
  const times = (numeral: Numeral): Numeral => ({ whole: String(Math.round(numberOf(numeral) * factor)) });
  const { first, last, ...rest } = amount;
  return { ...rest, magnitude: undefined, first: times(first), last: last === undefined ? undefined : times(last) };
}

/** Currency written after an amount whose sign says it already: `￥5元`. */
export const namedAgain = /\s?(?:人民币|美元|欧元|英镑|日元|港元|港币|元|块钱|块|圆)/uy;

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

/** Teams of a score, such as `中国1-2日本`, but not `中国1-2月`. */
const team = String.raw`中国|日本|韩国|朝鲜|伊朗|伊拉克|沙特|卡塔尔|澳大利亚|泰国|越南|印度|印尼|德国|法国|英格兰|苏格兰|威尔士|西班牙|葡萄牙|意大利|荷兰|比利时|克罗地亚|瑞士|瑞典|丹麦|波兰|俄罗斯|乌克兰|土耳其|巴西|阿根廷|乌拉圭|智利|墨西哥|美国|加拿大|埃及|摩洛哥|国足|国奥|皇马|巴萨|曼联|曼城|拜仁|切尔西|利物浦|阿森纳|尤文|国米|\p{sc=Han}队`;
const teamBefore = new RegExp(String.raw`(?:${team})\s?$`, 'u');
const teamBehind = new RegExp(String.raw`\s?(?:$|[，。！？；、,.!?;)）]|${team}|[\p{sc=Han}]{2,6}队)`, 'uy');

/** `112-108险胜`, words that follow a score. */
const victory = /(?:险胜|战胜|击败|大胜|完胜|逆转|力克|力压|不敌|负于|输给|惜败|告负|领先|落后|取胜|获胜|胜|负)/uy;

const operatorWords = signsOf(`
  per 每|to 到|-> 到|or 或|+ 加|- 减|− 减|= 等于|== 等于|× 乘以|* 乘以|· 乘|⋅ 乘|÷ 除以|< 小于|> 大于|≈ 约等于|~= 约等于|≠ 不等于|!= 不等于|≥ 大于等于|>= 大于等于|
  ≤ 小于等于|<= 小于等于|± 正负|√ 根号|∛ 三次根号|∞ 无穷大|∑ 求和|∫ 积分|≡ 恒等于|∝ 正比于|∈ 属于|∉ 不属于|∪ 并|∩ 交|≪ 远小于|≫ 远大于|∴ 所以
`);

export const say: Sayings = {
  cardinal({ amount }, place, end) {
    const { text, before, language } = place;
    // `3-2` is a score.
    const { first, last, sign, magnitude } = amount;
    const isScore =
      last !== undefined && sign === undefined && magnitude === undefined && numberOf(last) < numberOf(first);
    const isOfTeams = isNext(text, end, victory) || (isBehind(place, teamBefore) && isNext(text, end, teamBehind));
    if (last !== undefined && (isOfTeams || isBehind(place, language.cues.score)))
      return `${sayNumeral(first)}比${sayNumeral(last)}`;
    if (isScore && numberOf(first) <= 30) return `${sayNumeral(first)}比${sayNumeral(last)}`;
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
  duration: ({ parts }) => parts.map(([number, unit]) => `${sayCount({ whole: number })}${simpleUnit(unit)}`).join(''),
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
};
