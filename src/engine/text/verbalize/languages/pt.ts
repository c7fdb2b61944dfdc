/** Portuguese. */
import * as generated from '../generated/pt.ts';
import { createSpelling } from '../spell-out.ts';
import { defineLanguage } from './define-language.ts';
import { isSaidPart, plural } from './parts.ts';
import { agreeing, isOrdinal, isRaisedO, romanceHalf } from './romance.ts';

const spelling = createSpelling('pt', generated.numberRules);

export const create = defineLanguage('pt', generated, {
  spelling,
  abbreviations: {
    open: 'p. ex.=por exemplo|aprox.=aproximadamente|tel.=telefone|V. Exa.=Vossa Excelência|Av.=avenida|av.=avenida',
    titles:
      'Sr.=senhor|Sra.=senhora|Srta.=senhorita|Dr.=doutor|Dra.=doutora|Prof.=professor|Profa.=professora|Eng.=engenheiro|Sto.=santo|Sta.=santa',
    numbered:
      'n.º=número|nº=número|n°=número|núm.=número|pág.=página|págs.=páginas|p.=página|vol.=volume|cap.=capítulo|séc.=século|art.=artigo|fig.=figura',
    closing: 'etc.=et cetera|a. C.=antes de Cristo|d. C.=depois de Cristo',
  },
  telephoneWords: 'tel|telefone',
  timeWords: 'às',
  readsWeekdays: true,
  country: / (?:d[eo]s Estados Unidos|americanos?)$/u,
  partOf: 'de',
  and: 'e',
  score: 'a',
  halfBehind: { masculine: 'e meio', feminine: 'e meia' },
  halves: { masculine: 'meio', feminine: 'meia' },
  parts: '3=terço|terços, 4=quarto|quartos',
  part: (below) =>
    below <= 10 || below === 100
      ? plural(spelling.spellOut('ordinal-masculine', below))
      : isSaidPart(below)
        ? `${spelling.spellOut('cardinal-masculine', below)} avo|${spelling.spellOut('cardinal-masculine', below)} avos`
        : undefined,
  dateWords: 'dia|em|até|desde',
  hundredths: 'BRL=centavo|centavos, EUR=cêntimo|cêntimos, USD=centavo|centavos, GBP=péni|pence',
  ruler: (ordinal, cardinal, value) => (value <= 10 ? ordinal : cardinal),
  clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
  counted: agreeing,
  address: ['ponto', 'arroba', 'barra'],
  articles: 'um|o|do|ao|no',
  half: 'um meio',
  to: 'a',
  rates: 'un=unidade, pess=pessoa',
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
  magnitudes:
    'mi=milhão|milhões, bi=bilhão|bilhões, milhões=milhões, milhão=milhão, bilhões=bilhões, bilhão=bilhão, mil=mil',
  moneyMagnitudes: { k: 'mil' },
  countedRomans: 'capítulo|tomo|volume|livro|ato|cena|parte|fase|artigo|título|século|séc\\.',
  dayForm: 'numbering',
  halfNoun: romanceHalf,
  letterOfHours: 'clock',
  ofMillions: (name) => `de ${name}`,
  isNoMeasure: (place, end) => isOrdinal(place, end) || isRaisedO(place, end),
  home: ['BRL', 'first'],
  feminineCurrency: /^\p{L}*a(?:s)?(?:\s|$)/iu,
});
