/** Turkish. */

import { romanValue } from '../classes/romans.ts';
import * as generated from '../generated/tr.ts';
import { patternClass } from '../pattern-class.ts';
import { createSpelling } from '../spell-out.ts';
import { defineLanguage } from './define-language.ts';
import { isSaidPart } from './parts.ts';

const spelling = createSpelling('tr', generated.numberRules);

/** The apostrophe of `14:35'te`, whose suffix is spoken with the number. */
const turkishSuffixes = patternClass(
  { begins: ['sign'], behind: /(?:[\d%]|\d ?(?:°C|dk|sn|sa|k?[gm]|[cm]m|ml|lt?))$/, isGlued: true },
  /['’](?=\p{Ll}{1,6}(?!\p{L}))/uy,
  () => '',
);

/** `14.30'da` */
const turkishTimes = patternClass(
  { begins: ['digit'], digitsBefore: ['number'] },
  /([01]?\d|2[0-3])\.([0-5]\d)(?=['’](?:[dt][ae]n?|[yn]?[ae])(?!\p{L}))/uy,
  ([, hour, minute]) => ({ kind: 'time', first: { hour: Number(hour), minute: Number(minute) } }),
);

/** Roman numerals that Turkish marks as ordinals: `II. Abdülhamid`. */
const turkishRomans = patternClass({ begins: ['letter'] }, /([IVX]{1,6})\.(?= \p{L}{3})/uy, ([, letters = '']) => {
  const value = romanValue(letters);
  return value === undefined ? undefined : spelling.spellOut('ordinal', value);
});

/** "beşte", "dörtte", "onda" */
const locative = (said: string): string => {
  const [vowel = ''] = said.match(/[aeıioöuü](?=[^aeıioöuü]*$)/u) ?? [];
  return said + (/[fstkçşhp]$/u.test(said) ? 't' : 'd') + (/[eiöü]/u.test(vowel) ? 'e' : 'a');
};

export const create = defineLanguage('tr', generated, {
  spelling,
  abbreviations: {
    open: 'örn.=örneğin|bkz.=bakınız|tel.=telefon|yakl.=yaklaşık',
    titles: 'Dr.=doktor|Prof.=profesör|Doç.=doçent|Sn.=sayın|Av.=avukat',
    numbered:
      'No:=numara|no.=numara|No.=numara|s.=sayfa|MÖ=milattan önce|MS=milattan sonra|M.Ö.=milattan önce|M.S.=milattan sonra',
    closing: 'vb.=ve benzeri|vs.=vesaire|yy.=yüzyıl|Cad.=caddesi|Sok.=sokak|Mah.=mahallesi',
  },
  telephoneWords: 'tel|telefon',
  timeWords: 'saat',
  ordinalNouns: /\.[ \u00a0](?:yüzyıl\p{L}*|kat(?!\p{L})|sınıf\p{L}*|dünya)/uy,
  unitSuffix: /['’]/y,
  percentFirst: true,
  country: /^ABD ?| ABD$/u,
  tidyCurrency: (name) => name.replace(/lirası$/, 'lira'),
  names: [turkishTimes, turkishSuffixes, turkishRomans],
  units: { dk: 'minute', sn: 'second', sa: 'hour' },
  score: '',
  address: ['nokta', 'et', 'bölü'],
  half: 'yarım',
  mixed: (whole, part) => (part === 'yarım' ? `${whole} buçuk` : `${whole} tam ${part}`),
  part: (below) => (isSaidPart(below) ? locative(spelling.spellOut('cardinal', below)) : undefined),
  partBelowFirst: true,
  hundredths: 'TRY=kuruş, EUR=sent, USD=sent',
  to: 'ila',
  hour: (h) => h,
  perWord: '{1} başına {0}',
  readsWeekdays: true,
  clock: (h, m) => `${h} ${m}`,
  plus: 'artı',
  equals: 'eşittir',
  times: 'kat',
  by: 'çarpı',
  over: 'bölü',
  ordinals: /\.(?=[ \u00a0]\p{Ll})|['’]?(?:inci|ıncı|uncu|üncü|nci|ncı|ncu|ncü)(?!\p{L})/uy,
  ordinalForm: () => 'ordinal',
  magnitudes: 'milyon=milyon, milyar=milyar, bin=bin, mn=milyon, mr=milyar',
  countedRomans: 'bölüm|cilt|kısım',
  home: ['TRY', 'last'],
});
