/** Vietnamese. */
import { patternClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

/** `5tr5`, five and a half millions. */
const jointMagnitudes = patternClass(
  'digit',
  /(\d{1,3})(tr|k|tỷ|tỉ)(\d)(?![\p{L}\d]|[.,]\d)/uy,
  ([, first, mark = '', rest], { language }) => {
    const [whole, part] = [first, rest].map((digits) => language.spelling.spellOut('cardinal', Number(digits)));
    return `${whole} ${{ tr: 'triệu', k: 'nghìn' }[mark] ?? mark} ${rest === '5' ? 'rưỡi' : part}`;
  },
);

/** `thứ 1`, `thứ 4` */
const ranks = patternClass({ begins: 'digit', behind: /thứ $/iu }, /[14](?![\d/]|[.,]\d)/y, ([rank]) =>
  rank === '1' ? 'nhất' : 'tư',
);

/** `14g30` */
const hours = patternClass('digit', /([01]?\d|2[0-4])g([0-5]\d)(?![\p{L}\d])/uy, ([, hour, minute]) => ({
  kind: 'time',
  first: { hour: Number(hour), minute: Number(minute) },
}));

/** `200k/tháng` */
const rates = patternClass(
  { begins: 'sign', signs: '/', behind: /\d ?(?:k|tr|triệu|nghìn|ngàn|tỷ|tỉ|đồng)$/u },
  /\/ ?(?=\p{Ll}{2})/uy,
  () => ' mỗi ',
);

export const rules: LanguageSettings = {
  words: `
    telephoneWords: điện thoại; unitSlash: trên; address: chấm, a còng, gạch chéo, gạch ngang, gạch dưới; to: đến; perWord: {0} mỗi {1};
    clock: {0} giờ {1} phút; date: {0} tháng {1}|{0} tháng {1} năm {2}; hour: {0} giờ; plus: cộng; power: mũ {0}; equals: bằng; times: lần; by: nhân; over: phần;
    magnitudes: triệu=triệu, tỷ=tỷ, tỉ=tỉ, nghìn=nghìn, ngàn=ngàn, k=nghìn, K=nghìn, tr=triệu;
    dateWords: thứ [2-7],?|ngày|hôm|mùng|mồng|sáng|trưa|chiều|tối|đêm|lễ|dịp|từ|đến|tới|trước|sau;
    units: v=volt, p=minute, ph=minute, h=hour, g=gram, t=ton, w=watt; letterOfHours: clock; currencies: đ=VND, Đ=VND;
    countedRomans: chương|phần|đoạn|khoản|mục|phụ lục|số|thứ|tập|thế kỷ|thế kỉ|khóa|lần thứ|quý|đại hội|hồi; percent: phần trăm;
    parts: 4=phần tư; hundredths: USD=xu, EUR=xu, GBP=xu; home: VND first;
  `,
  abbreviations: {
    titles: 'TP.=thành phố|Tp.=thành phố|TS.=tiến sĩ|PGS.=phó giáo sư|GS.=giáo sư|ThS.=thạc sĩ|BS.=bác sĩ',
    numbered: 'Q.=quận|P.=phường|tr.=trang|Số.=số',
    closing: 'v.v.=vân vân|v.v…=vân vân',
  },
  names: [ranks, hours],
  classes: [jointMagnitudes, rates],
  monthName: (said) => (said === 'bốn' ? 'tư' : said),
  country: / Mỹ$/u,
  clockWord: /[ \u00a0]?(?:giờ)(?!\p{L})/uy,
};
