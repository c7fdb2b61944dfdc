/** Swedish. */
import { decadeOf } from './families.ts';
import type { LanguageSettings } from './settings.ts';

export const rules: LanguageSettings = {
  words: String.raw`
    operators: > större än, < mindre än, ≥ större än eller lika med, ≤ mindre än eller lika med, ÷ delat med, √ roten ur, ≈ ungefär;
    telephoneWords: tel|tfn|telefon; timeWords: kl\.?|klockan; readsWeekdays: yes; dateWords: den|från|till|senast;
    parts: 3=tredjedel|tredjedelar, 4=fjärdedel|fjärdedelar;
    currencies: kronor=kr; hundredths: SEK=öre, kr=öre, EUR=cent, USD=cent, NOK=öre, DKK=öre; countedYears: numbering-year; ruler: den {0};
    address: punkt, snabel-a, snedstreck, bindestreck, understreck; articles: en|den; half: en halv; and: och; to: till;
    rates: st=styck, mån=månad, pers=person, tim=timme; hour: {0}; dayForm: ordinal-masculine; yearForm: numbering-year;
    cents: och; plus: plus; power: upphöjt till {0}; equals: är lika med; times: gånger; by: gånger; over: genom; dateOrder: ymd; shortDateOrder: dmy;
    ordinalForm: ordinal-reale; magnitudes: mn=miljon|miljoner, md=miljard|miljarder, mkr=miljoner kronor,
    miljoner=miljoner, miljarder=miljarder, miljon=miljon|miljoner, miljard=miljard|miljarder, biljoner=biljoner, milj=miljon|miljoner; units: st=, tim=hour; home: SEK last;
  `,
  abbreviations: {
    open: 't.ex.=till exempel|t ex=till exempel|bl.a.=bland annat|d.v.s.=det vill säga|dvs.=det vill säga|s.k.=så kallad|ca=cirka|ca.=cirka|fr.o.m.=från och med|t.o.m.=till och med|p.g.a.=på grund av|pga=på grund av|m.a.o.=med andra ord|inkl.=inklusive|exkl.=exklusive|tel.=telefon|tfn.=telefon|ankn.=anknytning|s:t=sankt|f.d.=före detta|resp.=respektive',
    titles: 'dr.=doktor|prof.=professor',
    numbered: 'nr.=nummer|nr=nummer|kl.=klockan|kl=klockan|sid.=sida|s.=sida|kap.=kapitel',
    closing:
      'e.m.=på eftermiddagen|f.m.=på förmiddagen|osv.=och så vidare|o.s.v.=och så vidare|m.m.=med mera|m.fl.=med flera|etc.=et cetera|f.Kr.=före Kristus|f Kr=före Kristus|e Kr=efter Kristus|e.Kr.=efter Kristus',
  },
  clockWord: /(?=[ \u00a0][ef]\.m\.)/uy,
  country: /^amerikansk[ea]? ?/u,
  tidyCurrency: (name) => name.replace(/^brittisk[at] pund/, 'pund'),
  numbered: (noun, digits) => (noun === 'pund' && digits === '1' ? 'ett pund' : undefined),
  part: (of) => {
    const ordinal = of('ordinal-reale')
      .replace(/(?<!sju)nde$/, 'n')
      .replace(/^ett(?=hundra|tusen)/, '');
    return `${ordinal}del|${ordinal}delar`;
  },
  decades: {
    pattern: /(\d{2,4}(?:[-–]\d{2,4})?)-?(tal(?:et|ets|en|ens|s)?)(?!\p{L})/uy,
    say: (digits, suffix, place) =>
      digits
        .split(/[-–]/)
        .map((ten) => decadeOf(place, ten, 'hundra'))
        .join('-') + suffix,
  },
  ordinals: /:[ae](?!\p{L})/uy,
};
