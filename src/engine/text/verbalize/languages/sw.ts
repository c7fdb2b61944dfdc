/** Swahili. */
import { calendar, numberRules, unitNames } from '../generated/sw.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('sw', numberRules);

const settings: LanguageSettings = {
  address: ['nukta', 'at', 'mkwaju'],
  half: 'nusu',
  to: 'hadi',
  clock: (h, m) => `${h} na dakika ${m}`,
  plus: 'jumlisha',
  equals: 'sawa na',
  over: 'kwa',
  currencyFirst: true,
};

export const create = (): Language => createLanguage({ tag: 'sw', spelling, unitNames, calendar }, settings);
