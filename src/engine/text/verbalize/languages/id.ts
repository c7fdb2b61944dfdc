/** Indonesian. */
import { calendar, numberRules, unitNames } from '../generated/id.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { createLanguage } from './create-language.ts';
import { malayAffixes } from './malay-affixes.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('id', numberRules);

const abbreviations: AbbreviationTable = {
  open: 'Jl.=Jalan|Jln.=Jalan|tgl.=tanggal|s.d.=sampai dengan|a.n.=atas nama|telp.=telepon|Telp.=telepon|yg=yang|utk=untuk|dgn=dengan',
  titles: 'Bpk.=Bapak|Sdr.=Saudara|Sdri.=Saudari|Dr.=Doktor|Prof.=Profesor|Ny.=Nyonya|Tn.=Tuan',
  numbered: 'No.=nomor|no.=nomor|hlm.=halaman|hal.=halaman',
  closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
};

const settings: LanguageSettings = {
  telephoneWords: 'telp|telepon',
  timeWords: 'pukul|jam',
  country: / AS$/u,
  names: [malayAffixes(spelling)],
  address: ['titik', 'at', 'garis miring'],
  half: 'setengah',
  to: 'sampai',
  hour: (h) => h,
  readsWeekdays: true,
  clock: (h, m) => `${h} lewat ${m}`,
  plus: 'tambah',
  equals: 'sama dengan',
  times: 'kali',
  by: 'kali',
  over: 'per',
  minus: 'minus',
  magnitudes: { juta: 'juta', miliar: 'miliar', triliun: 'triliun', ribu: 'ribu', jt: 'juta', rb: 'ribu' },
  countedRomans: 'bab|jilid|bagian|babak',
  hundredths: { IDR: 'sen', USD: 'sen', EUR: 'sen' },
  home: ['IDR', 'first'],
};

export const create = (): Language =>
  createLanguage({ tag: 'id', spelling, unitNames, calendar, abbreviations }, settings);
