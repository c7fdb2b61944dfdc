/** Arabic. */
import { isBehind, patternClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

/** "one dollar" has its number behind the noun, "two kilometers" is the dual of the noun. */
function numbered(noun: string, digits: string): string | undefined {
  if (digits !== '1' && digits !== '2') return undefined;
  return noun.replace(/^\S+/u, (word) => {
    if (digits === '1') return `${word} ${/ة$/u.test(word) ? 'واحدة' : 'واحد'}`;
    return /[وي]$/u.test(word) ? `اثنان ${word}` : `${word.replace(/ة$/u, 'ت')}ان`;
  });
}

/** Not behind the name of what is numbered, nor before a word that isn't counted. */
const label =
  /(?:رقم|الفصل|الباب|الصفحة|صفحة|الجزء|القسم|المادة|الطابق|الغرفة|غرفة|السؤال|الدرس|الخطوة|المستوى|الساعة|ساعة|فصل|باب)\s$/u;
const oneNoun =
  /1[ \u00a0](?!(?:ال|[وف]?(?:من|في|إلى|على|عن|أو|ثم|مع|هو|هي|كان|كانت|لكل|صباحا|مساء|ظهرا|ص|م)(?![\p{L}\p{M}])))([\p{sc=Arab}\p{M}]{3,20})(?![\p{L}\p{M}])/uy;

/** `1 كتاب`, whose number is said behind it. */
const numberedNouns = patternClass('digit', oneNoun, ([, noun = ''], place) =>
  isBehind(place, label) ? undefined : (numbered(noun, '1') ?? noun),
);

export const rules: LanguageSettings = {
  words: `
    spacing: behind; percentFirst: yes; currencies: د.ك=KWD, ر.س=SAR, د.إ=AED, ج.م=EGP, ر.ق=QAR, د.ا=JOD; score: مقابل; hourForm: ordinal-feminine; hour: {0}; units: كم=kilometer, م=meter, سم=centimeter,
    مم=millimeter, كجم=kilogram, كغ=kilogram, كلغ=kilogram, كغم=kilogram, غ=gram, جم=gram, ملغ=milligram, مجم=milligram,
    مغ=milligram, مل=milliliter, ل=liter, لتر=liter, طن=tonne, ث=second, ثانية=second, دقيقة=minute, س=hour, ساعة=hour,
    يوم=day, شهر=month, سنة=year, كيلوبايت=kilobyte, ميغابايت=megabyte, ميجابايت=megabyte, غيغابايت=gigabyte,
    جيجابايت=gigabyte, كيلوواط=kilowatt, ميغاواط=megawatt; address: نقطة, آت, شرطة مائلة; half: نصف; mixed: {0} و{1};
    parts: 3=ثلث|أثلاث|أثلاث|ثلثان, 4=ربع|أرباع|أرباع|ربعان, 5=خمس|أخماس|أخماس|خمسان, 6=سدس|أسداس|أسداس|سدسان,
    7=سبع|أسباع|أسباع|سبعان, 8=ثمن|أثمان|أثمان|ثمنان, 9=تسع|أتساع|أتساع|تسعان, 10=عشر|أعشار|أعشار|عشران; partsAlone: 2;
    hundredths: USD=سنت, EUR=سنت, GBP=بنس, EGP=قرش, SAR=هللة, AED=فلس; to: إلى; cents: و; clock: {0} و{1} دقيقة;
    over: على; plus: زائد; power: أس {0}; equals: يساوي; point: فاصلة; percent: بالمئة;
  `,
  numbered,
  names: [numberedNouns],
  country: / أمريكي$/u,
  // `1990 م` is a year.
  isNoMeasure: ({ text, start }, end) => /\d ?[ثسلم]$/u.test(text.slice(start, end)),
  tidy: (said) =>
    said
      .replace(/(ثلاث|أربع|خمس|سبع|تسع)ة مائة/gu, '$1مائة')
      .replace(/ستة مائة/gu, 'ستمائة')
      .replace(/ثماني?ة مائة/gu, 'ثمانمائة')
      .replace(/إحدى عشر(?!ة)/gu, 'أحد عشر')
      .replace(/إثن/gu, 'اثن'),
};
