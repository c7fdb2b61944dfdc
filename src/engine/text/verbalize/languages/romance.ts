/** French, Italian, Portuguese and Spanish. */
import type { Place } from '../language.ts';
import { isNext } from '../place.ts';
import { frenchCenturies } from './roman-ordinals.ts';
import type { Gender, LanguageSettings } from './settings.ts';

/** Spanish and Portuguese numbers agree with their nouns, which mostly show their gender. */
function agreeing(text: string, end: number): string | undefined {
  if (isNext(text, end, /\s\p{L}{2,20}as?(?!\p{L})/uy)) return 'cardinal-feminine';
  return isNext(text, end, /\s\p{L}{4}/uy) ? 'cardinal-masculine' : undefined;
}

const ordinalNoun =
  /(?<=[°º])\s(?!(?:sotto|sopra|all|nord|sud|est|ovest|bajo|sobre|abaixo|acima|norte|sul|sur|este|oeste|para|por|com|con)(?!\p{L}))\p{Ll}{3}/uy;
/** `3° piano`, but `20° sotto zero`. */
const isOrdinal = ({ text }: Place, end: number): boolean => isNext(text, end, ordinalNoun);

/** The gender of a noun behind one half, by its ending. */
function romanceHalf(text: string, end: number): Gender | undefined {
  if (isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{2,20}as?(?!\p{L})/uy)) return 'feminine';
  return isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{3}/uy) ? 'masculine' : undefined;
}

/** "two million euros" */
const ofMillions = (name: string): string => `de ${name}`;

export const romance: Readonly<Record<string, LanguageSettings>> = {
  fr: {
    partOf: 'de',
    and: 'et',
    score: 'à',
    halves: { masculine: 'un demi', feminine: 'une demi' },
    halfNoun: (text, end) =>
      isNext(text, end, /\s(?:heure|journée|douzaine|cuill|tasse|livre|bouteille|portion|dose)/uy)
        ? 'feminine'
        : 'masculine',
    parts: { 3: ['tiers', 'tiers'], 4: ['quart', 'quarts'] },
    address: ['point', 'arobase', 'barre oblique'],
    half: 'un demi',
    to: 'à',
    firstDay: 'ordinal-masculine',
    yearForm: 'numbering',
    clock: (h, m) => `${h} heures ${m}`,
    hourForm: 'cardinal-feminine',
    hour: (h) => `${h} ${h === 'une' ? 'heure' : 'heures'}`,
    plus: 'plus',
    equals: 'égale',
    times: 'fois',
    by: 'par',
    over: 'sur',
    ordinals: /(?:ère|ère|re|er|nde|nd|ème|eme|e)(?![\p{sc=Latn}\d])/uy,
    ordinalForm: (mark) => (/^(?:re|ère|nde)$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      M: 'million|millions',
      Md: 'milliard|milliards',
      Mds: 'milliard|milliards',
      million: 'million',
      millions: 'millions',
      milliard: 'milliard',
      milliards: 'milliards',
      k: 'mille',
    },
    countedRomans: 'chapitre|tome|volume|livre|acte|scène|partie|phase|article|titre|section',
    dayForm: 'numbering',
    letterOfHours: 'clock',
    ofMillions: (name) => (/^[aeiouh]/i.test(name) ? `d'${name}` : `de ${name}`),
    feminineCurrency: /^(?:livre|couronne|roupie|lire|roupies|livres|couronnes)/u,
    classes: [frenchCenturies],
  },
  it: {
    partOf: 'di',
    and: 'e',
    score: 'a',
    halves: { masculine: 'mezzo', feminine: 'mezza' },
    parts: { 3: ['terzo', 'terzi'], 4: ['quarto', 'quarti'] },
    ruler: (ordinal) => ordinal,
    counted: (text, end, number) => (number === 1 ? agreeing(text, end) : undefined),
    address: ['punto', 'chiocciola', 'barra'],
    half: 'un mezzo',
    to: 'a',
    firstDay: 'ordinal-masculine',
    yearForm: 'numbering',
    clock: (h, m) => `${h} e ${m}`,
    hourForm: 'cardinal-feminine',
    hour: (h) => h,
    cents: 'e ',
    plus: 'più',
    equals: 'uguale',
    times: 'volte',
    by: 'per',
    over: 'fratto',
    ordinals: /[º°ª](?![\p{L}\d])/uy,
    ordinalForm: (mark) => (mark === 'ª' ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      mln: 'milione|milioni',
      mld: 'miliardo|miliardi',
      milioni: 'milioni',
      milione: 'milione',
      miliardi: 'miliardi',
      miliardo: 'miliardo',
      mila: 'mila',
    },
    moneyMagnitudes: { k: 'mila' },
    countedRomans: 'capitolo|tomo|volume|libro|atto|scena|parte|fase|articolo|titolo|sec\\.',
    dayForm: 'numbering',
    halfNoun: romanceHalf,
    letterOfHours: 'clock',
    ofMillions: (name) => `di ${name}`,
    isNoMeasure: isOrdinal,
    century: /\ssecolo/y,
    feminineCurrency: /^\p{L}*(?:a|ine|one)(?:\s|$)/u,
  },
  pt: {
    partOf: 'de',
    and: 'e',
    score: 'a',
    halves: { masculine: 'meio', feminine: 'meia' },
    parts: { 3: ['terço', 'terços'], 4: ['quarto', 'quartos'] },
    ruler: (ordinal, cardinal, value) => (value <= 10 ? ordinal : cardinal),
    clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
    counted: agreeing,
    address: ['ponto', 'arroba', 'barra'],
    half: 'um meio',
    to: 'a',
    firstDay: 'ordinal-masculine',
    clock: (h, m) => `${h} e ${m}`,
    hourForm: 'cardinal-feminine',
    cents: 'e ',
    plus: 'mais',
    equals: 'igual a',
    times: 'vezes',
    by: 'por',
    over: 'sobre',
    ordinals: /\.?[ºªoa](?![\p{L}\d])/uy,
    ordinalForm: (mark) => (/[ªa]/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      mi: 'milhão|milhões',
      bi: 'bilhão|bilhões',
      milhões: 'milhões',
      milhão: 'milhão',
      bilhões: 'bilhões',
      bilhão: 'bilhão',
      mil: 'mil',
    },
    moneyMagnitudes: { k: 'mil' },
    countedRomans: 'capítulo|tomo|volume|livro|ato|cena|parte|fase|artigo|título|século|séc\\.',
    dayForm: 'numbering',
    halfNoun: romanceHalf,
    letterOfHours: 'clock',
    ofMillions,
    isNoMeasure: isOrdinal,
    home: ['BRL', 'first'],
    feminineCurrency: /^\p{L}*a(?:s)?(?:\s|$)/iu,
  },
  es: {
    partOf: 'de',
    and: 'y',
    score: 'a',
    halves: { masculine: 'medio', feminine: 'media' },
    parts: { 3: ['tercio', 'tercios'], 4: ['cuarto', 'cuartos'] },
    ruler: (ordinal, cardinal, value) => (value <= 10 ? ordinal : cardinal),
    clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
    counted: agreeing,
    address: ['punto', 'arroba', 'barra'],
    half: 'un medio',
    to: 'a',
    yearForm: 'numbering',
    clock: (h, m) => `${h} ${m}`,
    hourForm: 'cardinal-feminine',
    cents: 'con ',
    plus: 'más',
    equals: 'igual a',
    times: 'veces',
    by: 'por',
    over: 'sobre',
    ordinals: /\.?(?:[ºª]|er|ero|era|do|da|to|ta)(?![\p{L}\d])/uy,
    ordinalForm: (mark) => (/ª|a$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    ordinalWord: (said, mark) => (/er$/.test(mark) ? said.replace(/(primer|tercer)o$/, '$1') : said),
    magnitudes: {
      mill: 'millón|millones',
      millones: 'millones',
      millón: 'millón|millones',
      mil: 'mil',
      M: 'millón|millones',
    },
    moneyMagnitudes: { k: 'mil' },
    countedRomans: 'capítulo|tomo|volumen|libro|acto|escena|parte|fase|artículo|título|siglo|s\\.',
    dayForm: 'numbering',
    halfNoun: romanceHalf,
    letterOfHours: 'clock',
    ofMillions,
    isNoMeasure: isOrdinal,
    feminineCurrency: /^\p{L}*a(?:s)?(?:\s|$)/u,
  },
};
