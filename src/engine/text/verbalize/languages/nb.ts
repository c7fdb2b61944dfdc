/** Norwegian. */
import * as generated from '../generated/nb.ts';
import { createSpelling } from '../spell-out.ts';
import { defineLanguage } from './define-language.ts';
import { decadeOf, isSaidPart } from './parts.ts';
import { pointBeforeNoun } from './settings.ts';

const spelling = createSpelling('nb', generated.numberRules);

export const create = defineLanguage('nb', generated, {
  spelling,
  abbreviations: {
    open: 'f.eks.=for eksempel|bl.a.=blant annet|dvs.=det vil si|ca.=cirka|mht.=med hensyn til|pga.=på grunn av|inkl.=inklusive|ekskl.=eksklusive|evt.=eventuelt|ift.=i forhold til|jf.=jamfør|maks.=maksimalt|tlf.=telefon|mva.=merverdiavgift',
    titles: 'dr.=doktor|prof.=professor',
    numbered: 'nr.=nummer|nr=nummer|kl.=klokken|s.=side|tlf.=telefon|kap.=kapittel|bd.=bind',
    closing:
      'osv.=og så videre|m.m.=med mer|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=etter Kristus',
  },
  pointsDates: true,
  telephoneWords: 'tel|tlf|telefon',
  timeWords: 'kl\\.?|klokken',
  readsWeekdays: true,
  ordinalNouns:
    /\.[ \u00a0](?:verdenskrig|etasje|klasse|divisjon|plass|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvår|århundre\p{L}*)/uy,
  country: /^amerikansk[ea]? ?/u,
  parts: '3=tredjedel|tredjedeler, 4=fjerdedel|fjerdedeler',
  part: (below) => {
    const part = isSaidPart(below) ? `${spelling.spellOut('ordinal-masculine', below)}del` : undefined;
    return part && `${part}|${part}er`;
  },
  decades: {
    pattern: /(\d{2,4})-?(tall(?:et|ets|ene|s)?)(?!\p{L})/uy,
    say: (digits, suffix) => decadeOf(spelling, digits, /00$/.test(digits) ? 'hundre' : '') + suffix,
  },
  hundredths: 'NOK=øre, kr=øre, EUR=cent, USD=cent, SEK=øre, DKK=øre',
  countedYears: 'numbering-year',
  ruler: (ordinal) => `den ${ordinal}`,
  address: ['punktum', 'krøllalfa', 'skråstrek'],
  articles: 'en|et|ei|den|det',
  half: 'en halv',
  mixed: (whole, part) => (whole === 'én' && part === 'en halv' ? 'halvannen' : `${whole} og ${part}`),
  to: 'til',
  rates: 'stk=stykk, mnd=måned, pers=person',
  hour: (h) => h,
  dayForm: 'ordinal-masculine',
  yearForm: 'numbering-year',
  cents: 'og ',
  plus: 'pluss',
  equals: 'er lik',
  times: 'ganger',
  by: 'ganger',
  over: 'over',
  ordinals: pointBeforeNoun,
  ordinalForm: () => 'ordinal-masculine',
  magnitudes:
    'mill=million|millioner, mrd=milliard|milliarder, millioner=millioner, milliarder=milliarder, million=million',
  units: { st: '' },
  home: ['NOK', 'last'],
});
