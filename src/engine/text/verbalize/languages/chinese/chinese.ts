/** How Chinese is written and spoken, and what it alone writes: dates, years, numbers that name something, signs. */
import { mapOf, tableOf } from '../../../table.ts';
import { addresses, socialNames } from '../../classes/addresses.ts';
import { isDay, isMonth, numericDates } from '../../classes/dates.ts';
import { identifiers } from '../../classes/identifiers.ts';
import { numbersInOrder } from '../../classes/in-order.ts';
import { greekLettersWith } from '../../classes/maths.ts';
import { countsPer, readUnit } from '../../classes/measures.ts';
import { ordinalsWith } from '../../classes/numbers.ts';
import { telephones } from '../../classes/telephones.ts';
import { times } from '../../classes/times.ts';
import type { Language, Place } from '../../language.ts';
import { isBehind, isNext, patternClass, reading, take, tokenClass } from '../../place.ts';
import { english } from '../english/english.ts';
import {
  factors,
  namedAgain,
  say,
  sayAmountWith,
  sayNumeral,
  sayWhole,
  spellChinese,
  spelling,
  unitName,
} from './say.ts';

const fullDate = /(\d{4}|\d{2})\s?年\s?(\d{1,2})\s?月(?:份)?(?:\s?(\d{1,2})\s?([日号號]))?/y;
const monthDay = /(\d{1,2})\s?月\s?(\d{1,2})\s?([日号號])?(?!\d|\.\d)/y;
const monthRange = /(\d{1,2})\s?[-–~～至到]\s?(\d{1,2})\s?月(?!\d|之)/y;
const monthOnly = /(\d{1,2})\s?月(?=份|[初末中底上下旬]|$|[^\d个])/y;
const slashes =
  /(\d{2}|\d{4})\/(\d{1,2})\/(\d{1,2})(?:\s?[日号號]|(?<=(?<!\d)\d\d\/\d{1,2}\/\d{1,2})(?![\d/]|[.,]\d))/y;
const westernEra = /(\d{1,4}) ?(ad|AD|a\.d\.|A\.D\.|bc|BC|b\.c\.|B\.C\.|bce|BCE)(?![\p{Script=Latin}\d])/uy;
const yearMonth = /([12]\d{3})[-/.](0[1-9]|1[0-2])(?![\d]|[-/.]\d|\p{L}(?<!\p{Script=Han}))/uy;

/** A year of any length: `公元618年`, `（618年－907年）`. */
const eraBefore = /(?:公元前?|西元前?|前)$/u;
const eraYear = /\d{1,4}(?=\s?年)/y;
const eraRange = /(\d{3,4})年[-－–—~～至到](\d{3,4})(?=年)/uy;

/** Before a number of years that are counted, and behind it. */
const counted =
  /(?:有|近|约|約|大约|长达|長達|超过|超過|了|每|隔|达|達|历经|歷經|历时|整整|至少|最多|将近|将|已|共|过去|過去|前后|经过|经历|持续|距今|超|逾|不到|满|再过|多于|少于|小于|大于|几乎|差不多|晚|早|相差|最长|平均|享年|寿命|延续|存续|绵延|跨越|相距|不足|接近|高达|仅|只|花|用|等|活|住|坐牢|判)\s?$/u;
const countedBehind =
  /\s?年(?:的?(?:历史|歷史|时间|時間|光阴|岁月|寿命|生命|跨度|统治|传统|古树|古刹|老)|之久|之间|以上|以下|左右|有余|多|来(?!自)|內|间|间隔|后的今天|一遇|如一日|前的文)/uy;

const plain = (digits = ''): string => sayWhole(String(Number(digits)));
const lastDayBehind = /\s?[-–—~～至到]\s?(\d{1,2})\s?([日号號])/y;
const dayReading = reading(monthDay, ([, month, day, mark = ''], _, cursor) => {
  if (!isMonth(Number(month)) || !isDay(Number(day))) return undefined;
  const said = `${plain(month)}月${plain(day)}${mark}`;
  const end = cursor.at;
  // `1月5日—2月10日`
  if (mark !== '' && take(cursor, /[-－–—~～](?=\d{1,2}月|\d{4}年)/uy) !== undefined) return `${said}到`;
  // `3月5-8日`
  const [, lastDay, lastMark = ''] = take(cursor, lastDayBehind) ?? [];
  if (isDay(Number(lastDay))) return `${said}到${plain(lastDay)}${lastMark}`;
  cursor.at = end;
  return mark === '' ? undefined : said;
});

export const dates = tokenClass(
  'digit',
  reading(fullDate, ([, year = '', month, day, mark]) => {
    const isDate = isMonth(Number(month)) && (day === undefined || isDay(Number(day)));
    return isDate ? `${spellChinese(year)}年${plain(month)}月${day === undefined ? '' : plain(day) + mark}` : undefined;
  }),
  reading(westernEra, ([, year = '', name = '']) => `公元${/^b/i.test(name) ? '前' : ''}${spellChinese(year)}年`),
  reading(slashes, ([, year = '', month, day]) =>
    isMonth(Number(month)) && isDay(Number(day))
      ? `${spellChinese(year)}年${plain(month)}月${plain(day)}日`
      : undefined,
  ),
  reading(monthRange, ([, first, last]) =>
    isMonth(Number(first)) && isMonth(Number(last)) ? `${plain(first)}到${plain(last)}月` : undefined,
  ),
  dayReading,
  reading(monthOnly, ([, month]) => (isMonth(Number(month)) ? `${plain(month)}月` : undefined)),
  reading(yearMonth, ([, year = '', month]) => `${spellChinese(year)}年${plain(month)}月`),
);

const yearRange = /(\d{4})\s?[-–—~～至到]\s?(\d{4}|\d{2})(?=\s?(?:年|赛季|学年|财年))/y;
const year = /([12]\d{3})(?=\s?(?:年|赛季|学年|财年)|(?<=(?:19|20)\d\d)\s?(?:级(?!台阶)|届|款(?!项)|版(?!本)))/uy;
/** `《1984》` and `（2023）民终` */
const bracketed = /(?:19|20)\d\d(?=[)）》〕\]])/uy;
const shortYear = /(\d{2})(?=\s?[年级届](?![代龄]))/uy;
const decade = /(\d{2}|\d{4})\s?(后|後)(?=\p{Script=Han}|$|[，。、！？,.!?”"])(?!来|面|期|续|天|边|者|退|方|悔)/uy;
const opening = /[(（《〔[]$/;
const ages = /([12]\d{2}0)\s?年代/y;
const century = /世纪\s?$|世紀\s?$/u;

/** `2000年前` is long ago. */
const thousands = /(?<=[12]000)\s?年前/uy;

const isCounted = (place: Place, end: number): boolean =>
  isNext(place.text, end, thousands) || isBehind(place, counted) || isNext(place.text, end, countedBehind);

export const years = tokenClass(
  'digit',
  reading(eraYear, ([year], place) => {
    const isEra = isBehind(place, eraBefore) && !/以前$|之前$|[^元]前$/u.test(place.before);
    return isEra ? (/^[1-9]00$/.test(year) ? sayWhole(year) : spellChinese(year)) : undefined;
  }),
  reading(eraRange, ([, first = '', last = '']) => `${spellChinese(first)}年到${spellChinese(last)}`),
  reading(bracketed, ([year], place) => (isBehind(place, opening) ? spellChinese(year) : undefined)),
  reading(ages, ([, year = ''], { before }) => (century.test(before) ? undefined : `${spellChinese(year)}年代`)),
  reading(yearRange, ([, first = '', last = ''], place, { at }) => {
    const isAmount = last.length === 4 && (isCounted(place, at) || Number(first) > 2200);
    return [first, last].map(isAmount ? sayWhole : spellChinese).join('到');
  }),
  reading(year, ([, digits = ''], place, { at }) => (isCounted(place, at) ? sayWhole(digits) : spellChinese(digits))),
  // `90后`, and not `30后来`.
  reading(decade, ([, digits = '', after], { before }) =>
    /0$|[5-9]\d$/.test(digits) && !/第|[十百千]$/.test(before) ? spellChinese(digits) + after : undefined,
  ),
  // `98年` is a year, `12年` more often a time.
  reading(shortYear, ([, digits = ''], place, { at }) =>
    /^(?:0\d|[89]\d)$/.test(digits) && place.text.slice(at, at + 2).includes('年') && !isCounted(place, at)
      ? spellChinese(digits)
      : undefined,
  ),
);

/** Numbers that are names, digit by digit. */
const names =
  /(?:985|211)(?=\s?(?:高校|工程|大学|院校|名校|、|和|\/))|996(?=\s?(?:工作制|模式|的|[，。]|$))|911(?=\s?(?:事件|恐怖))|618(?=\s?(?:大促|购物节|活动|促销|年中))|315(?=\s?晚会)/uy;

const cue =
  /(?:电话|電話|拨打|撥打|拨|致电|致電|报警|報警|匪警|火警|急救|热线|熱線|客服|邮编|邮政编码|验证码|驗證碼|尾号|后四位|QQ|QQ号|QQ群|微信|微信号|航班|班次|编号|編號|卡号|账号|帐号|学号|工号|车牌|车牌号|密码|密碼|号码|號碼|号|號|单号|订单|订单号|身份证|身份证号|查询|传真|傳真|手机|手機|短信|拨通|代码|代碼|股票代码|识别码|邀请码|取件码|提取码|序列号|房间|口令|打|发送|转|分机|交通事故|ID|id|Id)(?:[是为為：: ]{0,3}|号码?(?:[是为為：: ]{0,3}))$/u;
const weakCue = /(?:打|号|號|转|查询|订单|房间|发送)$/u;
const mobile = /1[3-9]\d{9}(?![\d.,])/y;
const service =
  /(?:110|112|114|119|120|122|123(?:05|06|15|18|20|33|45|48|66|80)|100(?:00|01|10|86)|125(?:80|90)|95\d{3}|96\d{3,4})(?![\d.,])/y;
const serviceBehind =
  /\s?(?:热线|熱線|电话|電話|打[个了一]{0,2}电话|平台|客服|服务|服務|报警|急救|火警|匪警|投诉|举报|咨询|求助|短信|查询|$|[，。、！？；,!?;”"）)/])/uy;
const unitBehind = /\s?(?:[元块米个岁人年月日天次度分斤克吨升章页题名位件条倍层]|[%℃°]|[a-zA-Z])/uy;
const digitsOnly = /(\d{3,20})(?:([ -])(\d{3,8}))?(?:\2(\d{3,8}))?(?![\d\p{Script=Latin}]|[.,]\d|:\d)/uy;
const codeLetters = /(?:航班|车次|列车|高铁|动车|车牌|车牌号|牌照|编号|型号)[号：: ]?\p{Script=Han}?[A-Z]{1,3}$/u;

const perSlash =
  /[/／](?:(小时|分钟|公斤|公里|平方?米|㎡|[片天日月次人年套件台个晚张位份只瓶盒袋斤箱秒分米吨]|(?:km|kg|h|d|day|min|mL|L)(?![a-zA-Z²³]|[23](?!\d)))(?!\p{L}(?<!\p{Script=Han}))|(?=\d{1,4}(?:\.\d{1,3})?\s?(?:公里|千米|公斤|小时|分钟|天|克|毫升|平方米|人|次|km|kg|mL|h|g)))/uy;

/** `25元/用户/月`, a word that a price is for. */
const perPrice = /[/／](\p{sc=Han}{1,4})(?!\p{L})/uy;
const behindPrice = /\d ?[万亿]?(?:元|块|[美欧港日]元)(?:[/／]\p{sc=Han}{1,4})?$/u;

/** The dash of `上午9点—下午5点` and `周一-周五`. */
const rangeDashes = patternClass(
  { begins: 'sign', behind: /(?:[年月日号號点點时時分元岁]|周[一二三四五六日])$/u },
  /[-–—~～](?=\d|周|[上下]午|晚上|早上)/uy,
  () => '到',
);

const perNames = tableOf(`
  ㎡=平方米|km=公里|kg=千克|h=小时|d=天|day=天|min=分钟|mL=毫升|L=升
`);

/** `500mg/片`, `5.6万/㎡`, `25元/用户/月` and `13元/3公里`. */
const perSlashes = tokenClass('sign', (cursor, place) => {
  const isPrice = isBehind(place, behindPrice);
  const [written, unit = ''] = take(cursor, perSlash) ?? (isPrice ? take(cursor, perPrice) : undefined) ?? [];
  if (written === undefined) return undefined;
  if (!isPrice && !/(?:\d|[元万亿千百克升次件个台字转帧人]|[\d元]?[a-zA-Z]{1,3})$/u.test(place.before))
    return undefined;
  // `1/3千克` is a fraction.
  if (unit === '' && /\d$/.test(place.before)) return undefined;
  return `每${perNames[unit] ?? unit}`;
});

const trainLetter = /(?<![A-Za-z])[GDCKTZLYS]$/;
const train = /\d{1,4}(?=\s?(?:次|列车|高铁|动车))/uy;
const plateLetter = /[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][·•]?$/u;
const plate = /\d{4,6}(?!\d)/y;
const room = /\d{3,4}(?=\s?(?:室|号房|房间|会议室|教室|寝室|宿舍))/uy;

/** Numbers to dial, and codes, digit by digit. */
export const dialled = tokenClass({ begins: 'digit', isGlued: true }, (cursor, place) => {
  const dialed = (kind: 'telephone' | 'digits' = 'telephone') =>
    ({ kind, groups: [place.text.slice(place.start, cursor.at)] }) as const;
  if (isBehind(place, codeLetters) && take(cursor, /\d{3,8}(?!\d|\.\d)/y) !== undefined) return dialed();
  // `G1234次`, `1203室`, `京A·12345`
  if (isBehind(place, trainLetter) && take(cursor, train) !== undefined) return dialed();
  if (isBehind(place, plateLetter) && take(cursor, plate) !== undefined) return dialed('digits');
  if (!place.isBorder) return undefined;
  if (take(cursor, room) !== undefined) return dialed();
  if (take(cursor, names) !== undefined) return dialed('digits');
  const isService =
    take(cursor, service) !== undefined &&
    isNext(place.text, cursor.at, serviceBehind) &&
    /(?:^|[\s，。、（(“"/是])$|\p{Script=Han}$/u.test(place.before);
  if (take(cursor, mobile) !== undefined) return dialed();
  const isBare = /^$|[\s，。、（(“"/]/u.test(place.before.slice(-1));
  const isNamed = isNext(
    place.text,
    cursor.at,
    /\s?(?:热线|熱線|电话|電話|打[个了一]{0,2}电话|客服|服务平台|平台|报警|报火警|急救|火警|匪警|投诉|举报|咨询|求助)/uy,
  );
  // Alone, it is more often ten thousand.
  const isAmount = /^1000[01]$/.test(place.text.slice(place.start, cursor.at)) && !isNamed;
  if (
    isService &&
    !isAmount &&
    (isNamed ||
      (isBare && cursor.at - place.start > 3) ||
      (place.before === '' && cursor.at === place.text.length) ||
      (isBare && /[/、]/.test(place.text[cursor.at] ?? '')) ||
      /[/、]$/.test(place.before))
  )
    return dialed();
  cursor.at = place.start;
  if (!isBehind(place, cue)) return undefined;
  const match = take(cursor, digitsOnly);
  if (match === undefined) return undefined;
  if (isNext(place.text, cursor.at, unitBehind) && (weakCue.test(place.before) || (match[1] ?? '').length < 5))
    return undefined;
  // `第3号100`, `3号200`
  if (/\d[号號]$/.test(place.before)) return undefined;
  const groups = [match[1], match[3], match[4]].filter((group) => group !== undefined);
  return { kind: 'telephone', groups };
});

export const greekLetters = greekLettersWith(
  '阿尔法 贝塔 伽马 德尔塔 艾普西隆 泽塔 伊塔 西塔 约塔 卡帕 兰姆达 缪 纽 克西 奥米克戎 派 柔 西格玛 陶 宇普西隆 斐 希 普西 欧米伽',
);

/** `每km` */
const perUnits = tokenClass({ begins: 'letter', isGlued: true }, (cursor, place) => {
  if (!place.before.endsWith('每')) return undefined;
  const unit = readUnit(cursor, place.language);
  return unit === undefined ? undefined : unitName(unit);
});

/** `3000+人`, `5w+` */
const andMore = patternClass(
  { begins: 'sign', behind: /[\dwW万亿千百]$/u },
  /\+(?=\p{sc=Han}|[，。、；）)]|$)/uy,
  (_, { before }) => (/[1-9]$/.test(before) ? '加' : '多'),
);

/** `按#键` */
const signKeys = patternClass('sign', /[#*＃＊]号?(?=\s?(?:键|结束))/uy, ([key]) =>
  /[#＃]/.test(key) ? '井号' : '星号',
);

/** `-百分之1` */
const minusPercent = patternClass({ begins: 'sign', isGlued: false }, /[-−](?=[百千万]分之)/uy, () => '负');

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
