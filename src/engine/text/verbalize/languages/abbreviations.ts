/** Abbreviations of the languages besides English and Chinese, and what they stand for. CLDR has them without their meaning. */
import type { SemioticClass } from '../language.ts';
import { endsSentence, isBehind, isNext, take, tokenClass } from '../place.ts';

/** Abbreviations by language: `written=spoken`, separated by bars. A space in what is written may be missing. */
export interface AbbreviationTable {
  /** Never end a sentence. */
  readonly open?: string;
  /** The same, but names or other words with a capital. */
  readonly small?: string;
  /** Before a name. */
  readonly titles?: string;
  /** Before a number. */
  readonly numbered?: string;
  /** Abbreviations after a number, and as `closing`. */
  readonly behind?: string;
  /** May end a sentence: their period then stays. */
  readonly closing?: string;
  /** Words whose case follows from the preceding word. */
  readonly inflected?: Readonly<Record<string, readonly (readonly [before: RegExp, spoken: string])[]>>;
}
const kinds = ['open', 'small', 'titles', 'numbered', 'behind', 'closing'] as const;
type AbbreviationKind = (typeof kinds)[number];

const name = /[ \u00a0]\p{Lu}/uy;
/** A letter with a point is an initial. */
const number = /[ \u00a0]?(?=\d|[IVXLC](?![\p{L}.])|[IVXLC]{2,6}(?!\p{L}))/uy;
const digitBefore = /\d\s?$/;
const numberBefore = /(?:\d|(?<!\p{L})[IVXLC]{1,6})\s?$/u;
const capitalized = (written: string): string => written.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Abbreviations that are spoken, as written or with a capital letter at the beginning of a sentence. */
export function abbreviationsOf(table: AbbreviationTable): SemioticClass {
  /** Words by what is written without its spaces, for each kind that it is. */
  const forms = new Map<string, Partial<Record<AbbreviationKind, string>>>();
  const written = new Set<string>();
  const add = (kind: AbbreviationKind, form: string, spoken: string): void => {
    written.add(form);
    const key = form.replaceAll(' ', '');
    const known = forms.get(key);
    // `avv.` and `Avv.` of Italian are one at the beginning of a sentence.
    const same = Object.values(known ?? {}).find((one) => one.toLowerCase() === spoken.toLowerCase());
    forms.set(key, { [kind]: same ?? spoken, ...known });
  };
  for (const kind of kinds) {
    for (const entry of table[kind]?.split('|') ?? []) {
      const [form = '', spoken = ''] = entry.split('=');
      add(kind, form, spoken);
      // `С. Есенин` has an initial, `Max.` is a man.
      const isName = kind === 'small' || (kind === 'titles' && /^\p{L}\.$/u.test(form));
      if (!isName) add(kind, capitalized(form), capitalized(spoken));
      // `avv. Rossi`
      if (kind === 'titles' && /^\p{L}{3,}\./u.test(form)) add(kind, form.toLowerCase(), spoken);
    }
  }
  const longestFirst = [...written].sort((one, other) => other.length - one.length);
  const patterns = new Map<string, RegExp | undefined>();
  // One pattern of all would take 100 ms to compile.
  const patternOf = (initial: string): RegExp | undefined => {
    if (!patterns.has(initial)) {
      const forms = longestFirst.filter((form) => form.startsWith(initial));
      patterns.set(initial, forms.length === 0 ? undefined : new RegExp(forms.map(spaced).join('|'), 'uy'));
    }
    return patterns.get(initial);
  };
  const firstWords = new Set([...written].map((form) => /^[\p{L}\p{M}]*/u.exec(form)?.[0] ?? ''));
  const where = { beginsWith: (word: string) => firstWords.has(word), behind: /(?<![.@/\w-])$/ };
  return tokenClass({ begins: 'letter sign', ...where }, (cursor, place) => {
    const { text } = place;
    const pattern = patternOf(text[place.start] ?? '');
    const [found] = pattern === undefined ? [] : (take(cursor, pattern) ?? []);
    if (found === undefined) return undefined;
    const [, cased] = table.inflected?.[found]?.find(([before]) => isBehind(place, before)) ?? [];
    if (cased !== undefined) return cased;
    const { titles, numbered, behind, ...others } = forms.get(found.replace(/\s/gu, '')) ?? {};
    if (numbered !== undefined && isNext(text, cursor.at, number))
      return numbered + (isNext(text, cursor.at, /\d/y) ? ' ' : '');
    const isTitle = isNext(text, cursor.at, name) && !isBehind(place, digitBefore);
    const spoken = (isTitle ? titles : undefined) ?? others.open ?? others.small;
    if (spoken !== undefined) return spoken;
    const closing = (isBehind(place, numberBefore) ? behind : undefined) ?? others.closing;
    const isEnd = found.endsWith('.') && endsSentence(text, cursor.at, 'any capital');
    return closing && closing + (isEnd ? '.' : '');
  });
}

const escaped = (form: string): string => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
/** Parts may have a space between them, or none. */
const spaced = (form: string): string =>
  escaped(form).replace(/ |(?<=\\\.)(?=\p{L})/gu, String.raw`[ \u00a0\u202f]?`) +
  (/\p{L}$/u.test(form) ? String.raw`(?![\p{L}\p{M}\p{N}])` : String.raw`(?!\p{L})`);
