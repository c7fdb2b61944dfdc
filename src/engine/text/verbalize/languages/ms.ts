/** Malay. */
import * as generated from '../generated/ms.ts';
import { createSpelling } from '../spell-out.ts';
import { defineLanguage } from './define-language.ts';
import { malayAffixes } from './malay-affixes.ts';

const spelling = createSpelling('ms', generated.numberRules);

export const create = defineLanguage('ms', generated, {
  spelling,
  abbreviations: {
    open: 'Jln.=Jalan|Jl.=Jalan|tel.=telefon',
    titles: 'En.=Encik|Pn.=Puan|Dr.=Doktor|Prof.=Profesor|Tn.=Tuan',
    numbered: 'No.=nombor|no.=nombor|hlm.=halaman|ms.=muka surat',
    closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
  },
  telephoneWords: 'tel|telefon',
  timeWords: 'pukul|jam',
  country: /^(?:AS|US) ?| AS$/u,
  names: [malayAffixes(spelling)],
  address: ['titik', 'at', 'garis miring'],
  half: 'setengah',
  to: 'hingga',
  hour: (h) => h,
  clock: (h, m) => `${h} ${m}`,
  plus: 'tambah',
  equals: 'sama dengan',
  times: 'kali',
  by: 'kali',
  over: 'per',
  minus: 'negatif',
  magnitudes: 'juta=juta, bilion=bilion, ribu=ribu',
  countedRomans: 'bab|jilid|bahagian',
  hundredths: 'MYR=sen, USD=sen, EUR=sen',
  home: ['MYR', 'first'],
});
