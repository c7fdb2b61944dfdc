/** Finnish. */
import { tableOf } from '../../table.ts';
import type { Place } from '../language.ts';
import { patternClass, take } from '../place.ts';
import { type LanguageSettings, pointBeforeNoun } from './settings.ts';

/** Suffixes of Finnish behind a colon: `20:een`, `5 %:n`, `3:nnen`. */
const finnishCases: readonly (readonly [suffix: RegExp, form: string, percent: string])[] = [
  [/^n$/, 'cardinal-genitive', 'prosentin'],
  [/^(?:t?[aä])$/, 'cardinal-partitive', 'prosenttia'],
  [/^ss[aä]$/, 'cardinal-inessive', 'prosentissa'],
  [/^st[aä]$/, 'cardinal-elative', 'prosentista'],
  [/^ll[aä]$/, 'cardinal-adessive', 'prosentilla'],
  [/^lt[aä]$/, 'cardinal-ablative', 'prosentilta'],
  [/^lle$/, 'cardinal-allative', 'prosentille'],
  [/^ksi$/, 'cardinal-translative', 'prosentiksi'],
  [/^n[aä]$/, 'cardinal-essive', 'prosenttina'],
  [/^(?:[aeiouyäö]{1,2}|h[aeiouyäö])n$/, 'cardinal-illative', 'prosenttiin'],
  [/^s$/, 'ordinal', ''],
  [/^nnen$/, 'ordinal-genitive', ''],
  [/^nness[aä]$/, 'ordinal-inessive', ''],
];
const suffixed = /(\d{1,12})(?:([ \u00a0]?)%)?:(\p{Ll}{1,6})(?![\p{L}\p{N}])/uy;

const finnishSuffixes = patternClass('digit', suffixed, ([, digits, percent, suffix = ''], { language }) => {
  const [, form, percents] = finnishCases.find(([pattern]) => pattern.test(suffix)) ?? [];
  if (form === undefined) return undefined;
  const number = language.spelling.spellOut(form, Number(digits));
  return percent === undefined ? number : `${number} ${percents}`;
});

/** Nouns that are often counted, by their stems, so that their endings tell the case. */
const finnishNoun =
  /\s(?:vuode|päivä|kuukaude|viiko|tunni|minuuti|sekunni|metri|kilometri|kilo|euro|dollari|prosenti|astee|henge|ihmise|henkilö|kappalee|miljoona|maa|kerra|askele|osa)(n|ssa|ssä|sta|stä|lla|llä|lta|ltä|lle|ksi)(?!\p{L})/uy;

/** The form of a Finnish number before such a noun. */
function finnishForm({ text }: Place, end: number): string | undefined {
  const [, ending] = take({ text, at: end }, finnishNoun) ?? [];
  return ending === undefined ? undefined : finnishCases.find(([pattern]) => pattern.test(ending))?.[1];
}

/** Times and distances as they stand before a postposition: `10 min päästä`. */
const genitives = tableOf(`
  min=minuutin|t=tunnin|h=tunnin|s=sekunnin|sek=sekunnin|pv=päivän|vrk=vuorokauden|vko=viikon|vk=viikon|kk=kuukauden|
  v=vuoden|km=kilometrin|m=metrin
`);
const beforePostpositions = patternClass(
  'digit',
  /(\d{1,6})[ \u00a0]?(\p{Ll}{1,3})\.?(?= (?:päästä|päässä|kuluttua|kuluessa|sisällä|aikana|välein|ajan|matkan)(?!\p{L}))/uy,
  ([, digits, unit = ''], { language }) =>
    genitives[unit] && `${language.spelling.spellOut('cardinal-genitive', Number(digits))} ${genitives[unit]}`,
);

export const rules: LanguageSettings = {
  words: `
    pointsDates: yes; telephoneWords: puh|puhelin; timeWords: klo|kello; ordinalForm: ordinal;
    address: piste, ät, kauttaviiva, viiva, alaviiva; half: puoli; and: ja; hundredths: EUR=sentti|senttiä, USD=sentti|senttiä;
    to: viiva; hour: {0}; perWord: {0} per {1}; rates: hlö=henkilö, kpl=kappale, yö=yö; readsWeekdays: yes;
    units: kk=month, vko=week, vrk=day; dayForm: ordinal; plus: plus; power: potenssiin {0}; equals: on; times: kertaa; by: kertaa;
    over: jaettuna; magnitudes: milj=miljoona|miljoonaa, miljoonaa=miljoonaa, mrd=miljardi|miljardia;
  `,
  names: [beforePostpositions],
  abbreviations: {
    open: 'esim.=esimerkiksi|ts.=toisin sanoen|ks.=katso|mm.=muun muassa|puh.=puhelin|ko.=kyseinen|ns.=niin sanottu|vrt.=vertaa|sis.=sisältäen|kpl=kappaletta',
    titles: 'prof.=professori|toht.=tohtori',
    numbered: 'n.=noin|nro=numero|nro.=numero|s.=sivu|klo=kello|k:lo=kello',
    closing:
      'jne.=ja niin edelleen|ym.=ynnä muuta|yms.=ynnä muuta sellaista|eKr.=ennen Kristusta|jKr.=jälkeen Kristuksen',
  },
  ordinalNouns: /\.[ \u00a0](?:kerros|luokka|maailmansota|vuosi\p{L}*|luku)/uy,
  country: /^(?:amerikkalais\p{L}*|Yhdysvaltain) ?/u,
  ordinals: pointBeforeNoun,
  counted: finnishForm,
  part: (of) => `${of('ordinal')}osa|${of('ordinal')}osaa`,
  decades: { pattern: /(\d{2,4})-(luvu\p{L}{1,4}|luku\p{L}{0,4})(?!\p{L})/uy },
  weekdayRange: (first, last) => `${first}sta ${last.replace(/i$/, 'ihin').replace(/o$/, 'oon')}`,
  hours: [
    ['', 'cardinal-elative'],
    ['', 'cardinal-illative'],
  ],
  classes: [finnishSuffixes],
};
