/** Dutch. */
import { isBehind, isNext, patternClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

const dutchMarks = /(?:ste|de|e)(?![\p{sc=Latn}\d])/uy;

/** `1017 GC` */
const dutchCodes = patternClass(
  'digit',
  /([1-9]\d)(\d\d) ?([A-Z]{2})(?![\p{L}\d])/uy,
  ([, first, last = '', letters = ''], place, { at }) => {
    const say = (digits: string | undefined): string => place.language.spelling.spellOut('cardinal', Number(digits));
    // `2024 EU`
    const isCode = isNext(place.text, at, / \p{Lu}\p{Ll}/uy) || isBehind(place, /(?:^|,\s|\n)$/);
    const zero = last.startsWith('0') ? 'nul ' : '';
    return isCode ? `${say(first)} ${zero}${say(last)} ${[...letters].join(' ')}` : undefined;
  },
);

export const rules: LanguageSettings = {
  words: `
    telephoneWords: tel|telefoon; timeWords: om; readsWeekdays: yes; halves: any=een halve;
    parts: 3=derde|derde, 4=kwart|kwart; currencies: euro=EUR; hundredths: EUR=cent, USD=cent, GBP=penny|pence; countedYears: numbering-year;
    ruler: de {0}; address: punt, apenstaartje, slash, streepje, laag streepje; articles: een|het; half: een half; to: tot;
    rates: st=stuk, pers=persoon, mnd=maand, u=uur; yearForm: numbering-year; clock: {0} uur {1}; hour: {0} uur;
    plus: plus; power: tot de macht {0}; equals: is; times: keer; by: bij; over: gedeeld door; ordinalForm: ordinal;
    magnitudes: mln=miljoen, mld=miljard, miljoen=miljoen, miljard=miljard; partGender: neuter;
  `,
  abbreviations: {
    open: 'bijv.=bijvoorbeeld|d.w.z.=dat wil zeggen|o.a.=onder andere|t.e.m.=tot en met|t/m=tot en met|ca.=circa|i.p.v.=in plaats van|m.b.t.=met betrekking tot|t.a.v.=ter attentie van|incl.=inclusief|excl.=exclusief|tel.=telefoon|evt.=eventueel|z.s.m.=zo snel mogelijk|m.a.w.=met andere woorden|a.u.b.=alstublieft|dhr.=de heer|mevr.=mevrouw|mw.=mevrouw',
    titles: 'dr.=dokter|prof.=professor|ir.=ingenieur|St.=Sint',
    numbered: 'nr.=nummer|blz.=bladzijde|p.=pagina|hfst.=hoofdstuk|art.=artikel|afb.=afbeelding',
    closing: 'enz.=enzovoort|etc.=et cetera|e.d.=en dergelijke|v.Chr.=voor Christus|n.Chr.=na Christus',
  },
  country: /^Amerikaanse ?/u,
  names: [dutchCodes],
  part: (of) => of('ordinal'),
  decades: { pattern: /['’](\d0)(?![\p{L}\d])/uy },
  mixed: (whole, part) =>
    part !== 'een half'
      ? `${whole} en ${part}`
      : whole === 'een'
        ? 'anderhalf'
        : `${whole}${whole.endsWith('e') ? 'ën' : 'en'}half`,
  clockWord: /[ \u00a0]?(?:uur|u)(?!\p{L})/uy,
  ordinals: dutchMarks,
};
