/** Japanese. */
import { calendar, numberRules, unitNames } from '../generated/ja.ts';
import type { Language } from '../language.ts';
import { patternClass } from '../pattern-class.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import { eastAsianRanges } from './east-asian-ranges.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('ja', numberRules);

/** Numbers of Japanese addresses: `千代田区1-1-1`. */
const japaneseAddresses = patternClass(
  { begins: ['digit'], behind: /[区町村市丁条]$/u, isGlued: true },
  /\d{1,4}(?:-\d{1,4}){1,3}(?!\d)/y,
  ([numbers]) =>
    numbers
      .split('-')
      .map((number) => spelling.spellOut('cardinal', Number(number)))
      .join('の'),
);

const settings: LanguageSettings = {
  spacing: 'before',
  joinsUnits: true,
  country: /^米/u,
  names: [japaneseAddresses],
  classes: [eastAsianRanges],
  hundredths: { USD: 'セント', EUR: 'セント' },
  isUnspaced: true,
  score: '対',
  address: ['ドット', 'アットマーク', 'スラッシュ'],
  to: 'から',
  perWord: (said, per) => `${{ 月: '一か月' }[per] ?? (per.length === 1 ? `一${per}` : per)}あたり${said}`,
  clock: (h, m) => `${h}時${m}分`,
  hour: (h) => `${h}時`,
  date: (d, m, y) => `${y === undefined ? '' : `${y}年`}${m}月${d}日`,
  point: '点',
  dateOrder: 'ymd',
  by: 'かける',
  times: '倍',
  over: '分の',
  mixed: (whole, part) => `${whole}と${part}`,
  plus: '足す',
  equals: 'イコール',
  magnitudes: { 万: '万', 億: '億', 兆: '兆', 千: '千' },
  currencies: { '¥': 'JPY', 円: 'JPY' },
  fractionOrder: 'below first',
};

export const create = (): Language => createLanguage({ tag: 'ja', spelling, unitNames, calendar }, settings);
