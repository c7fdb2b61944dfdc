/** Japanese. */
import { patternClass } from '../place.ts';
import { eastAsianDays, eastAsianRanges } from './families.ts';
import type { LanguageSettings } from './settings.ts';

/** `0時`, in which 〇 is no number */
const midnight = patternClass('digit', /0(?=時)/y, () => '零');

/** Numbers of Japanese addresses: `千代田区1-1-1`. */
const japaneseAddresses = patternClass(
  { begins: 'digit', behind: /[区町村市丁条]$/u, isGlued: true },
  /\d{1,4}(?:-\d{1,4}){1,3}(?!\d)/y,
  ([numbers], { language }) =>
    numbers
      .split('-')
      .map((number) => language.spelling.spellOut('cardinal', Number(number)))
      .join('の'),
);

export const rules: LanguageSettings = {
  words: `
    dashesDates: yes; operators: > 大なり, < 小なり, ≥ 大なりイコール, >= 大なりイコール, ≤ 小なりイコール, <= 小なりイコール, ≠ ノットイコール, ÷ 割る, √ ルート, ≈ ほぼイコール;
    spacing: before; joinsUnits: yes; hundredths: USD=セント, EUR=セント; isUnspaced: yes; score: 対;
    address: ドット, アットマーク, スラッシュ; to: から; perWord: {1}あたり{0};
    rates: 月=一か月, 人=一人, 名=一名, 個=一個, 日=一日, 泊=一泊, 回=一回, 台=一台, 年=一年, 枚=一枚, 本=一本; clock: {0}時{1}分; date: {1}月{0}日|{2}年{1}月{0}日; hour: {0}時; point: 点;
    dateOrder: ymd; by: かける; times: 倍; over: 分の; mixed: {0}と{1}; plus: 足す; power: の{0}乗; equals: イコール; magnitudes: 万=万, 億=億, 兆=兆, 千=千;
    dayHalves: 午前|午後; currencies: ¥=JPY, 円=JPY; fractionOrder: below first;
  `,
  country: /^米/u,
  names: [japaneseAddresses, midnight],
  classes: [eastAsianDays, eastAsianRanges],
};
