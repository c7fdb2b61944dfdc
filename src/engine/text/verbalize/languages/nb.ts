/** Norwegian. */
import { decadeOf } from './families.ts';
import { type LanguageSettings, pointBeforeNoun } from './settings.ts';

export const rules: LanguageSettings = {
  words: String.raw`
    pointsDates: yes; telephoneWords: tel|tlf|telefon; timeWords: kl\.?|klokken; readsWeekdays: yes; dateWords: den|fra|til|senest;
    parts: 3=tredjedel|tredjedeler, 4=fjerdedel|fjerdedeler;
    currencies: kroner=kr; hundredths: NOK=øre, kr=øre, EUR=cent, USD=cent, SEK=øre, DKK=øre; countedYears: numbering-year; ruler: den {0};
    address: punktum, krøllalfa, skråstrek, bindestrek, understrek; articles: en|et|ei|den|det; half: en halv; to: til;
    rates: stk=stykk, mnd=måned, pers=person; hour: {0}; dayForm: ordinal-masculine; yearForm: numbering-year;
    cents: og; plus: pluss; power: opphøyd i {0}; equals: er lik; times: ganger; by: ganger; over: over; ordinalForm: ordinal-masculine;
    magnitudes: mill=million|millioner, mrd=milliard|milliarder, millioner=millioner, milliarder=milliarder,
    million=million; units: st=; home: NOK last;
  `,
  abbreviations: {
    open: 'f.eks.=for eksempel|bl.a.=blant annet|dvs.=det vil si|ca.=cirka|mht.=med hensyn til|pga.=på grunn av|inkl.=inklusive|ekskl.=eksklusive|evt.=eventuelt|ift.=i forhold til|jf.=jamfør|maks.=maksimalt|tlf.=telefon|mva.=merverdiavgift',
    titles: 'dr.=doktor|prof.=professor',
    numbered: 'nr.=nummer|nr=nummer|kl.=klokken|s.=side|tlf.=telefon|kap.=kapittel|bd.=bind',
    closing:
      'osv.=og så videre|m.m.=med mer|m.fl.=med flere|mv.=med videre|etc.=et cetera|f.Kr.=før Kristus|e.Kr.=etter Kristus',
  },
  ordinalNouns:
    /\.[ \u00a0](?:verdenskrig|etasje|klasse|divisjon|plass|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvår|århundre\p{L}*)/uy,
  country: /^amerikansk[ea]? ?/u,
  part: (of) => `${of('ordinal-masculine')}del|${of('ordinal-masculine')}deler`,
  decades: {
    pattern: /(\d{2,4})-?(tall(?:et|ets|ene|s)?)(?!\p{L})/uy,
    say: (digits, suffix, place) => decadeOf(place, digits, /00$/.test(digits) ? 'hundre' : '') + suffix,
  },
  mixed: (whole, part) => (whole === 'én' && part === 'en halv' ? 'halvannen' : `${whole} og ${part}`),
  ordinals: pointBeforeNoun,
};
