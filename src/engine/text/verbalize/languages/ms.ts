/** Malay. */
import { calendar, numberRules, unitNames } from '../generated/ms.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { createLanguage } from './create-language.ts';
import { malayAffixes } from './malay-affixes.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('ms', numberRules);

const abbreviations: AbbreviationTable = {
  open: 'Jln.=Jalan|Jl.=Jalan|tel.=telefon',
  titles: 'En.=Encik|Pn.=Puan|Dr.=Doktor|Prof.=Profesor|Tn.=Tuan',
  numbered: 'No.=nombor|no.=nombor|hlm.=halaman|ms.=muka surat',
  closing: 'dll.=dan lain-lain|dsb.=dan sebagainya|dst.=dan seterusnya',
};

const settings: LanguageSettings = {
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
  magnitudes: { juta: 'juta', bilion: 'bilion', ribu: 'ribu' },
  countedRomans: 'bab|jilid|bahagian',
  hundredths: { MYR: 'sen', USD: 'sen', EUR: 'sen' },
  home: ['MYR', 'first'],
};

export const create = (): Language =>
  createLanguage({ tag: 'ms', spelling, unitNames, calendar, abbreviations }, settings);
