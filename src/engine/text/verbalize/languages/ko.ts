/** Korean. */
import { isNext, patternClass } from '../place.ts';
import { eastAsianDays, eastAsianRanges } from './families.ts';
import type { LanguageSettings } from './settings.ts';

/** `1번째` */
const firstTime = patternClass('digit', /1(?=\s?번째)/y, () => '첫');

/** Two months leave out a consonant, `09분` its zero. */
const koreanMonths = patternClass(
  { begins: 'digit', isGlued: true },
  /(6|10)월|0(\d)(?=[분초])/y,
  ([, month, whole = ''], { language }) =>
    month === undefined ? language.sayNumeral({ whole }) : month === '6' ? '유월' : '시월',
);

/** `2~3시`, whose counter is said twice. */
const countedRanges = patternClass(
  'digit',
  /([1-9]|1[0-2]) ?[-–~～〜] ?([1-9]|1[0-2]) ?(시간?|명|개(?!월|년)|살|잔|병|장|권|마리|번)(?!\d)/uy,
  ([, first, last, counter], { language: { spelling } }) =>
    [first, last]
      .map((digits) => `${spelling.spellOut('cardinal-native-attributive', Number(digits))} ${counter}`)
      .join('에서 '),
);

/** `500원/개`, which is said the other way around. */
const pricesPer = patternClass(
  'digit',
  /(\d{1,3}(?:,?\d{3}){0,4})원 *\/ *(\p{sc=Hang}{1,4})(?!\p{L})/uy,
  ([, digits = '', per], { language }) => `${per}당 ${language.sayNumeral({ whole: digits.replaceAll(',', '') })}원`,
);

/** Syllables of Unicode are in the order of their final consonants, the first without one. */
const endsInVowel = (said: string): boolean => ((said.codePointAt(said.length - 1) ?? 0) - 0xac00) % 28 === 0;

export const rules: LanguageSettings = {
  words: `
    dashesDates: yes; operators: > 크다, < 작다, ≥ 크거나 같다, ≤ 작거나 같다, ÷ 나누기, √ 루트;
    spacing: none; score: 대; address: 점, 골뱅이, 슬래시; to: 에서; clock: {0} 시 {1} 분; date: {1}월 {0}일|{2}년 {1}월 {0}일; hour: {0} 시;
    hourForm: cardinal-native-attributive; dateOrder: ymd; by: 곱하기; times: 배; plus: 더하기; power: 의 {0}제곱; equals: 는; over: 분의;
    magnitudes: 만=만, 억=억, 조=조, 천=천; range: {0}에서 {1}; fractionOrder: below first; hundredths: USD=센트, EUR=센트;
    percent: 퍼센트; spaceBehindCount: yes; home: KRW last; dayHalves: 오전 |오후 ;
  `,
  country: /^미국 ?/u,
  monthName: (said) => ({ 육: '유', 십: '시' })[said] ?? said,
  counted: ({ text }, end, number, isRange) =>
    number > 0 &&
    !isRange &&
    number < 100 &&
    isNext(
      text,
      end,
      /\s?(?:개(?!월|년)|명|마리|살|번(?!지|째\s?줄|호|\s?(?:승강장|출구|버스|게이트|홈|창구|문제|국도|선수|테이블|채널|트랙))|시(?!간대)|시간|장|권|대(?!\s?[0-9])|잔|병|송이|그루|켤레|채|가지|사람|군데|달|벌|줄|판|통|쌍|자루|배(?!율))/uy,
    )
      ? 'cardinal-native-attributive'
      : undefined,
  tidy: (said) => (said === '공' ? '영' : said),
  mixed: (whole, part) => `${whole}${endsInVowel(whole) ? '와' : '과'} ${part}`,
  classes: [firstTime, koreanMonths, countedRanges, pricesPer, eastAsianDays, eastAsianRanges],
};
