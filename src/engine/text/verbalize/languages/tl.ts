/** Tagalog. */
import * as generated from '../generated/tl.ts';
import { defineLanguage } from './define-language.ts';

/** A number before a noun in Tagalog. */
const linker = (said: string): string =>
  /[aeiou]$/.test(said) ? `${said}ng` : /n$/.test(said) ? `${said}g` : `${said} na`;

export const create = defineLanguage('tl', generated, {
  words: `
    intlTag: fil; address: tuldok, at, slash; half: kalahati; to: hanggang; hour: {0}; clock: {0} {1}; dateOrder: mdy;
    plus: plus; equals: ay; home: PHP first;
  `,
  country: / ng (?:Estados Unidos|US)$/u,
  tidyCurrency: (name) => name.replace(/ ng$/, ''),
  linker,
  tidy: (said) =>
    said
      .replace(/ong pu/g, 'umpu')
      .replace(/ang pu/g, 'ampu')
      .replace(/ na pu/g, 'napu'),
});
