/** Portuguese. */
import { plural, romanceRules } from './families.ts';
import type { LanguageSettings } from './settings.ts';

export const rules: LanguageSettings = {
  ...romanceRules,
  words: String.raw`
    operators: > maior que, < menor que, ≥ maior ou igual a, ≤ menor ou igual a, ≠ diferente de, ÷ dividido por, √ raiz de, ≈ aproximadamente;
    telephoneWords: tel|telefone; timeWords: às; readsWeekdays: yes; partOf: de; and: e; score: a;
    halfBehind: masculine=e meio, feminine=e meia, 1=e um quarto, 3=e três quartos; halves: masculine=meio, feminine=meia;
    parts: 3=terço|terços, 4=quarto|quartos; dateWords: dia|em|até|desde;
    currencies: euro=EUR, euros=EUR, reais=BRL; hundredths: BRL=centavo|centavos, EUR=cêntimo|cêntimos, USD=centavo|centavos, GBP=péni|pence;
    address: ponto, arroba, barra, hífen, sublinhado; articles: um|o|do|ao|no; half: um meio; to: a; rates: un=unidade, pess=pessoa;
    firstDay: ordinal-masculine; clock: {0} e {1}; hourForm: cardinal-feminine; cents: e; plus: mais; power: elevado a {0}; equals: igual a;
    times: vezes; by: por; over: sobre; magnitudes: mi=milhão|milhões, bi=bilhão|bilhões, milhões=milhões,
    milhão=milhão, bilhões=bilhões, bilhão=bilhão, trilhões=trilhões, trilhão=trilhão, mil=mil; moneyMagnitudes: k=mil;
    countedRomans: capítulo|tomo|volume|livro|ato|cena|parte|fase|artigo|título|século|séc\.; dayForm: numbering;
    letterOfHours: clock; ofMillions: de {0}; home: BRL first;
  `,
  abbreviations: {
    open: 'p. ex.=por exemplo|aprox.=aproximadamente|tel.=telefone|ext.=extensão|V. Exa.=Vossa Excelência|Av.=avenida|av.=avenida',
    titles:
      'Sr.=senhor|Sra.=senhora|Srta.=senhorita|Dr.=doutor|Dra.=doutora|Prof.=professor|Profa.=professora|Eng.=engenheiro|Sto.=santo|Sta.=santa',
    numbered:
      'n.º=número|nº=número|n°=número|núm.=número|pág.=página|págs.=páginas|p.=página|vol.=volume|cap.=capítulo|séc.=século|art.=artigo|fig.=figura',
    closing: 'etc.=et cetera|a. C.=antes de Cristo|d. C.=depois de Cristo',
  },
  country: / (?:d[eo]s Estados Unidos|americanos?)$/u,
  part: (of, below) =>
    below <= 10 || below % 100 === 0
      ? plural(of('ordinal-masculine'))
      : `${of('cardinal-masculine')} avo|${of('cardinal-masculine')} avos`,
  ruler: (ordinal, cardinal, value) => (Number(value) <= 10 ? ordinal : cardinal),
  clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
  ordinals: /\.?[ºªoa](?![\p{L}\d])/uy,
  ordinalForm: (mark) => (/[ªa]/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
  feminineCurrency: /^\p{L}*a(?:s)?(?:\s|$)/iu,
};
