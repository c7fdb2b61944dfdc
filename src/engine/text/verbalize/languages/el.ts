/** Greek. */
import * as generated from '../generated/el.ts';
import { defineLanguage } from './define-language.ts';

export const create = defineLanguage('el', generated, {
  words: `
    telephoneWords: τηλ|τηλέφωνο; units: χλμ=kilometer, γρ=gram, εκ=centimeter; address: τελεία, παπάκι, κάθετος;
    half: μισό; and: και; partGender: neuter; hundredths: EUR=λεπτό|λεπτά, USD=σεντ; moneyGender: neuter; to: έως;
    hour: {0}; readsWeekdays: yes; clock: {0} και {1}; hourForm: cardinal-feminine; cents: και; plus: συν; power: στη δύναμη {0}; equals: ίσον;
    times: φορές; by: επί; over: διά; magnitudes: εκατ=εκατομμύρια, δισ=δισεκατομμύρια;
    countedRomans: κεφάλαιο|τόμος|μέρος;
  `,
  abbreviations: {
    open: 'π.χ.=παραδείγματος χάρη|δηλ.=δηλαδή|βλ.=βλέπε|τηλ.=τηλέφωνο',
    titles: 'κ.=κύριος|κα=κυρία|κος=κύριος|δρ.=δόκτωρ|καθ.=καθηγητής|Αγ.=Άγιος',
    numbered: 'αρ.=αριθμός|σελ.=σελίδα|εικ.=εικόνα|κεφ.=κεφάλαιο',
    closing: 'κ.λπ.=και λοιπά|κλπ.=και λοιπά|κ.ά.=και άλλα|π.Χ.=προ Χριστού|μ.Χ.=μετά Χριστόν',
  },
  country: / ΗΠΑ$/u,
  part: (of) => `${of('ordinal-neuter')}|${of('ordinal-neuter').replace(/ο\b|ο$/u, 'α')}`,
  ordinals: /(?:ος|ου|ον|η|ης|ο|α)(?!\p{L})/uy,
  ordinalForm: (mark) =>
    /^η/.test(mark) ? 'ordinal-feminine' : /^(?:ο|α)$/.test(mark) ? 'ordinal-neuter' : 'ordinal-masculine',
});
