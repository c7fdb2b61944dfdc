/** Malay. */
import * as generated from '../generated/ms.ts';
import { defineLanguage } from './define-language.ts';
import { malayAffixes } from './malay-affixes.ts';

export const create = defineLanguage('ms', generated, {
  words: `
    telephoneWords: tel|telefon; timeWords: pukul|jam; address: titik, at, garis miring; half: setengah; to: hingga;
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
});
