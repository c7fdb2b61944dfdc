/** Languages with few rules of their own, by their tags. */
import { take, tokenClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

/** `ke-3` and `1990-an` of Indonesian and Malay. */
const malayAffixes = tokenClass({ begins: 'letter digit' }, (cursor, place) => {
  const say = (digits: string): string => place.language.spelling.spellOut('cardinal', Number(digits));
  const [, ordinal] = take(cursor, /[Kk]e-(\d{1,12})(?![\p{L}\d]|[.,]\d)/uy) ?? [];
  if (ordinal !== undefined) return ordinal === '1' ? 'pertama' : `${place.text[place.start]}e${say(ordinal)}`;
  const [, digits] = take(cursor, /(\d{1,4})-an(?!\p{L})/uy) ?? [];
  return digits === undefined ? undefined : `${say(digits)}an`;
});

/** A number before a noun in Tagalog. */
const linker = (said: string): string =>
  /[aeiou]$/.test(said) ? `${said}ng` : /n$/.test(said) ? `${said}g` : `${said} na`;

export const fewRules: Readonly<Record<string, LanguageSettings>> = {
  el: {
    words: `
    telephoneWords: τηλ|τηλέφωνο; units: χλμ=kilometer, γρ=gram, εκ=centimeter; address: τελεία, παπάκι, κάθετος, παύλα, κάτω παύλα;
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
  },
  he: {
    words: `
    spacing: behind; address: נקודה, שטרודל, לוכסן; half: חצי; parts: 3=שליש|שלישים, 4=רבע|רבעים; partsAlone: 1;
    mixed: {0} ו{1}; hundredths: ILS=אגורה|אגורות, USD=סנט, EUR=סנט; to: עד; hour: {0}; cents: ו; clock: {0} ו{1};
    over: חלקי; plus: ועוד; power: בחזקת {0}; equals: שווה; percent: אחוז;
  `,
    country: / ארה״ב$/u,
    tidy: (said) =>
      // "מאה ועשרים", "מאה ושתים עשרה"
      said.replace(/(?<=(?:מאה|מאתיים|מאות|אלף|אלפיים|אלפים|מיליון) )(?!ו)(\p{L}+(?: עשרה)?)$/u, (last) =>
        /^(?:מאה|מאתיים|מאות|אלף|אלפים|מיליון|מיליארד)$/.test(last) ? last : `ו${last}`,
      ),
  },
  id: {
    words: `
    telephoneWords: telp|telepon; timeWords: pukul|jam; address: titik, at, garis miring, tanda hubung, garis bawah; half: setengah; to: sampai;
    hour: {0}; readsWeekdays: yes; clock: {0} lewat {1}; plus: tambah; power: pangkat {0}; equals: sama dengan; times: kali; by: kali;
    over: per; minus: minus; magnitudes: juta=juta, miliar=miliar, triliun=triliun, ribu=ribu, jt=juta, rb=ribu;
    countedRomans: bab|jilid|bagian|babak; hundredths: IDR=sen, USD=sen, EUR=sen; home: IDR first;
  `,
    abbreviations: {
      open: 'Jl.=Jalan|Jln.=Jalan|tgl.=tanggal|s.d.=sampai dengan|a.n.=atas nama|telp.=telepon|Telp.=telepon|yg=yang|utk=untuk|dgn=dengan',
      titles: 'Bpk.=Bapak|Sdr.=Saudara|Sdri.=Saudari|Dr.=Doktor|Prof.=Profesor|Ny.=Nyonya|Tn.=Tuan',
      numbered: 'No.=nomor|no.=nomor|hlm.=halaman|hal.=halaman',
      closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
    },
    country: / AS$/u,
    names: [malayAffixes],
  },
  km: {
    words: 'isUnspaced: yes; to: ដល់; clock: ម៉ោង{0}{1}នាទី; hour: ម៉ោង{0};',
  },
  lo: {
    words: 'isUnspaced: yes; to: ຫາ; clock: {0}ໂມງ{1}ນາທີ; hour: {0}ໂມງ;',
  },
  ms: {
    words: `
    telephoneWords: tel|telefon; timeWords: pukul|jam; address: titik, at, garis miring, tanda hubung, garis bawah; half: setengah; to: hingga;
    hour: {0}; clock: {0} {1}; plus: tambah; power: kuasa {0}; equals: sama dengan; times: kali; by: kali; over: per; minus: negatif;
    magnitudes: juta=juta, bilion=bilion, ribu=ribu; countedRomans: bab|jilid|bahagian;
    hundredths: MYR=sen, USD=sen, EUR=sen; home: MYR first;
  `,
    abbreviations: {
      open: 'Jln.=Jalan|Jl.=Jalan|tel.=telefon',
      titles: 'En.=Encik|Pn.=Puan|Dr.=Doktor|Prof.=Profesor|Tn.=Tuan',
      numbered: 'No.=nombor|no.=nombor|hlm.=halaman|ms.=muka surat',
      closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
    },
    country: /^(?:AS|US) ?| AS$/u,
    names: [malayAffixes],
  },
  my: {
    words: 'isUnspaced: yes; to: မှ; clock: {0}နာရီ{1}မိနစ်;',
  },
  sw: {
    words: `
    address: nukta, at, mkwaju; half: nusu; to: hadi; clock: {0} na dakika {1}; plus: jumlisha; equals: sawa na;
    over: kwa; currencyFirst: yes;
  `,
  },
  th: {
    words: `
    isUnspaced: yes; address: จุด, แอท, ทับ; half: ครึ่ง; to: ถึง; clock: {0}นาฬิกา{1}นาที; hour: {0}นาฬิกา; over: ส่วน;
    plus: บวก; power: ยกกำลัง{0}; equals: เท่ากับ; currencies: บาท=THB; home: THB first;
  `,
    tidyCurrency: (name) => name.replace(/ไทย$/, ''),
    clockWord: /[ \u00a0]?(?:น\.|นาฬิกา)/uy,
  },
  tl: {
    words: `
    intlTag: fil; address: tuldok, at, slash; half: kalahati; to: hanggang; hour: {0}; clock: {0} {1}; dateOrder: mdy;
    plus: plus; equals: ay; home: PHP first;
  `,
    country: / ng (?:Estados Unidos|US)$/u,
    tidyCurrency: (name) => name.replace(/ ng$/, ''),
    linker,
    tidy: (said) =>
      said
        .replace(/ong pu/g, 'umpu')
        .replace(/ang pu/g, 'ampu')
        .replace(/ na pu/g, 'napu'),
  },
};
