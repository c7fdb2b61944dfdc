/** Burmese, Indonesian, Khmer, Lao, Malay, Tagalog, Thai and Vietnamese. */
import type { LanguageSettings } from './settings.ts';

/** A number before a noun in Tagalog. */
const linker = (said: string): string =>
  /[aeiou]$/.test(said) ? `${said}ng` : /n$/.test(said) ? `${said}g` : `${said} na`;

export const southEastAsian: Readonly<Record<string, LanguageSettings>> = {
  id: {
    address: ['titik', 'at', 'garis miring'],
    half: 'setengah',
    to: 'sampai',
    clock: (h, m) => `${h} lewat ${m}`,
    plus: 'tambah',
    equals: 'sama dengan',
    times: 'kali',
    by: 'kali',
    over: 'per',
    minus: 'minus',
    magnitudes: { juta: 'juta', miliar: 'miliar', triliun: 'triliun', ribu: 'ribu', jt: 'juta', rb: 'ribu' },
    countedRomans: 'bab|jilid|bagian|babak',
    home: ['IDR', 'first'],
  },
  km: {
    to: 'ដល់',
    clock: (h, m) => `ម៉ោង${h}${m}នាទី`,
  },
  lo: {
    to: 'ຫາ',
    clock: (h, m) => `${h}ໂມງ${m}ນາທີ`,
  },
  ms: {
    address: ['titik', 'at', 'garis miring'],
    half: 'setengah',
    to: 'hingga',
    clock: (h, m) => `${h} ${m}`,
    plus: 'tambah',
    equals: 'sama dengan',
    times: 'kali',
    by: 'kali',
    over: 'per',
    minus: 'negatif',
    magnitudes: { juta: 'juta', bilion: 'bilion', ribu: 'ribu' },
    countedRomans: 'bab|jilid|bahagian',
    home: ['MYR', 'first'],
  },
  my: {
    to: 'မှ',
    clock: (h, m) => `${h}နာရီ${m}မိနစ်`,
  },
  tl: {
    address: ['tuldok', 'at', 'slash'],
    half: 'kalahati',
    to: 'hanggang',
    clock: (h, m) => `${h} ${m}`,
    dateOrder: 'mdy',
    plus: 'plus',
    equals: 'ay',
    linker,
    tidy: (said) =>
      said
        .replace(/ong pu/g, 'umpu')
        .replace(/ang pu/g, 'ampu')
        .replace(/ na pu/g, 'napu'),
    home: ['PHP', 'first'],
  },
  th: {
    address: ['จุด', 'แอท', 'ทับ'],
    half: 'ครึ่ง',
    to: 'ถึง',
    clock: (h, m) => `${h}นาฬิกา${m}นาที`,
    hour: (h) => `${h}นาฬิกา`,
    clockWord: /[ \u00a0]?(?:น\.|นาฬิกา)/uy,
    over: 'ส่วน',
    plus: 'บวก',
    equals: 'เท่ากับ',
    currencies: { บาท: 'THB' },
    home: ['THB', 'first'],
  },
  vi: {
    address: ['chấm', 'a còng', 'gạch chéo'],
    to: 'đến',
    clock: (h, m) => `${h} giờ ${m} phút`,
    hour: (h) => `${h} giờ`,
    clockWord: /[ \u00a0]?(?:giờ)(?!\p{L})/uy,
    date: (d, m, y) => `${d} tháng ${m}${y === undefined ? '' : ` năm ${y}`}`,
    plus: 'cộng',
    equals: 'bằng',
    times: 'lần',
    by: 'nhân',
    over: 'phần',
    magnitudes: { triệu: 'triệu', tỷ: 'tỷ', tỉ: 'tỉ', nghìn: 'nghìn', ngàn: 'ngàn' },
    currencies: { đ: 'VND', Đ: 'VND' },
    countedRomans: 'chương|phần|tập',
    percent: 'phần trăm',
    home: ['VND', 'first'],
  },
};
