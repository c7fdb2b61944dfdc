/** Spanish. */
import { isNext } from '../place.ts';
import { plural, postalCodes, romanceRules } from './families.ts';
import type { LanguageSettings } from './settings.ts';

const spanishCodes = postalCodes(/(?:^|[,;(–-]\s?|\n|(?:en|de|E-)\s?)$/u);

export const rules: LanguageSettings = {
  ...romanceRules,
  words: String.raw`
    operators: > mayor que, < menor que, ≥ mayor o igual que, ≤ menor o igual que, ≠ distinto de, ÷ entre, √ raíz de, ≈ aproximadamente;
    telephoneWords: tel|teléfono; readsWeekdays: yes; weekdays: l=lunes|v=viernes|s=sábado|d=domingo; partOf: de;
    and: y; score: a; halfBehind: masculine=y medio, feminine=y media, 1=y cuarto, 3=y tres cuartos; halves: masculine=medio, feminine=media;
    parts: 3=tercio|tercios, 4=cuarto|cuartos; dateWords: el|día|del; units: seg=second; currencies: dólares=$, euro=EUR, euros=EUR; hundredths: EUR=céntimo|céntimos,
    USD=centavo|centavos, MXN=centavo|centavos, ARS=centavo|centavos, GBP=penique|peniques;
    address: punto, arroba, barra, guion, guion bajo; articles: un|una|el|la|del|al; half: un medio; to: a; rates: pers=persona, ud=unidad;
    yearForm: numbering; clock: {0} {1}; hourForm: cardinal-feminine; cents: con; plus: más; power: elevado a {0}; equals: igual a;
    times: veces; by: por; over: sobre;
    magnitudes: mill=millón|millones, millones=millones, millón=millón|millones, billones=billones, billón=billón, mil=mil, M=millón|millones;
    moneyMagnitudes: k=mil; countedRomans: capítulo|tomo|volumen|libro|acto|escena|parte|fase|artículo|título|siglo|s\.;
    dayForm: numbering; letterOfHours: clock; ofMillions: de {0};
  `,
  abbreviations: {
    open: 'p. ej.=por ejemplo|aprox.=aproximadamente|tel.=teléfono|Avda.=avenida|Av.=avenida|C/=calle|esq.=esquina|pza.=plaza|ext.=extensión',
    titles:
      'Sr.=señor|Sra.=señora|Srta.=señorita|Sres.=señores|Dña.=doña|D.ª=doña|Dr.=doctor|Dra.=doctora|Prof.=profesor|Sto.=santo|Sta.=santa',
    numbered:
      'núm.=número|n.º=número|nº=número|n°=número|pág.=página|págs.=páginas|vol.=volumen|cap.=capítulo|s.=siglo|art.=artículo|fig.=figura',
    closing:
      'etc.=etcétera|Ud.=usted|Uds.=ustedes|Vd.=usted|a. C.=antes de Cristo|d. C.=después de Cristo|S. A.=sociedad anónima|EE. UU.=Estados Unidos',
  },
  country: / (?:estadounidenses?|americanos?)$/u,
  names: [spanishCodes],
  part: (of, below) =>
    plural(below <= 10 || below % 100 === 0 ? of('ordinal-masculine') : `${of('numbering').replace(/a$/, '')}avo`),
  tidy: (said) => said.replace('octingésim', 'octingentésim').replace(/uno (?=mill)/, 'un '),
  decades: { pattern: /['’]?((?<=['’])\d0(?![\p{L}\d])|(?:19|20)?[2-9]0(?=s))s?(?![\p{L}\d])/uy },
  ruler: (ordinal, cardinal, value) => (Number(value) <= 10 ? ordinal : cardinal),
  clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
  ordinals: /\.?(?:[ºª]|er|ᵉʳ|e?ro|e?ra|do|da|to|ta)(?![\p{L}\d])/uy,
  ordinalForm: (mark) => (/ª|a$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
  ordinalWord: (said, mark, { text }, end) =>
    /er$|ᵉʳ$/.test(mark) || (!/[ªa]$/.test(mark) && isNext(text, end, /\s\p{Ll}{3}/uy))
      ? said.replace(/(primer|tercer)o$/, '$1')
      : said,
  feminineCurrency: /^\p{L}*a(?:s)?(?:\s|$)/u,
};
