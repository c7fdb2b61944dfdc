/** Italian. */
import { isBehind, isNext, patternClass } from '../place.ts';
import { agreeing, halfNoun, postalCodes, romanceRules } from './families.ts';
import type { LanguageSettings } from './settings.ts';

const italianCodes = postalCodes(/(?:^|[,;(–-]\s?|\n|(?:a|di|I-)\s?)$/u);

const elided =
  /(l|all|dall|dell|nell|sull)['’](?=1[º°]?(?:\/(?:0?[1-9]|1[0-2])(?!\d| d[ei])| (?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic)))/iuy;

/** The article of `dall'1/5` and `l'1 maggio`, whose day is "primo". */
const articles = patternClass(
  { begins: 'letter', beginsWith: (word) => /^(?:l|all|dall|dell|nell|sull)$/i.test(word) },
  elided,
  ([, article = '']) => `${article === 'l' ? 'il' : article === 'L' ? 'Il' : article.slice(0, -1)} `,
);

export const rules: LanguageSettings = {
  ...romanceRules,
  words: String.raw`
    operators: > maggiore di, < minore di, ≥ maggiore o uguale a, ≤ minore o uguale a, ≠ diverso da, ÷ diviso, √ radice di, ≈ circa;
    telephoneWords: tel|telefono; timeWords: alle|ore; readsWeekdays: yes; partOf: di; and: e; score: a;
    halfBehind: masculine=e mezzo, feminine=e mezza, 1=e un quarto, 3=e tre quarti; halves: masculine=mezzo, feminine=mezza;
    parts: 3=terzo|terzi, 4=quarto|quarti; dateWords: il|dal|al|(?:l|all|dall|dell)['’];
    units: A=ampere; currencies: euro=EUR; hundredths: EUR=centesimo|centesimi, USD=centesimo|centesimi, GBP=penny|pence; ruler: {0};
    address: punto, chiocciola, barra, trattino, trattino basso; articles: un|il|del|al|nel; half: un mezzo; to: a; perWord: {0} per {1};
    rates: pers=persona, pz=pezzo; firstDay: ordinal-masculine; yearForm: numbering; clock: {0} e {1};
    hourForm: cardinal-feminine; hour: {0}; cents: e; plus: più; power: elevato a {0}; equals: uguale; times: volte; by: per; over: fratto;
    magnitudes: mln=milione|milioni, mld=miliardo|miliardi, milioni=milioni, milione=milione, miliardi=miliardi,
    miliardo=miliardo, bilioni=bilioni, mila=mila; moneyMagnitudes: k=mila;
    countedRomans: capitolo|tomo|volume|libro|atto|scena|parte|fase|articolo|titolo|sec\.; dayForm: numbering;
    letterOfHours: clock; ofMillions: di {0};
  `,
  abbreviations: {
    open: 'dip.=dipartimento|avv.=avvocato|egr.=egregio|spett.=spettabile|gent.mo=gentilissimo|gent.ma=gentilissima|p. es.=per esempio|ad es.=ad esempio|ca.=circa|cfr.=confronta|tel.=telefono|V.le=viale|P.za=piazza|p.za=piazza|p.zza=piazza|v.le=viale|l.go=largo|c.so=corso|P.zza=piazza',
    titles:
      'Sig.=signor|Sig.ra=signora|Sig.na=signorina|Sigg.=signori|Dott.=dottor|Dott.ssa=dottoressa|Dr.=dottor|Prof.=professor|Prof.ssa=professoressa|Avv.=avvocato|Ing.=ingegner|Geom.=geometra|On.=onorevole',
    numbered:
      'n.=numero|nr.=numero|n°=numero|pag.=pagina|pagg.=pagine|p.=pagina|vol.=volume|cap.=capitolo|sec.=secolo|art.=articolo|fig.=figura',
    closing: 'ecc.=eccetera|etc.=eccetera|a. C.=avanti Cristo|d. C.=dopo Cristo',
  },
  // `classe 3 A`
  isNoMeasure: (place, end) =>
    romanceRules.isNoMeasure(place, end) ||
    (/^\d+ A$/.test(place.text.slice(place.start, end)) &&
      !isBehind(place, /(?:^|[(,;:]\s?|(?<!\p{L})(?:di|da|a|con|per|circa|massimo)\s)$/iu)),
  country: / statunitens[ei]$/u,
  names: [italianCodes, articles],
  part: (of) => `${of('ordinal-masculine')}|${of('ordinal-masculine').replace(/o$/, 'i')}`,
  decades: { pattern: /['’](\d0)(?![\p{L}\d])/uy },
  counted: (place, end, number) => (number === 1 ? agreeing(place, end) : undefined),
  ordinals: /[º°ª](?![\p{L}\d])/uy,
  ordinalForm: (mark) => (mark === 'ª' ? 'ordinal-feminine' : 'ordinal-masculine'),
  halfNoun: (place, end) =>
    isNext(place.text, end, /\s(?!mese)\p{Ll}{2,20}e(?!\p{L})/uy) ? 'feminine' : halfNoun(place, end),
  century: /\ssecolo/y,
  feminineCurrency: /^\p{L}*(?:a|ine|one)(?:\s|$)/u,
};
