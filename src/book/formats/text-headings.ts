/** Lines of a plain text that look like headings, as books and typed manuscripts have them. */

const numberWords =
  `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|
  nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|
  first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last`.replace(/\s{1,9}(?=[a-z(])/g, '');
const number = String.raw`(?:the )?(?:\d{1,3}|[IVXLC]{1,7}|${numberWords})`;

/** Words for what holds chapters, and for chapters, in the 30 languages of VoxCPM 2 where they come first. */
const partWord =
  'part|book|volume|vol\\.|act|teil|buch|band|livre|partie|tome|libro|parte|livro|deel|del|bok|bog|kirja|osa|часть|книга|том|część|księga|kısım|phần|bagian|bahagian|sehemu|aklat';
const chapterWord =
  'chapter|chap\\.|letter|stave|adventure|story|tale|lecture|essay|section|scene|canto|fable|day|kapitel|hoofdstuk|luku|chapitre|κεφάλαιο|פרק|अध्याय|bab|capitolo|ជំពូក|ບົດທີ|kapittel|rozdział|capítulo|глава|sura|kabanata|บทที่|bölüm|chương|الفصل|အခန်း';
const single =
  /^(?:prologue|epilogue|preface|introduction|foreword|afterword|dedication|conclusion|interlude|appendix|prolog|epilog|vorwort|nachwort|einleitung|prologo|epilogo|prólogo|epílogo|épilogue|préface|avant-propos|пролог|эпилог|предисловие|послесловие|序|序言|前言|后记|後記)[.:]?$/iu;
/** With other words behind them, which are few. */
const singleWithTitle = /^(?:prologue|epilogue|preface|introduction|foreword|пролог|эпилог)(?![\p{L}\p{M}])/iu;
const startsWith = (words: string): RegExp => new RegExp(`^(?:${words})(?![\\p{L}\\p{M}])`, 'iu');
const startsPart = startsWith(partWord);
const startsChapter = startsWith(chapterWord);
const bare = new RegExp(
  `^(?:(?:${partWord}|${chapterWord})\\s{1,9}${number}|the ${number} (?:chapter|part|book|adventure|letter|stave))\\s?[.:]?$`,
  'iu',
);
const titled = new RegExp(
  `^(?:${partWord}|${chapterWord})\\s{1,9}${number}(?:\\s{0,9}(?:[.:]|--|[—–-])\\s{0,9}|\\s{2,20})(\\S.*)$`,
  'iu',
);
const eastAsian =
  /^(?:第[\s\d〇零一二三四五六七八九十百千０-９]{1,9}[章回节節卷部話篇集]|제\s?\d{1,4}\s?[장부화]|序章|終章|终章|楔子|尾声|番外)/u;
const eastAsianPart = /^第[\s\d〇零一二三四五六七八九十百千０-９]{1,9}[卷部]/u;
const numeral = /^(?:[IVXLC]{1,7}|\d{1,3})\.?$/;
const numbered = /^[IVXLC]{1,7}\.?\s{0,9}(?:--|[—–]|[.:])\s{0,9}(\S.*)$/u;
const listed = /^\d{1,3}\.\s{1,9}(\S.*)$/u;
const longestHeading = 80;

/** The surroundings of a line. */
export interface HeadingPlace {
  /** Empty lines before and behind it. */
  readonly before: number;
  readonly behind: number;
  /** The line before ends a sentence, or there is none. */
  readonly endsBefore: boolean;
}

/** Words in capitals, or each important one with a capital; no sentence. */
export function looksLikeTitle(text: string): boolean {
  if (text.length > longestHeading || /[,;:]$/u.test(text) || !/^["“‘«(]?[\p{Lu}\p{Lo}\d]/u.test(text)) return false;
  const words = text.match(/[\p{L}\p{M}'’]+/gu) ?? [];
  if (words.length === 0) return false;
  const large = words.filter((word) => !/^\p{Ll}/u.test(word) || word.length < 4);
  if (/[.!?]["”’]?$/u.test(text)) return text === text.toUpperCase() && words.length <= 12;
  return large.length >= words.length * 0.5;
}

/** The level of a heading: 1 for parts, 2 for chapters, 3 for titles in capitals; undefined for a line of text. */
export function headingLevel(line: string, { before, behind, endsBefore }: HeadingPlace): number | undefined {
  if (line.length > longestHeading) return undefined;
  if (eastAsian.test(line)) return /[。，；！？]$/u.test(line) ? undefined : eastAsianPart.test(line) ? 1 : 2;
  const isAlone = before > 0 && behind > 0;
  if (bare.test(line)) return endsBefore || before > 0 ? levelOf(line) : undefined;
  const [, title] = titled.exec(line) ?? [];
  if (title !== undefined && before > 0 && looksLikeTitle(title)) return levelOf(line);
  if (!isAlone || /[,;]$/.test(line)) return undefined;
  if (single.test(line)) return 2;
  if (singleWithTitle.test(line) && line.length < longestHeading / 2) return 2;
  if ((startsChapter.test(line) || startsPart.test(line)) && hasNumber(line)) return levelOf(line);
  if (numeral.test(line)) return 2;
  const [, named] = numbered.exec(line) ?? (before > 1 ? (listed.exec(line) ?? []) : []);
  if (named !== undefined && looksLikeTitle(named) && !/[a-z]\.$/.test(named)) return 2;
  return before > 1 && isInCapitals(line) ? 3 : undefined;
}

const levelOf = (line: string): number => (startsPart.test(line) ? 1 : 2);
/** In any script, or a word such as `Kapitel eins`, which is short. */
const hasNumber = (line: string): boolean =>
  /\p{N}|(?<![\p{L}\p{M}])[IVXLC]{1,7}(?![\p{L}\p{M}])/u.test(line) || (line.length < 40 && !/[.!?]$/.test(line));

/** A title such as THE GIFT OF THE MAGI. */
const isInCapitals = (line: string): boolean =>
  /\p{Lu}.*\p{Lu}.*\p{Lu}/u.test(line) && line === line.toUpperCase() && line.length <= 60 && !/[!?,;:"”]$/u.test(line);

/** Whether a line is the title below a heading such as `CHAPTER I.` */
export const isBareHeading = (line: string): boolean => bare.test(line) || numeral.test(line);
