/**
 * Cleans pasted text: models were not trained on typographic characters, invisible characters and runs of punctuation
 * and emit noise for them, so they are replaced or removed. A separate stage before `normalizeText`, which reproduces
 * the official code and handles white space.
 */
import { atOnce, type Steps } from '../../event-loop.ts';
import { htmlTagOf, isTypeParameter, raised } from './html-tags.ts';
import { syllabic } from './writing-systems.ts';

/** Han, kana and Hangul with their punctuation. */
const eastAsian = new RegExp(String.raw`[${syllabic}\u3001-\u301f\uff00-\uffef]`, 'u');
const wordCharacter = /[\p{L}\p{N}\p{M}]/u;

const opensLine = /^[\n\r\u0085\u2028\u2029]?$/;
const punctuation = /[\p{Po}\p{Pe}\p{Pf}"']/u;

const before = (text: string, offset: number): string => [...text.slice(Math.max(0, offset - 2), offset)].at(-1) ?? '';
const after = (text: string, offset: number): string => [...text.slice(offset, offset + 2)][0] ?? '';

/** Rules are applied in order. */
type Rule = (text: string) => string;

// biome-ignore lint/suspicious/noExplicitAny: as the library's type has it
type Replacer = (found: string, ...rest: any[]) => string;

const replace =
  (pattern: RegExp, replacement: string | Replacer): Rule =>
  (text) =>
    text.replace(pattern, replacement as Replacer);

const longestElement = 300;

/** Tags that are none of HTML, comparisons and the `<T>` of programs are text. */
function withoutTag(written: string, offset: number, text: string): string {
  const kind = htmlTagOf(written)?.kind;
  if (kind === undefined || kind === 'unknown') return written;
  const isClosed = (end: string): boolean => text.slice(offset, offset + longestElement).includes(end);
  if (isTypeParameter(written, text[offset - 1] ?? '', isClosed)) return written;
  return kind === 'inline' ? '' : ' ';
}

/** In the place of what is left out before a mark, for the space before it. */
const gone = '\ue000';

/** Numbers from one on, or a word for "note" with one, or a letter right behind a word: `[1]`, `[2, 3]`, `[note 4]`, `[a]`. */
const reference = String.raw`\[(?:(?<=[\p{L}.,;:!?)"”’]{2}\[)[a-h]|[1-9]\d{0,2}(?:[,–-] ?[1-9]\d{0,2}){0,7}|(?:note|nb|n|Anm\.|réf\.|nota|Note) \d{1,3}|citation needed|clarification needed|better source needed|dubious|when\?|who\?|by whom\?)\]`;
const referencesBehind = new RegExp(
  String.raw`(?<=\S[ \u00a0]?)(?<!\[)${reference}(?:[,;]? ?${reference})*(?::\d{1,4}(?:[-–]\d{1,4})?(?=\s|$))?(?![\w([=])(?! ?=)`,
  'gu',
);
/** Where brackets are read: after words such as "see", in mathematics and in programs. */
const bracketed =
  /(?:(?<!\p{L})(?:see|in|by|from|of|cf\.?|refs?\.?|with|to|and|or|range|interval|lists?|arrays?|sets?|vector|tuple|index|is|are|returns?|siehe|in|von|und|voir|et|de|y|e|en)\s?|[-=+*/^<>({|&:]\s?|[\]}],\s?|(?<!\d)\d{1,3}|(?<!\p{L})[a-z]|[\]}])$/iu;

/** Arrows, frames, boxes, stars, ticks, bullets, marks of trade. */
const sign = String.raw`[\u2190-\u21ff\u2300-\u23ff\u2500-\u2775\u2794-\u27bf\u27f0-\u297f\u2b00-\u2bff•‣◦⁃∙†‡¶©®™℠]`;
/** Also a bar between words, as in a table. */
const signOrBar = String.raw`(?:${sign}|(?<!\S)\|(?!\S))`;
const bullet = /^[ \t]*[•‣◦⁃∙▪●◆■|↑↓▲▼][ \t]*$/u;

/** Signs without sound. A bullet between words separates them. */
const signRuns = new RegExp(`(?<![ \\t])[ \\t]*${signOrBar}(?:[ \\t]*${signOrBar})*[ \\t]*`, 'gu');

const arrow = /^[ \t]*(?:[→⇒➔➜➝➞⟶⟹]|-{1,2}>|=>)[ \t]*$/u;
const valueBefore = /\d[^\s,;:!?]{0,8}(?: ?(?:°?[\p{L}/²³]{1,9}|[%°\p{Sc}]))?\.?$/u;
const valueBehind = /^(?:[-+~≈v(]|\p{Sc}|[A-Z]{1,3}[$]?)?[ ]?\d/u;

/** An arrow from a value to another is said as "to"; between words it is a pause. */
function arrowAt(text: string, arrow: string, offset: number): string {
  const rest = text.slice(offset + arrow.length, offset + arrow.length + longestName);
  const first = text.slice(Math.max(0, offset - 2 * longestName), offset);
  const [, name] = /^(\p{L}{2,9}) \d/u.exec(rest) ?? [];
  const isValue = name === undefined ? valueBehind.test(rest) : first.includes(`${name} `);
  if (isValue && valueBefore.test(first)) return ' -> ';
  return wordCharacter.test(rest[0] ?? '') && wordCharacter.test(before(text, offset)) ? ', ' : ' ';
}

/** Arrows of a few letters. Programs have others. */
function writtenArrow(found: string, offset: number, text: string): string {
  const said = arrowAt(text, found, offset);
  return said === ' ' ? found : said;
}

const longestAmount = 16;
/** Up, or down. Triangles with a space behind them are bullets. */
const rise = /^[ \t]*(?:[↑⬆][ \t]*|▲|([↓⬇][ \t]*|▼))$/u;
/** Before the arrow of a key. */
const pressed = /(?:press|hit|push|tap|keys?|button|drück\p{L}{1,3}|Taste|appuyez sur|touche|pulsa|pulse|按)[ \t]*$/iu;

/** `↑ 5%` is more by that, `↓5%` less; `2↑3` and `press ↑ 3 times` are neither. */
function riseAt(signs: string, offset: number, text: string): string | undefined {
  const [found, down] = rise.exec(signs) ?? [];
  const rest = text.slice(offset + signs.length, offset + signs.length + longestAmount);
  const previous = before(text, offset);
  const isAmount = /\d/.test(previous) ? /^[ \t]/.test(signs) && /^[\d.,]+ ?%/.test(rest) : /^\p{Sc}?\d/u.test(rest);
  if (found === undefined || !isAmount || pressed.test(text.slice(Math.max(0, offset - longestAmount), offset)))
    return undefined;
  const gap = opensLine.test(previous) || !/^[ \t]/.test(signs) ? '' : wordCharacter.test(previous) ? ', ' : ' ';
  return `${gap}${down === undefined ? '+' : '-'}`;
}

function silentSigns(signs: string, offset: number, text: string): string {
  const previous = before(text, offset);
  const risen = riseAt(signs, offset, text);
  if (risen !== undefined) return risen;
  const next = after(text, offset + signs.length);
  if (arrow.test(signs) && !opensLine.test(previous) && !opensLine.test(next)) return arrowAt(text, signs, offset);
  if (opensLine.test(previous) || (opensLine.test(next) && !/[ \t]$/.test(signs))) return '';
  if (bullet.test(signs) && wordCharacter.test(previous) && wordCharacter.test(next)) {
    // `2.` behind it numbers an item, and begins a sentence.
    return /^\d{1,3}[.)]/.test(text.slice(offset + signs.length, offset + signs.length + 4)) ? ' ' : ', ';
  }
  if (/[ \t]/.test(signs)) return /[.,;:!?…%)\]}，。；：！？、]/u.test(next) ? '' : ' ';
  return wordCharacter.test(previous) && wordCharacter.test(next) ? ' ' : '';
}

const beforeMark = /^(?:[.,;:!?…)\]}，。；：！？、）]|["”»](?=[\s.,;:!?]|$)|[ \t]{1,3}[.,](?!\d))/u;

function withoutEmoji(found: string, offset: number, text: string): string {
  const next = after(text, offset + found.length);
  if (wordCharacter.test(before(text, offset)) && wordCharacter.test(next)) return ' ';
  return beforeMark.test(text.slice(offset + found.length)) ? gone : '';
}

/** Small capitals without a compatibility form, and the letters that they stand for. */
const smallCapitals = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ';
const plainLetters = 'abcdefghijklmnopqrstuvwyz';
const smallCapitalRun = new RegExp(`[${smallCapitals}](?:[${smallCapitals}xsoq]*[${smallCapitals}])?`, 'gu');
/** Fewer may be phonetic signs. */
const fewestStyled = 3;

/** Readings and layout as Aozora Bunko writes them: `憂鬱《ゆううつ》`, `｜base《reading》` and `［＃annotation］`. */
export const withoutAozora: Rule = (text) =>
  /[《＃]/u.test(text)
    ? text
        .replace(/｜([^｜《》\n]{1,60})《[^《》\n]{1,60}》/gu, '$1')
        .replace(/(?<=[\p{sc=Han}々〆ヶ仝〇])《[\p{sc=Hiragana}\p{sc=Katakana}ー・]{1,60}》/gu, '')
        .replace(/※?［＃[^［］\n]{1,200}］/gu, '')
    : text;

/** Months and weekdays of English, with their abbreviations. */
const dayOrMonth =
  '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?';
/** Beginnings of months and abbreviations of weekdays in other European languages. */
const foreignMonth =
  '(?:jan|gen|ene|feb|fév|fev|mar|mär|apr|avr|abr|ma[ijgy]|mei|giu|ju[ilnd]|lip|lug|a[uogû][ouûgt]|sep|set|o[ktcu]t|nov|d[eéi][zc]|янв|фев|мар|апр|ма[йя]|ию[нл]|авг|сен|окт|ноя|дек)\\p{L}{0,7}\\.?';
const foreignDay =
  '(?:[Mm]o|[Dd]i|[Mm]i|[Dd]o|[Ff]r|[Ss]a|[Ss]o|[Ll]un|[Mm]ar|[Mm]er|[Jj]eu|[Vv]en|[Ss]am|[Dd]im|[Mm]i[eé]|[Jj]ue|[Vv]ie|[Ss][aá]b|[Dd]om|[Gg]io|[Ss]eg|[Tt]er|[Qq]u[ai]|[Ss]ex|[Mm]a|[Ww]o|[Vv]r|[Zz][ao]|пн|вт|ср|чт|пт|сб|вс)\\.?';
/** Ranges by what is on both sides of their dash. */
const ranges: readonly (readonly [before: RegExp, after: RegExp])[] = [
  // `9 a.m. – 5 p.m.`, `5 km – 10 km`, `$5 – $10`
  [/\d(?: ?(?:%|°[CF]?|[ap]\.?m\.?|[kcm]?m|k?g|mi|ft|lbs?|oz|m[gLl]|h|hrs?|mins?|[kKMB]))?$/, /^\p{Sc}?\d/u],
  // `1980-х – 1990-х`, `1960s – 1970s`
  [/\d{2}[-'’]?\p{Ll}{1,5}$/u, /^['’]?\d{2,4}[-'’]?\p{Ll}{1,5}(?!\p{L})/u],
  // `Mon – Fri`, `Jan 5 – Feb 12`
  [
    new RegExp(String.raw`(?:(?<!\p{L})(?:${dayOrMonth})\.?|\d)$`, 'u'),
    new RegExp(String.raw`^(?:${dayOrMonth})(?!\p{L})`, 'u'),
  ],
  // `5. Jan. – 12. Feb.`, `Jan. – März`, `Mo – Fr`
  [
    new RegExp(String.raw`(?<!\p{L})${foreignMonth}$`, 'iu'),
    new RegExp(String.raw`^(?:\d{1,2}\.? (?:de )?)?${foreignMonth}(?!\p{L})`, 'iu'),
  ],
  [
    new RegExp(String.raw`(?<!\p{L})${foreignDay}$`, 'u'),
    new RegExp(String.raw`^${foreignDay}(?=[ \u00a0:,.;)]|$)`, 'u'),
  ],
  // `1月5日—10日`
  [/(?:[年月日号號點点時时分元岁]|周[一二三四五六日])$/, /^(?:\d|周|[上下]午|晚上|早上)/],
];
const longestName = 10;
const longestDate = 16;

function rangeDash(dash: string, offset: number, text: string): string {
  const end = offset + dash.length;
  const [previous, next] = [text.slice(Math.max(0, offset - longestDate), offset), text.slice(end, end + longestDate)];
  return ranges.some(([before, after]) => before.test(previous) && after.test(next)) ? '-' : dash;
}

const opening = /["'\p{Ps}¿¡]/u;

/** Two hyphens in a path or an address are not a dash. */
const isAddress = (text: string, offset: number): boolean =>
  /[/\\=@]\S*$/u.test(text.slice(Math.max(0, offset - 64), offset)) ||
  /^\S*[/\\=@]/u.test(text.slice(offset, offset + 64));

/**
 * A dash between words is a pause and becomes a comma; at the edge of a line or quotation it is removed. In dialogue, as in
 * `— Ты идёшь? — спросила она.`, a hyphen keeps the sentence together.
 */
function dashAt(match: string, offset: number, text: string): string {
  if (match.startsWith('-') && isAddress(text, offset)) return match;
  const previous = before(text, offset);
  const next = after(text, offset + match.length);
  if (opensLine.test(previous) || opensLine.test(next)) return '';
  if (/[!?！？]/u.test(previous) && /\p{Ll}/u.test(next)) return ' - ';
  if (punctuation.test(next) && !opening.test(next)) return '';
  const closed = /["']/.test(previous) ? /[ \t]$/.test(match) : !punctuation.test(previous);
  const isQuotation = /["']/.test(next) && /[\p{L}\p{N}¿¡]/u.test(text[offset + match.length + 1] ?? '');
  if (/["']/.test(next) && !isQuotation && !/^[ \t]/.test(match) && !/[ \t]$/.test(match)) return '';
  // After a mark or a closing quotation mark, two words must not become one.
  const isClosing = !opening.test(previous) || /[^\s\p{Ps}]/u.test(text[offset - 2] ?? ' ');
  const parts = isClosing && !eastAsian.test(previous) && !eastAsian.test(next);
  if (!closed) return parts || /[ \t]/.test(match) ? ' ' : '';
  return eastAsian.test(previous) || eastAsian.test(next) ? '，' : ', ';
}

/** `!!!` and `?!?` become one mark. */
function oneMark(marks: string): string {
  const asks = /[?？⁇⁈⁉]/u.test(marks);
  return /[！？]/u.test(marks) ? (asks ? '？' : '！') : asks ? '?' : '!';
}

const rules: readonly Rule[] = [
  // Terminal colors and cursor movements.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
  replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, ''),
  // Control characters except Python's white space, unpaired surrogates, private-use and replacement characters.
  replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
    /[\u0000-\u0008\u000e-\u001b\u007f-\u0084\u0086-\u009f\ufffc\ufffd]|\p{Surrogate}|\p{Private_Use}|\p{Noncharacter_Code_Point}/gu,
    '',
  ),
  // Comments and tags of HTML.
  replace(/<!--(?:(?!-->)[\s\S]){0,1000}-->/g, ''),
  replace(/<sup>([-+−]?\d{1,6}|[nkxmijt])<\/sup>/gi, (written, digits: string) => raised(digits) ?? written),
  replace(/<\/?[A-Za-z][A-Za-z0-9-]{0,20}(?:\s[\w:-]{1,40}=[^<>]{0,300})?\s?\/?>/g, withoutTag),
  // References to notes and sources, as encyclopedias, papers and language models have them.
  replace(/[ \t]?【[^【】\n]{0,60}†[^【】\n]{0,60}】/gu, ''),
  replace(referencesBehind, (found, offset: number, text: string) =>
    bracketed.test(text.slice(Math.max(0, offset - 16), offset)) ? found : gone,
  ),
  replace(/[ \t\u00a0]?\ue000(?=[\s.,;:!?)\p{Lo}]|$)|\ue000/gu, ''),
  replace(/(?<=[.,!?]["'”’)]?)[¹²³⁰⁴-⁹]+(?=\s|$)/gu, ''),
  // The number of a note, where the file has lost that it was raised.
  replace(/(?<=[.!?…]["”»])[1-9]\d{0,2}(?=\s|$)/gu, ''),
  // `:smile:`, as chats write emoji, and `:)`, `<3` and `ツ`, which stand alone.
  replace(/(?<![\p{L}\p{N}:/])(?::(?:[a-z+-][a-z0-9_+-]{1,30}|100):)+(?![\p{L}\p{N}:/])/gu, ''),
  replace(
    /(?<=^|\s)(?:[:;=]['’]?-?(?:[()DPpOo3]|\|(?=\s))|<\/?3+(?=$|[\s.,!?])(?<![\d=+*x] <3)|¯\\_\(ツ\)_\/¯|\(?[\^>][_.][\^<]\)?|[xX]D|ツ|シ)(?=$|[\s.,!?])/gu,
    '',
  ),
  // Characters with emoji presentation, joined emoji and flags. A keycap becomes its key.
  replace(/(?<=[#*0-9])\ufe0f?\u20e3/gu, ''),
  replace(
    /(?:(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:\p{Emoji_Modifier}|\ufe0f|[\u{e0020}-\u{e007f}])*(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)*)*)+/gu,
    withoutEmoji,
  ),
  replace(/(?<![ \t])[ \t]*(?:\(\ue000\)|（\ue000）)|(?<![ \t])[ \t]+\ue000(?:[ \t]+(?=[.,]))?|\ue000/gu, ''),
  replace(/(?<=\S)[ \t]+(?:-{1,2}>|=>)[ \t]+(?=\S)/gu, writtenArrow),
  replace(signRuns, silentSigns),
  // Invisible characters, except joiners that shape letters of Indic and Persian words.
  replace(
    /(?<![\p{L}\p{M}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}])|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu,
    '',
  ),
  // Canonical only: compatibility forms change the meaning, such as m² to m2.
  (text) => text.normalize('NFC'),
  withoutAozora,
  // Letters of other styles to plain ones: full and half width, ligatures, mathematical and letter-like ones, those in circles and
  // squares, Arabic as it is printed, words of Japanese in one square, degrees. Chinese punctuation stays full-width.
  replace(
    /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff03-\uff06\uff0b\uff1d\uff20\uff5e\uffe0\uffe1\uffe5\uff66-\uff9f\uffa1-\uffdc\ufb00-\ufb17\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfc\ufe70-\ufefc\u{1d400}-\u{1d7ff}\u0132\u0133\u017f\u01c4-\u01cc\u01f1-\u01f3\u2102\u2103\u2109-\u2113\u2115\u2119-\u211d\u2121\u2124\u2128\u212a-\u212d\u212f-\u2131\u2133\u2134\u2139\u213c-\u213f\u2145-\u2149\u24b6-\u24e9\u337b-\u337f\u{1f130}-\u{1f149}]+/gu,
    (characters) => characters.normalize('NFKC'),
  ),
  // White letters on black have no compatibility form.
  replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu, (letter) =>
    String.fromCharCode(65 + (((letter.codePointAt(0) as number) - 0x1f150) % 32)),
  ),
  replace(smallCapitalRun, (run) =>
    run.length < fewestStyled
      ? run
      : [...run].map((letter) => plainLetters[smallCapitals.indexOf(letter)] ?? letter).join(''),
  ),
  replace(/[\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1d6a\u2090-\u209c\u2c7c]{3,}/gu, (run) => run.normalize('NFKC')),
  // In parentheses, as a list has one of them.
  replace(/[\u249c-\u24b5]{3,}/gu, (run) => run.normalize('NFKC').replace(/[()]/g, '')),
  // Struck through, crossed out or underlined.
  replace(/(?<=\p{L}\p{M}{0,4})[\u0305\u0332-\u0338\u033f]/gu, ''),
  // Quotation marks. French puts spaces inside; Danish and German turn the marks around.
  replace(/(?<=^|[\s("'—–-])«[ \u00a0\u202f]|[ \u00a0\u202f]»(?=[\s,.;:!?)"'…—–-]|$)/gu, '"'),
  replace(/[«»“”„‟″〝〞＂「」『』﹁﹂﹃﹄]/gu, '"'),
  replace(/[‘’‚‛′‹›´ʼ＇`]/gu, "'"),
  // Runs of periods and ellipsis characters. Two are a typo, except in a path.
  replace(/(?:[…⋯]|\.(?: ?\.){2,}|。{2,}|・{3,})[…⋯.。・]*/gu, '...'),
  replace(/(?<![./\\])\.\.(?![./\\\p{L}\p{N}])/gu, '.'),
  // Hyphens, and dashes that are as short.
  replace(/[\u2010\u2011\u2212\ufe63\uff0d]/g, '-'),
  replace(/[ \u00a0]?[\u2012-\u2015][ \u00a0]?/g, rangeDash),
  replace(/(?<=[\p{L}\p{N}])[\u2012\u2013](?=[\p{L}\p{N}])/gu, '-'),
  replace(
    /(?<![ \t])[ \t]*[\u2014\u2015\u2e3a\u2e3b]+[ \t]*|(?<=^|[\n\r])[\u2012\u2013]+[ \t]+|(?<=[\p{L}\p{N}"')])--+(?=[\p{L}\p{N}"'(])|(?<=\p{L}[.,;!?]["')]?)--+(?=[\p{L}"'(])|(?<=[!?;,]["')]?|\p{Ll}{4}\.|["])[\u2012\u2013]+(?=[\p{L}"'(])|(?<![ \t])[ \t]+(?:[\u2012\u2013]+|--+)(?=[ \t\n\r]|$)[ \t]*/gu,
    dashAt,
  ),
  // Repeated punctuation. Lines and frames made of symbols are removed.
  replace(/[!?！？‼⁇⁈⁉]{2,}|[‼⁇⁈⁉]/gu, oneMark),
  replace(/([,;:，；：、])(?:[ \t]*[,;:，；：、])+/gu, '$1'),
  replace(/。[.。]+/gu, '。'),
  replace(/[-=*_~#|^<>•·‑─-╿■-◿]{3,}/gu, ' '),
  replace(/,[ \t]+(?=[!?,;:]|\.(?![\p{L}\p{N}]))/gu, ''),
];

/**
 * Removes or replaces characters that make models emit noise. Idempotent. Keeps white space, except around a removed
 * symbol. The result may be empty, such as for a text of emoji.
 *
 * @example cleanText('“Wait…” — she said!!!') // '"Wait..." she said!'
 */
export const cleanText = (text: string): string => atOnce(cleanSteps(text));

const rulesPerStep = 3;

/** The same in steps. */
export function* cleanSteps(text: string): Steps<string> {
  let current = text;
  for (const [index, rule] of rules.entries()) {
    current = rule(current);
    if (index % rulesPerStep === 0) yield;
  }
  return current;
}

const speakable = /[\p{L}\p{N}\p{Sc}%&@+=§°]/u;

/** Whether the text contains something to speak: a letter, a digit or a named symbol. */
export const isSpeakable = (text: string): boolean => speakable.test(text);
