import { describe, expect, it } from '@jest/globals';
import { verbalizeText } from '../../../src/engine/text/verbalize/verbalize.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<typeof import('../../../src/engine/text/verbalize/verbalize.ts')>(
  'src/engine/text/verbalize/verbalize.ts',
);

const english: readonly (readonly [text: string, spoken: string])[] = [
  // Numbers
  ['3 cats', 'three cats'],
  ['1,234,567.89', 'one million two hundred thirty-four thousand five hundred sixty-seven point eight nine'],
  ['3.14 and 1.0 and 0.05', 'three point one four and one point zero and zero point zero five'],
  ['-5 or -3.2', 'minus five or minus three point two'],
  ['007', 'zero zero seven'],
  [
    '12345678901234567890',
    'one two three four five six seven eight nine zero one two three four five six seven eight nine zero',
  ],
  ['1st 2nd 3rd 21st 101st', 'first second third twenty-first one hundred first'],
  ['1/2, 2/3, 3/4, 5/7, 12/37', 'one half, two thirds, three quarters, five sevenths, twelve over thirty-seven'],
  ['2½ and ¾', 'two and one half and three quarters'],
  ['10-20 people, 3:2', 'ten to twenty people, three to two'],
  ['v1.2.3 and 10.4.1, v2', 'version one point two point three and ten point four point one, version two'],
  ['COVID-19, MP3, B2B, 4K', 'COVID nineteen, MP three, B two B, four K'],
  ['a 10-year-old', 'a ten-year-old'],
  ['2 + 2 = 4 & more', 'two plus two equals four and more'],
  ['#7 and No. 5 and pp. 3-5', 'number seven and number five and pages three to five'],
  // Dates and times
  ['On 2026-11-21', 'On November twenty-first, twenty twenty-six'],
  ['11/21/2026, 21/11/2026', 'November twenty-first, twenty twenty-six, November twenty-first, twenty twenty-six'],
  ['Nov. 21, 2026', 'November twenty-first, twenty twenty-six'],
  ['21 November 2026', 'the twenty-first of November, twenty twenty-six'],
  ['May 5 and March 3rd', 'May fifth and March third'],
  ['in June 1905', 'in June nineteen oh five'],
  ['In 1999, since 2006.', 'In nineteen ninety-nine, since two thousand six.'],
  ['the year 1900', 'the year nineteen hundred'],
  ['in 2000 boxes', 'in two thousand boxes'],
  ['1990-1995', 'nineteen ninety to nineteen ninety-five'],
  ["the 1990s, the '80s", 'the nineteen nineties, the eighties'],
  ['9:05 am, 12:30, 14:00', "nine oh five AM, twelve thirty, fourteen o'clock"],
  ['at 9 a.m. He left at 3pm.', 'at nine AM. He left at three PM.'],
  // Money
  ['$3.50, $0.99, $1, $20', 'three dollars and fifty cents, ninety-nine cents, one dollar, twenty dollars'],
  ['$1.5 million, $5M, €3bn', 'one point five million dollars, five million dollars, three billion euros'],
  ['£1.01 ¥500 20 USD', 'one pound and one penny five hundred yen twenty US dollars'],
  // Measures
  ['5 km, 1 km, 16GB, 3.5 GHz', 'five kilometers, one kilometer, sixteen gigabytes, three point five gigahertz'],
  ['100 km/h, 20 m², 5 mL', 'one hundred kilometers per hour, twenty square meters, five milliliters'],
  ['12.5%, 20°C, 1°', 'twelve point five percent, twenty degrees Celsius, one degree'],
  // Telephone numbers
  ['555-1234', 'five five five, one two three four'],
  ['(212) 555-0199', 'two one two, five five five, zero one nine nine'],
  // Abbreviations and addresses
  ['Mr. Smith and Dr. Who', 'Mister Smith and Doctor Who'],
  ['e.g. this, i.e. that, etc. Then', 'for example this, that is that, et cetera. Then'],
  ['St. Mary vs. him', 'Saint Mary versus him'],
  [
    'See https://example.com/a-b. Mail me@example.org!',
    'See example dot com slash a dash b. Mail me at example dot org!',
  ],
  ['nothing to do, really', 'nothing to do, really'],
];

const chinese: readonly (readonly [text: string, spoken: string])[] = [
  ['有3个', '有三个'],
  ['2个苹果，12个梨，第2个，2年级', '两个苹果，十二个梨，第二个，二年级'],
  ['2万和2亿', '两万和两亿'],
  ['1,234,567人', '一百二十三万四千五百六十七人'],
  ['10010号', '一万零一十号'],
  ['圆周率3.14', '圆周率三点一四'],
  ['零下-5度', '零下负五度'],
  ['编号007', '编号零零七'],
  ['2026年11月21日', '二零二六年十一月二十一日'],
  ['2026-11-21和2026/1/5的会', '二零二六年十一月二十一日和二零二六年一月五日的会'],
  ['1990-1995年', '一九九零到一九九五年'],
  ['12:30开始，9:05结束，2:00吃饭', '十二点三十分开始，九点零五分结束，两点整吃饭'],
  ['增长12.5%，20%到30%，5‰', '增长百分之十二点五，百分之二十到百分之三十，千分之五'],
  ['¥100，$3.5万，€20，3.5万元', '一百元，三点五万美元，二十欧元，三点五万元'],
  ['3.5km，2kg，100km/h，50m²，-5°C气温', '三点五公里，两千克，一百公里每小时，五十平方米，负五摄氏度气温'],
  ['3/4的人，10-20岁，3~5天', '四分之三的人，十到二十岁，三到五天'],
  ['电话13812345678', '电话幺三八，幺二三四，五六七八'],
  ['电话010-12345678', '电话零幺零，幺二三四，五六七八'],
  ['比分3:2，3×5=15', '比分三比二，三乘以五等于十五'],
  ['版本3.1.2，COVID-19', '版本三点一点二，COVID 十九'],
  ['iPhone 15发布', 'iPhone 十五发布'],
  ['没有数字', '没有数字'],
];

const mixed: readonly (readonly [text: string, spoken: string])[] = [
  ['他说I have 3 dogs and 2 cats然后走了2次', '他说I have three dogs and two cats然后走了两次'],
  ['我有3个apple', '我有三个apple'],
  ['5%', 'five percent'],
  // Unsupported languages are not changed.
  ['ここに3つ', 'ここに3つ'],
  ['У меня 3 кота', 'У меня 3 кота'],
  ['고양이 3마리', '고양이 3마리'],
];

describe('verbalizeText', () => {
  it.each(english)('English: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });
  it.each(chinese)('Chinese: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });
  it.each(mixed)('mixed and others: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });

  it.each([
    ['Say {HH AH0 L OW1} 2 times [laughing].', 'Say {HH AH0 L OW1} two times [laughing].'],
    ['他说{ni3}{hao3}2次[sigh]。', '他说{ni3}{hao3}两次[sigh]。'],
    ['[Uhm] No. 5 [Question-ah]', '[Uhm] number five [Question-ah]'],
    ['See https://example.com/{ni3} and {hao3}', 'See example dot com slash {ni3} and {hao3}'],
    // Not tags or phonemes: a reference and a set.
    ['See [2] and {3, 4}', 'See [two] and {three, four}'],
    ['\u{f0001} 2 [sigh]', '\u{f0001} two [sigh]'],
  ])('does not change tags and phonemes: %s', (text, spoken) => {
    expect(verbalizeText(text)).toBe(spoken);
  });

  it.each([
    ['', '[a '],
    ['', '{a'],
    ['[', 'a '],
    ['', '{a1}'],
    ['', '1'],
    ['', '1.'],
    ['', '1-'],
    ['', '中1'],
    ['', 'a@'],
  ])('takes linear time for %j and many %j', async (start, piece) => {
    const verbalize = (count: number) => counted.verbalizeText(start + piece.repeat(count));
    expect(await growthOf(verbalize, 5_000, 20_000)).toBeLessThan(5);
  });
});
