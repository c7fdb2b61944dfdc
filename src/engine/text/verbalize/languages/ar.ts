/** Arabic. */
import { calendar, numberRules, unitNames } from '../generated/ar.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('ar', numberRules);

const settings: LanguageSettings = {
  spacing: 'behind',
  country: / أمريكي$/u,
  score: 'مقابل',
  hourForm: 'ordinal-feminine',
  hour: (h) => h,
  units: {
    كم: 'kilometer',
    كجم: 'kilogram',
    كغ: 'kilogram',
    كلغ: 'kilogram',
    غ: 'gram',
    جم: 'gram',
    سم: 'centimeter',
    مل: 'milliliter',
  },
  address: ['نقطة', 'آت', 'شرطة مائلة'],
  half: 'نصف',
  mixed: (whole, part) => `${whole} و${part}`,
  parts: {
    3: ['ثلث', 'أثلاث|أثلاث|ثلثان'],
    4: ['ربع', 'أرباع|أرباع|ربعان'],
    5: ['خمس', 'أخماس|أخماس|خمسان'],
    6: ['سدس', 'أسداس|أسداس|سدسان'],
    7: ['سبع', 'أسباع|أسباع|سبعان'],
    8: ['ثمن', 'أثمان|أثمان|ثمنان'],
    9: ['تسع', 'أتساع|أتساع|تسعان'],
    10: ['عشر', 'أعشار|أعشار|عشران'],
  },
  partsAlone: 2,
  tidy: (said) =>
    said
      .replace(/(ثلاث|أربع|خمس|سبع|تسع)ة مائة/gu, '$1مائة')
      .replace(/ستة مائة/gu, 'ستمائة')
      .replace(/ثماني?ة مائة/gu, 'ثمانمائة')
      .replace(/إحدى عشر(?!ة)/gu, 'أحد عشر')
      .replace(/إثن/gu, 'اثن'),
  hundredths: { USD: 'سنت', EUR: 'سنت', GBP: 'بنس', EGP: 'قرش', SAR: 'هللة', AED: 'فلس' },
  to: 'إلى',
  cents: 'و',
  clock: (h, m) => `${h} و${m} دقيقة`,
  over: 'على',
  plus: 'زائد',
  equals: 'يساوي',
  point: 'فاصلة',
  percent: 'بالمئة',
};

export const create = (): Language => createLanguage({ tag: 'ar', spelling, unitNames, calendar }, settings);
