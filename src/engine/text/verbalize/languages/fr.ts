/** French. */
import { romanValue } from '../classes/romans.ts';
import type { Place } from '../language.ts';
import { inContext, patternClass } from '../place.ts';
import { plural, postalCodes } from './families.ts';
import type { Gender, LanguageSettings } from './settings.ts';

const french = /([IVXLC]{1,6})(er|ᵉʳ|re|ʳᵉ|ère|e|ᵉ|ème|ᵉᵐᵉ)(?![\p{L}\p{N}])/uy;

/** `XXe siècle`, `Ier`, `Ve République`. */
const frenchCenturies = patternClass('letter', french, ([, letters = '', mark = ''], { language }) => {
  const value = romanValue(letters);
  if (value === undefined || (mark === 'e' && (letters === 'C' || letters === 'L'))) return undefined;
  return language.spelling.spellOut(/^(?:re|ʳᵉ|ère)$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine', value);
});

/** The department as a number: "soixante-quinze zéro zéro deux". */
function sayFrenchCode(code: string, { language: { spelling } }: Place): string {
  const say = (digits: string): string => spelling.spellOut('cardinal-masculine', Number(digits));
  const spelled = (digits: string): string => {
    const zeros = /^0*(?=\d)/.exec(digits)?.[0].length ?? 0;
    return [...Array<string>(zeros).fill('zéro'), say(digits)].join(' ');
  };
  const [department, rest] = [spelled(code.slice(0, 2)), code.slice(2)];
  return `${department} ${rest === '000' ? 'mille' : spelled(rest)}`;
}

const frenchCodes = postalCodes(/(?:^|[,;(–-]\s?|\n|(?:à|de|sur|vers|F-)\s?)$/u, sayFrenchCode);

export const rules: LanguageSettings = {
  words: `
    operators: > supérieur à, < inférieur à, ≥ supérieur ou égal à, ≤ inférieur ou égal à, ≠ différent de, ÷ divisé par, √ racine de, ≈ environ;
    telephoneWords: tel|tél|téléphone; timeWords: à; readsWeekdays: yes;
    weekdays: l=lundi|v=vendredi|s=samedi|d=dimanche; partOf: de; and: et; score: à;
    halfBehind: masculine=et demi, feminine=et demie, 1=et quart, 3=trois quarts; halves: masculine=un demi, feminine=une demi;
    parts: 3=tiers|tiers, 4=quart|quarts; dateWords: le|du|dès le|depuis le;
    currencies: euro=EUR, euros=EUR; hundredths: EUR=centime|centimes, USD=cent|cents, CHF=centime|centimes, GBP=penny|pence;
    address: point, arobase, barre oblique, tiret, tiret bas; articles: un|une|le|la|du|au|ce|cette|d[’']un; half: un demi; to: à;
    rates: pers=personne, pce=pièce; firstDay: ordinal-masculine; yearForm: numbering; clock: {2} {1};
    hourForm: cardinal-feminine; plus: plus; power: puissance {0}; equals: égale; times: fois; by: par; over: sur; magnitudes:
    M=million|millions, Md=milliard|milliards, Mds=milliard|milliards, million=million, millions=millions,
    milliard=milliard, milliards=milliards, k=mille;
    countedRomans: chapitre|tome|volume|livre|acte|scène|partie|phase|article|titre|section; dayForm: numbering;
    letterOfHours: clock;
  `,
  abbreviations: {
    open: 'M. et=Monsieur et|p. ex.=par exemple|c.-à-d.=c’est-à-dire|env.=environ|cf.=confer|tél.=téléphone|Mme=Madame|Mᵐᵉ=Madame|Mmes=Mesdames|Mᵐᵉˢ=Mesdames|Mlle=Mademoiselle|Mˡˡᵉ=Mademoiselle|Mˡˡᵉˢ=Mesdemoiselles|Dʳ=Docteur|Dʳˢ=Docteurs|Dʳᵉˢ=Docteures|MM.=Messieurs|bd=boulevard',
    titles:
      'M.=Monsieur|Dr=Docteur|Pr=Professeur|Pʳ=Professeur|Me=Maître|Mᵉ=Maître|Mgr=Monseigneur|Mᵍʳ=Monseigneur|Sᵗ=Saint|Sᵗᵉ=Sainte',
    numbered: 'n°=numéro|N°=numéro|nº=numéro|vol.=volume|p.=page|pp.=pages|chap.=chapitre|art.=article|fig.=figure',
    closing: 'etc.=et cetera|av. J.-C.=avant Jésus-Christ|apr. J.-C.=après Jésus-Christ',
  },
  country: / des États-Unis$/u,
  names: [frenchCodes],
  halfNoun: inContext<Gender>(
    [
      'feminine',
      undefined,
      /\s(?:heure|journée|année|semaine|minute|seconde|douzaine|cuill|tasse|livre|bouteille|portion|dose|page|pinte|once|fois)/uy,
    ],
    ['masculine'],
  ),
  part: (of) => plural(of('ordinal-masculine')),
  decades: { pattern: /((?:19|20)?[2-9]0)s(?![\p{L}\d])/uy },
  ordinals: /(?:ère|ère|re|ʳᵉ|er|ᵉʳ|nde|ⁿᵈᵉ|nd|ⁿᵈ|ème|eme|ᵉᵐᵉ|e|ᵉ)(?![\p{sc=Latn}\d])/uy,
  ordinalForm: (mark) => (/^(?:re|ʳᵉ|ère|nde|ⁿᵈᵉ)$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
  ofMillions: (name) => (/^[aeiouh]/i.test(name) ? `d'${name}` : `de ${name}`),
  feminineCurrency: /^(?:livre|couronne|roupie|lire|roupies|livres|couronnes)/u,
  classes: [frenchCenturies],
};
