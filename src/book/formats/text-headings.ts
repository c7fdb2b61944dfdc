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
  'chapter|chap\\.|ch\\.|letter|stave|adventure|story|tale|lecture|essay|section|scene|canto|fable|day|kapitel|hoofdstuk|luku|chapitre|κεφάλαιο|פרק|अध्याय|bab|capitolo|ជំពូក|ບົດທີ|kapittel|rozdział|capítulo|глава|sura|kabanata|บทที่|bölüm|chương|الفصل|အခန်း';
/** A heading without a number. */
const single =
  /^(?:(?:the|an?|(?:author|editor|translator|publisher)['’]s) )?(?:prologue|epilogue|preface|introduction|introductory|foreword|afterword|dedication|conclusion|interlude|prelude|finale|appendix|note|notice|postscript|prolog|epilog|vorwort|nachwort|einleitung|prologo|epilogo|prólogo|epílogo|épilogue|préface|avant-propos|пролог|эпилог|предисловие|послесловие|序|序言|前言|后记|後記)[.:]?$/iu;
/** With other words behind them, which are few. */
const singleWithTitle = /^(?:prologue|epilogue|preface|introduction|foreword|пролог|эпилог)(?![\p{L}\p{M}])/iu;
const startsWith = (words: string): RegExp => new RegExp(`^(?:${words})(?![\\p{L}\\p{M}])`, 'iu');
const startsPart = startsWith(partWord);
const startsChapter = startsWith(chapterWord);
/** A mark of a note, behind the number of a chapter. */
const mark = String.raw`(?:\s?\(\*\)|\s?\[[\w*]{1,3}\]|\*)?`;
const ordinal = `(?:the )?(?:${numberWords}|last) (?:chapter|part|book|volume|adventure|letter|stave|act|scene|canto)`;
const bare = new RegExp(`^(?:(?:${partWord}|${chapterWord})\\s{1,9}${number}${mark}|${ordinal})\\s?[.:]?$`, 'iu');
const ordinalPart =
  /\s(?:part|book|volume|act|teil|buch|band|partie|livre|tome|parte|libro|livro|deel|del|bok|osa|часть|книга|том|część|księga)[.:]?$/iu;
/** `Erstes Kapitel`, `PREMIÈRE PARTIE`, `1. Kapitel`: of languages in which no other two words are like it. */
const ordinalAhead =
  /^(?:\p{L}{2,20}|\d{1,3}\.)\s(?:kapitel|teil|buch|chapitre|partie|livre|capítulo|capitolo|parte|libro|livro|hoofdstuk|deel|rozdział|część|księga|luku|osa|глава|часть|книга)[.:]?$/iu;
const titled = new RegExp(
  `^(?:${partWord}|${chapterWord})\\s{1,9}${number}${mark}(?:\\s{0,9}(?:[.:]|--|[—–-])\\s{0,9}|\\s{2,20})(\\S.*)$`,
  'iu',
);
const eastAsian =
  /^(?:第[\s\d〇零一二三四五六七八九十百千０-９]{1,9}[章回节節卷部話篇集]|제\s?\d{1,4}\s?[장부화]|序章|終章|终章|楔子|尾声|番外)/u;
const eastAsianPart = /^第[\s\d〇零一二三四五六七八九十百千０-９]{1,9}[卷部]/u;
const numeral = /^(?:[IVXLC]{1,7}|#?\d{1,3})\.?$/;
const units = 'one two three four five six seven eight nine'.split(' ');
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
/** `One`, `TWENTY-TWO`. */
const cardinals: ReadonlyMap<string, number> = new Map([
  ...[...units, ...teens].map((word, index) => [word, index + 1] as const),
  ...tens.flatMap((word, index) => [
    [word, (index + 2) * 10] as const,
    ...units.map((unit, at) => [`${word}-${unit}`, (index + 2) * 10 + at + 1] as const),
  ]),
]);
const cardinalOf = (line: string): number | undefined =>
  line.length > 13 ? undefined : cardinals.get(line.toLowerCase().replace(' ', '-'));
const numbered = /^[IVXLC]{1,7}\.?\s{0,9}(?:--|[—–]|[.:])\s{0,9}(\S.*)$/u;
const listed = /^\d{1,3}(?:\.|\s?(?:--|[—–-]))\s{1,9}(\S.*)$/u;
/** `FEDERALIST No. 1` */
const issue = /^\p{Lu}[\p{L}’' ]{2,30}\.? (?:No|Nr|Number|№)\.? ?\d{1,3}\.?$/u;
/** A part between dashes, as in `-- II --`. */
const dashed = /^[-–—]{1,2}\s?[IVXLC]{1,7}\s?[-–—]{1,2}$/;
/** The end of a book or of a part of it. */
const end = /^(?:the end|finis|fin|ende|curtain|tableau|act drop|end of (?:the )?[\p{L}\d ]{1,40})[.!]?$/iu;
const longestHeading = 80;
const mostHeadingLines = 4;

/** The surroundings of a line. */
export interface HeadingPlace {
  /** Empty lines before and behind it. */
  readonly before: number;
  readonly behind: number;
  /** The line before ends a sentence, or there is none. */
  readonly endsBefore: boolean;
  /** A paragraph continues in the next line. */
  readonly goesOn: boolean;
}

/** The end of a sentence, perhaps with the mark of a note, or one within. */
const sentences = /[.!?]["”’_*]{0,3}(?:\[[\w*]{1,3}\])?$|\p{Ll}{4}[_*]?[.!?]["”]? ["“]?\p{Lu}/u;

/** Words in capitals, or each important one with a capital; no sentence. */
export function looksLikeTitle(text: string, lines = 1): boolean {
  if (text.length > longestHeading * lines || /[,;:]$/u.test(text) || !/^["“‘«(]?[\p{Lu}\p{Lo}\d]/u.test(text))
    return false;
  const words = text.match(/[\p{L}\p{M}'’]+/gu) ?? [];
  if (words.length === 0) return false;
  const large = words.filter((word) => !/^\p{Ll}/u.test(word) || word.length < 4);
  if (sentences.test(text)) return text === text.toUpperCase() && words.length <= 12 * lines;
  return large.length >= words.length * 0.5;
}

/** The level of a heading: 1 for parts, 2 for chapters, 3 for titles in capitals; undefined for a line of text. */
export function headingLevel(line: string, { before, behind, endsBefore, goesOn }: HeadingPlace): number | undefined {
  const isUpper = line === line.toUpperCase();
  if (line.length > longestHeading * (isUpper ? mostHeadingLines : 2) || isEnd(line)) return undefined;
  if (eastAsian.test(line)) return /[。，；！？]$/u.test(line) ? undefined : eastAsianPart.test(line) ? 1 : 2;
  const isAlone = before > 0 && behind > 0;
  if (bare.test(line)) return endsBefore || before > 0 ? levelOf(line) : undefined;
  if (isAlone && ordinalAhead.test(line)) return levelOf(line);
  const [, title] = titled.exec(line) ?? [];
  if (title !== undefined && before > 0 && !goesOn && looksLikeTitle(title, mostHeadingLines)) return levelOf(line);
  if (!isAlone || /[,;]$/.test(line)) return undefined;
  if (title !== undefined && isSentenceTitle(title)) return levelOf(line);
  if (line.length > longestHeading * (isUpper ? 2 : 1)) return undefined;
  if (single.test(line)) return 2;
  if (singleWithTitle.test(line) && line.length < longestHeading / 2) return 2;
  if ((startsChapter.test(line) || startsPart.test(line)) && hasNumber(line)) return levelOf(line);
  if (numeral.test(line) || issue.test(line) || dashed.test(line)) return 2;
  // Between two empty lines, it may be an answer.
  if (cardinalOf(line) !== undefined && (before > 1 || isUpper)) return 2;
  const [, named] = numbered.exec(line) ?? listed.exec(line) ?? [];
  if (named !== undefined && looksLikeTitle(named, 2) && !/[a-z]\.$/.test(named)) return 2;
  return before > 1 && isInCapitals(line) ? 3 : undefined;
}

export const isEnd = (line: string): boolean => end.test(line);

const levelOf = (line: string): number =>
  startsPart.test(line) || (ordinalPart.test(line) && !startsChapter.test(line)) ? 1 : 2;
/** In any script, or a word such as `Kapitel eins`, which is short. */
const hasNumber = (line: string): boolean =>
  /\p{N}|(?<![\p{L}\p{M}])[IVXLC]{1,7}(?![\p{L}\p{M}])/u.test(line) || (line.length < 40 && !/[.!?]$/.test(line));

/** A title such as THE GIFT OF THE MAGI. */
const isInCapitals = (line: string): boolean =>
  /\p{Lu}.*\p{Lu}.*\p{Lu}/u.test(line) &&
  line === line.toUpperCase() &&
  line.length <= 60 &&
  !/[-–—!?,:"”]$|[;[\]]/u.test(line) &&
  !/^(?:["“«(]|BY (?!THE |AN? ))/u.test(line);

/** Whether a line is a heading such as `Epilogue`, which may be the title of a number. */
export const isNamedHeading = (line: string): boolean => single.test(line);

/** Whether a line is the title below a heading such as `CHAPTER I.` */
export const isBareHeading = (line: string): boolean =>
  bare.test(line) || numeral.test(line) || cardinalOf(line) !== undefined;

const behindNumber = String.raw`(?![\p{L}\p{M}\d])[\s.:—–-]{0,9}`;
/** A number in words or the letter I may be the beginning of a title, as in `TWO GALLANTS`. */
const numberedBare = new RegExp(
  `^(?:(?:${partWord}|${chapterWord})\\s{1,9}${number}${mark}${behindNumber}|(?:\\d{1,3}|(?!I\\s\\S)[IVXLC]{1,7})${behindNumber}|(?:${numberWords})(?=\\s{2}|[.:—-])${behindNumber})`,
  'iu',
);

/** A title without the number before it, as in `CHAPTER I. Down the Rabbit-Hole`. */
export const withoutNumber = (line: string): string => line.replace(numberedBare, '');

const digits: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

/** The value of a heading that is a number, or begins with one, without a word such as `chapter`. */
export function numeralOf(line: string): number | undefined {
  const cardinal = cardinalOf(line);
  if (cardinal !== undefined) return cardinal;
  const [, written = ''] = /^(?:#|[-–—]{1,2}\s?)?([IVXLC]{1,7}|\d{1,3})(?![\p{L}\p{N}])/u.exec(line) ?? [];
  if (written === '') return undefined;
  if (/\d/.test(written)) return Number(written);
  return [...written].reduce((sum, letter, index) => {
    const [value = 0, next = 0] = [digits[letter], digits[written[index + 1] ?? '']];
    return sum + (value < next ? -value : value);
  }, 0);
}

/** Whether a line has the number of a chapter and its title, as in `CHAPTER 1. Loomings`. */
export const isTitledHeading = (line: string): boolean => titled.test(line);

/** Whether a title that ends as a sentence has its longer words in capitals, as in `Of the Whale in Paint; in Teeth.` */
export function isSentenceTitle(title: string): boolean {
  const long = title.match(/[\p{L}\p{M}'’]{4,99}/gu) ?? [];
  const small = long.filter((word) => /^\p{Ll}/u.test(word));
  return small.length <= long.length / 4 && looksLikeTitle(title.replace(/\.$/, ''), 2);
}

const roman = /^[IVXLC]{1,7}\.?$/;
/** `Chapter 1 PETER BREAKS THROUGH` */
const spaced = new RegExp(`^(?:${partWord}|${chapterWord})\\s${number}\\s(\\S.*)$`, 'iu');

/** Whether a paragraph of a document is the heading of a chapter, by its words alone. */
export function isChapterLine(line: string): boolean {
  if (line.length > longestHeading * 2 || isEnd(line)) return false;
  if (bare.test(line) || ordinalAhead.test(line) || single.test(line) || roman.test(line)) return true;
  if (eastAsian.test(line)) return !/[。，；！？]$/u.test(line);
  const [, capitals] = spaced.exec(line) ?? [];
  if (capitals !== undefined && /\p{Lu}{2}/u.test(capitals) && capitals === capitals.toUpperCase()) return true;
  const [, title] = titled.exec(line) ?? numbered.exec(line) ?? [];
  return title !== undefined && (looksLikeTitle(title, 2) || isSentenceTitle(title));
}

/** Whether a line has a word such as `Chapter` with a number. */
export const isNumberedLine = (line: string): boolean => bare.test(line) || titled.test(line) || eastAsian.test(line);

/** Whether a heading is that of a chapter, not of a part that holds chapters. */
export const isOfChapter = (line: string): boolean => isChapterLine(line) && levelOf(line) === 2;
