/** Indonesian. */
import * as generated from '../generated/id.ts';
import { defineLanguage } from './define-language.ts';
import { malayAffixes } from './malay-affixes.ts';

export const create = defineLanguage('id', generated, {
  words: `
    telephoneWords: telp|telepon; timeWords: pukul|jam; address: titik, at, garis miring; half: setengah; to: sampai;
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
});
