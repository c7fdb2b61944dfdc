/** Runs of words in capitals, which models spell or shout: headings, signs and mottos become ordinary words. */
import type { Place } from '../language.ts';
import { cursorAt, take, tokenClass } from '../place.ts';

const capitals = /\p{Lu}[\p{Lu}\p{M}]*(?:['’]\p{Lu}+)*(?![\p{L}\p{N}])/uy;
/** Between two words of a run; a sentence may end there. */
const between =
  /["')\]]{0,3}[,;:.!?]{0,3}["')\]]{0,3}[ \u00a0\n]{1,3}(?:[-–—&]{1,2} )?["'([]{0,3}(?:\d{1,4}[,.:]? )?|-/y;

/** Words that are frequent in texts in capitals. */
const common = new Set(
  `A I AN AND ARE AS AT BE BUT BY DO FOR FROM GO HAS HAVE HE HER HIS IF IN IS IT ITS MY NO NOT OF OFF ON OR OUR OUT SHE SO THAT THE
  THEIR THEM THEN THERE THEY THIS TO UP WAS WE WERE WHAT WHEN WHERE WHO WHY WILL WITH YES YOU YOUR ALL CAN DAY END GET HERE HOW JUST
  MAN MORE NEW NOW OLD ONE OPEN OVER PART STOP THREE TIME TWO HELP LOVE LIFE BOY CHAPTER BOOK DO DON'T CAN'T ACT SCENE TABLE CONTENTS
  WARNING DANGER NOTICE LONG SHORT GREAT BEST WORST GOOD BAD EXIT SALE FREE KEEP CALM READ PLEASE THANK RUN WAR HOUSE HOME KING QUEEN
  UNDER AFTER BEFORE ABOUT INTO ME HIM SOME EVERY MUST SHALL MAY LET WORLD PEOPLE NIGHT LITTLE LAST FIRST SECOND BREAKING NEWS`.split(
    /\s+/,
  ),
);
/** Letters that stay capitals, though they look like words. */
const acronyms = new Set(
  `NASA NATO US USA UK EU UN BBC CNN UNESCO UNICEF OPEC FIFA UEFA NAFTA OSHA CERN ASCII JSON HTML LASER RADAR IKEA ESPN MIT UCLA NAACP ASEAN AIDS
  COVID HIV DNA RNA FBI CIA NSA IRS FDA GPS PDF URL API CPU GPU RAM USB HTTP HTTPS SQL XML CSS PHP AWS IBM HBO NBC ABC CBS NBA NFL NHL MLB
  CEO CFO CTO DIY FAQ ETA GDP IMF IPO LED LCD MRI OECD OLED PIN SIM SMS TV VIP VPN WTO YMCA ISBN ISO NGO SCUBA SARS MERS GIF JPEG PNG`.split(
    /\s+/,
  ),
);

const longestRun = 200;

function readRun(place: Place): Place['run'] {
  const cursor = cursorAt(place);
  const words: string[] = [];
  let commas = 0;
  let end = cursor.at;
  while (words.length < longestRun) {
    const [word] = take(cursor, capitals) ?? [];
    if (word === undefined) break;
    words.push(word);
    end = cursor.at;
    const [gap] = take(cursor, between) ?? [];
    if (gap === undefined) break;
    if (gap.includes(',')) commas += 1;
  }
  const spelled = words.filter((word) => word.length > 1 && !acronyms.has(word));
  const known = words.filter((word) => common.has(word.replace('’', "'"))).length;
  const long = spelled.filter((word) => word.length >= 5 && /[AEIOUYÀ-ÖØ-Þ]/u.test(word)).length;
  // A list of abbreviations has commas.
  const isList = known === 0 && commas * 2 >= words.length - 1 && words.length > 1;
  const isPhrase = spelled.length >= 2 || (known > 0 && spelled.some((word) => word.length >= 5));
  const isWords =
    words.length >= 2 && isPhrase && !isList && (known > 0 || long >= 2 || (long >= 1 && words.length >= 3));
  return { end, isWords };
}

const startsSentence = /(?:^|[.!?:\n]["')\]]{0,2}\s{0,3}|^\s{0,4}["'([]{1,2})["'([]{0,2}$/u;

/** Every word of a run is a token of its own, so that numerals and abbreviations in it are found. */
export const capitalWords = tokenClass(
  { begins: 'letter', beginsWith: (word) => word === word.toUpperCase(), isCapital: true },
  (cursor, place) => {
    const [word] = take(cursor, capitals) ?? [];
    if (word === undefined) return undefined;
    const { run } = place;
    if (place.start >= run.end) Object.assign(run, readRun(place));
    // Letters without vowels are no word.
    const isWord = word.length === 1 ? word !== 'I' : /[AEIOUYÀ-ÖØ-Þ\u0370-\u04ff]/u.test(word) && !acronyms.has(word);
    if (!run.isWords || !isWord) return undefined;
    const lower = word.toLowerCase().replace(/^i(?=['’])/, 'I');
    const isStart = place.start === 0 || startsSentence.test(place.before);
    return isStart ? lower.replace(/^\p{L}/u, (first) => first.toUpperCase()) : lower;
  },
);
