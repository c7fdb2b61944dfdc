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
