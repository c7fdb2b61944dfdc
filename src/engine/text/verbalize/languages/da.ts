/** Danish. */
import * as generated from '../generated/da.ts';
import { createSpelling } from '../spell-out.ts';
import { defineLanguage } from './define-language.ts';
import { decadeOf, isSaidPart } from './parts.ts';
import { pointBeforeNoun } from './settings.ts';

const spelling = createSpelling('da', generated.numberRules);

/** Without the abbreviation of "per". */
const source = { ...generated, unitNames: generated.unitNames.replaceAll(' pr. ', ' per ') };

export const create = defineLanguage('da', source, {
  spelling,
  abbreviations: {
    open: 'f.eks.=for eksempel|bl.a.=blandt andet|dvs.=det vil sige|ca.=cirka|mht.=med hensyn til|pga.=på grund af|inkl.=inklusive|ekskl.=eksklusive|fx=for eksempel|evt.=eventuelt|ift.=i forhold til|jf.=jævnfør|maks.=maksimalt|tlf.=telefon',
    titles: 'hr.=herr|fr.=fru|dr.=doktor|prof.=professor|Skt.=Sankt',
    numbered: 'nr.=nummer|nr=nummer|kl.=klokken|s.=side|tlf.=telefon|kap.=kapitel|d.=den|bd.=bind',
    closing:
      'osv.=og så videre|m.m.=med mere|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=efter Kristus',
  },
  pointsDates: true,
  telephoneWords: 'tel|tlf|telefon',
  timeWords: 'kl\\.?|klokken',
  readsWeekdays: true,
  ordinalNouns:
    /\.[ \u00a0](?:verdenskrig|etage|sal|klasse|division|plads|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvleg|halvår|århundre\p{L}*)/uy,
  ofMen: 'ordinal-common',
  country: /^amerikansk[ea]? ?/u,
  parts: '3=tredjedel|tredjedele, 4=fjerdedel|fjerdedele',
  part: (below) => {
    const part = isSaidPart(below) ? `${spelling.spellOut('ordinal-common', below)}del` : undefined;
    return part && `${part}|${part}e`;
  },
  decades: {
    pattern: /(\d{2,4})(?:['’]?(erne(?:s)?)|-(tallet))(?!\p{L})/uy,
    say: (digits, suffix) => decadeOf(spelling, digits, /00$/.test(digits) ? 'hundrede' : '') + (suffix || 'tallet'),
  },
  hundredths: 'DKK=øre, kr=øre, EUR=cent, USD=cent, SEK=øre, NOK=øre',
  countedYears: 'numbering-year',
  ruler: (ordinal) => `den ${ordinal}`,
  address: ['punktum', 'snabel-a', 'skråstreg'],
  articles: 'en|et|den|det',
  half: 'en halv',
  mixed: (whole, part) => (/^e[nt]$/.test(whole) && part === 'en halv' ? 'halvanden' : `${whole} og ${part}`),
  moneyGender: 'common',
  to: 'til',
  rates: 'stk=styk, md=måned, pers=person',
  hour: (h) => h,
  dayForm: 'ordinal-common',
  yearForm: 'numbering-year',
  cents: 'og ',
  plus: 'plus',
  equals: 'er lig med',
  times: 'gange',
  by: 'gange',
  over: 'over',
  ordinals: pointBeforeNoun,
  ordinalForm: () => 'ordinal-common',
  magnitudes:
    'mio=million|millioner, mia=milliard|milliarder, million=million, millioner=millioner, milliarder=milliarder',
  partGender: 'common',
  units: { st: '' },
  home: ['DKK', 'last'],
});
