/** Danish. */
import { decadeOf } from './families.ts';
import { type LanguageSettings, pointBeforeNoun } from './settings.ts';

export const rules: LanguageSettings = {
  words: String.raw`
    pointsDates: yes; telephoneWords: tel|tlf|telefon; timeWords: kl\.?|klokken; readsWeekdays: yes; dateWords: den|fra|til|senest;
    ofMen: ordinal-common; parts: 3=tredjedel|tredjedele, 4=fjerdedel|fjerdedele;
    currencies: kroner=kr; hundredths: DKK=øre, kr=øre, EUR=cent, USD=cent, SEK=øre, NOK=øre; countedYears: numbering-year; ruler: den {0};
    address: punktum, snabel-a, skråstreg, bindestreg, understreg; articles: en|et|den|det; half: en halv; moneyGender: common; to: til;
    rates: stk=styk, md=måned, pers=person; hour: {0}; dayForm: ordinal-common; yearForm: numbering-year; cents: og;
    plus: plus; power: opløftet i {0}; equals: er lig med; times: gange; by: gange; over: over; ordinalForm: ordinal-common; magnitudes:
    mio=million|millioner, mia=milliard|milliarder, million=million, millioner=millioner, milliarder=milliarder;
    partGender: common; units: st=; home: DKK last;
  `,
  abbreviations: {
    open: 'f.eks.=for eksempel|bl.a.=blandt andet|dvs.=det vil sige|ca.=cirka|mht.=med hensyn til|pga.=på grund af|inkl.=inklusive|ekskl.=eksklusive|fx=for eksempel|evt.=eventuelt|ift.=i forhold til|jf.=jævnfør|maks.=maksimalt|tlf.=telefon',
    titles: 'hr.=herr|fr.=fru|dr.=doktor|prof.=professor|Skt.=Sankt',
    numbered: 'nr.=nummer|nr=nummer|kl.=klokken|s.=side|tlf.=telefon|kap.=kapitel|d.=den|bd.=bind',
    closing:
      'osv.=og så videre|m.m.=med mere|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=efter Kristus',
  },
  ordinalNouns:
    /\.[ \u00a0](?:verdenskrig|etage|sal|klasse|division|plads|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvleg|halvår|århundre\p{L}*)/uy,
  tidy: (said) => said.replace(/^(?=milli(?:on|ard)(?!er))/, 'en '),
  country: /^amerikansk[ea]? ?/u,
  part: (of) => `${of('ordinal-common')}del|${of('ordinal-common')}dele`,
  decades: {
    pattern: /(\d{2,4})(?:['’]?(erne(?:s)?)|-(tallet))(?!\p{L})/uy,
    say: (digits, suffix, place) =>
      decadeOf(place, digits, /00$/.test(digits) ? 'hundrede' : '') + (suffix || 'tallet'),
  },
  mixed: (whole, part) => (/^e[nt]$/.test(whole) && part === 'en halv' ? 'halvanden' : `${whole} og ${part}`),
  ordinals: pointBeforeNoun,
};
