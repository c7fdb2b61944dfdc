/** Vietnamese. */
import { calendar, numberRules, unitNames } from '../generated/vi.ts';
import type { Language } from '../language.ts';
import { createSpelling } from '../spell-out.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import { createLanguage } from './create-language.ts';
import type { LanguageSettings } from './settings.ts';

const spelling = createSpelling('vi', numberRules);

const abbreviations: AbbreviationTable = {
  titles: 'TP.=thành phố|Tp.=thành phố|TS.=tiến sĩ|PGS.=phó giáo sư|GS.=giáo sư|ThS.=thạc sĩ|BS.=bác sĩ',
  numbered: 'Q.=quận|P.=phường|tr.=trang|Số.=số',
  closing: 'v.v.=vân vân|v.v…=vân vân',
};

const settings: LanguageSettings = {
  telephoneWords: 'điện thoại',
  country: / Mỹ$/u,
  unitSlash: ' trên ',
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
};

export const create = (): Language =>
  createLanguage({ tag: 'vi', spelling, unitNames, calendar, abbreviations }, settings);
