/** Greek. */
import * as generated from '../generated/el.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('el', generated, {
  abbreviations: {
    open: 'π.χ.=παραδείγματος χάρη|δηλ.=δηλαδή|βλ.=βλέπε|τηλ.=τηλέφωνο',
    titles: 'κ.=κύριος|κα=κυρία|κος=κύριος|δρ.=δόκτωρ|καθ.=καθηγητής|Αγ.=Άγιος',
    numbered: 'αρ.=αριθμός|σελ.=σελίδα|εικ.=εικόνα|κεφ.=κεφάλαιο',
    closing: 'κ.λπ.=και λοιπά|κλπ.=και λοιπά|κ.ά.=και άλλα|π.Χ.=προ Χριστού|μ.Χ.=μετά Χριστόν',
  },
  telephoneWords: 'τηλ|τηλέφωνο',
  country: / ΗΠΑ$/u,
  units: { χλμ: 'kilometer', γρ: 'gram', εκ: 'centimeter' },
  address: ['τελεία', 'παπάκι', 'κάθετος'],
  half: 'μισό',
  and: 'και',
  part: (of) => `${of('ordinal-neuter')}|${of('ordinal-neuter').replace(/ο\b|ο$/u, 'α')}`,
  partGender: 'neuter',
  hundredths: 'EUR=λεπτό|λεπτά, USD=σεντ',
  moneyGender: 'neuter',
  to: 'έως',
  hour: (h) => h,
  readsWeekdays: true,
  clock: (h, m) => `${h} και ${m}`,
  hourForm: 'cardinal-feminine',
  cents: 'και ',
  plus: 'συν',
  equals: 'ίσον',
  times: 'φορές',
  by: 'επί',
  over: 'διά',
  ordinals: /(?:ος|ου|ον|η|ης|ο|α)(?!\p{L})/uy,
  ordinalForm: (mark) =>
    /^η/.test(mark) ? 'ordinal-feminine' : /^(?:ο|α)$/.test(mark) ? 'ordinal-neuter' : 'ordinal-masculine',
  magnitudes: 'εκατ=εκατομμύρια, δισ=δισεκατομμύρια',
  countedRomans: 'κεφάλαιο|τόμος|μέρος',
});
