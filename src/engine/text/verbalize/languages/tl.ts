/** Tagalog. */
import { calendar, numberRules, unitNames } from '../generated/tl.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('tl', numberRules);

/** A number before a noun in Tagalog. */
const linker = (said: string): string =>
  /[aeiou]$/.test(said) ? `${said}ng` : /n$/.test(said) ? `${said}g` : `${said} na`;

const settings: LanguageSettings = {
  intlTag: 'fil',
  country: / ng (?:Estados Unidos|US)$/u,
  tidyCurrency: (name) => name.replace(/ ng$/, ''),
  address: ['tuldok', 'at', 'slash'],
  half: 'kalahati',
  to: 'hanggang',
  hour: (h) => h,
  clock: (h, m) => `${h} ${m}`,
  dateOrder: 'mdy',
  plus: 'plus',
  equals: 'ay',
  linker,
  tidy: (said) =>
    said
      .replace(/ong pu/g, 'umpu')
      .replace(/ang pu/g, 'ampu')
      .replace(/ na pu/g, 'napu'),
  home: ['PHP', 'first'],
};

export const create = (): Language => createLanguage({ tag: 'tl', spelling, unitNames, calendar }, settings);
