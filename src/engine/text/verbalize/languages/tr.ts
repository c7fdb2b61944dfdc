/** Turkish. */
import { romanValue } from '../classes/romans.ts';
import { patternClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

/** The apostrophe of `14:35'te`, whose suffix is spoken with the number. */
const turkishSuffixes = patternClass(
  { begins: 'sign', behind: /(?:[\d%]|\d ?(?:°C|dk|sn|sa|k?[gm]|[cm]m|ml|lt?))$/ },
  /['’](?=\p{Ll}{1,6}(?!\p{L}))/uy,
  () => '',
);

/** `14.30'da` */
const turkishTimes = patternClass(
  { begins: 'digit', digitsBefore: ['number'] },
  /([01]?\d|2[0-3])\.([0-5]\d)(?=['’](?:[dt][ae]n?|[yn]?[ae])(?!\p{L}))/uy,
  ([, hour, minute]) => ({ kind: 'time', first: { hour: Number(hour), minute: Number(minute) } }),
);

/** Roman numerals that Turkish marks as ordinals: `II. Abdülhamid`. */
const turkishRomans = patternClass('letter', /([IVX]{1,6})\.(?= \p{L}{3})/uy, ([, letters = ''], { language }) => {
  const value = romanValue(letters);
  return value === undefined ? undefined : language.spelling.spellOut('ordinal', value);
});

/** "beşte", "dörtte", "onda" */
const locative = (said: string): string => {
  const [vowel = ''] = said.match(/[aeıioöuü](?=[^aeıioöuü]*$)/u) ?? [];
  return said + (/[fstkçşhp]$/u.test(said) ? 't' : 'd') + (/[eiöü]/u.test(vowel) ? 'e' : 'a');
};

export const rules: LanguageSettings = {
  words: `
    telephoneWords: tel|telefon; timeWords: saat; percentFirst: yes; units: dk=minute, sn=second, sa=hour; score: ;
    address: nokta, et, bölü, tire, alt çizgi; half: yarım; partBelowFirst: yes; currencies: lira=TRY; hundredths: TRY=kuruş, EUR=sent, USD=sent; to: ila;
    hour: {0}; perWord: {1} başına {0}; readsWeekdays: yes; clock: {0} {1}; plus: artı; power: üzeri {0}; equals: eşittir; times: kat;
    by: çarpı; over: bölü; ordinalForm: ordinal;
    magnitudes: milyon=milyon, milyar=milyar, bin=bin, mn=milyon, mr=milyar; countedRomans: bölüm|cilt|kısım;
    home: TRY last;
  `,
  abbreviations: {
    open: 'örn.=örneğin|bkz.=bakınız|tel.=telefon|yakl.=yaklaşık',
    titles: 'Dr.=doktor|Prof.=profesör|Doç.=doçent|Sn.=sayın|Av.=avukat',
    numbered:
      'No:=numara|no.=numara|No.=numara|s.=sayfa|MÖ=milattan önce|MS=milattan sonra|M.Ö.=milattan önce|M.S.=milattan sonra',
    closing: 'vb.=ve benzeri|vs.=vesaire|yy.=yüzyıl|Cad.=caddesi|Sok.=sokak|Mah.=mahallesi',
  },
  ordinalNouns: /\.[ \u00a0](?:yüzyıl\p{L}*|kat(?!\p{L})|sınıf\p{L}*|dünya)/uy,
  unitSuffix: /['’]/y,
  country: /^ABD ?| ABD$/u,
  tidyCurrency: (name) => name.replace(/lirası$/, 'lira'),
  names: [turkishTimes, turkishSuffixes, turkishRomans],
  mixed: (whole, part) => (part === 'yarım' ? `${whole} buçuk` : `${whole} tam ${part}`),
  part: (of) => locative(of('cardinal')),
  ordinals: /\.(?=[ \u00a0]\p{Ll})|['’]?(?:inci|ıncı|uncu|üncü|nci|ncı|ncu|ncü)(?!\p{L})/uy,
};
