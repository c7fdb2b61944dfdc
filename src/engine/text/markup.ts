/**
 * Tags and phonemes in the syntax of VoxCPM's documentation: `[laughing]`, `{ni3}`, `{HH AH0 L OW1}`. No stage may
 * rewrite them or cut inside them. Other text in braces, such as `{1, 2}` or `{name}`, is text.
 */
import type { Steps } from '../../event-loop.ts';

const tag = String.raw`\[(?=[^\]]{1,40}\])\p{Script=Latin}+(?:[\s_-]\p{Script=Latin}+)*\]`;
const initial = '(?:[ZCSzcs]h|[B-DF-HJ-NP-TW-Zb-df-hj-np-tw-z])?';
const final =
  '(?:[Aa](?:i|o|ng?)?|[Oo](?:u|ng)?|[Ee](?:i|r|ng?)?|i(?:ao?|e|u|ang?|ng?|ong)?|u(?:ai?|o|e|i|ang?|n|eng)?|(?:ü|v|u:)(?:e|an|n)?)r?';
/** Pinyin with tones. */
const syllable = `${initial}${final}[1-5]`;
/** A symbol of ARPAbet; vowels may have a stress. */
const sound =
  '(?:(?:A[AEHOWXY]|AXR|E[HRY]|I[HXY]|O[WY]|U[HWX])[0-2]?|CH|D[HX]?|E[LMN]|HH?|JH|N[GX]?|SH?|TH?|WH?|ZH?|[BFGKLMPQRVY])';
/** Source of a pattern for a group of phonemes. */
export const phonemes = String.raw`\{(?=[^{}]{1,80}\})\s*(?:(?:${syllable}\s*)+|${sound}(?:\s+${sound})*\s*)\}`;
export const markupPattern = new RegExp(`${tag}|${phonemes}`, 'gu');

/** Private-use characters replace markup, so those in the text are masked too. */
const masked = new RegExp(String.raw`${markupPattern.source}|[\u{f0000}-\u{10fffd}]`, 'gu');
const firstMask = 0xf_0000;
const mostMasks = 0xff_fe;

/**
 * Rewrites a text except for its tags and phonemes, each of which `rewrite` sees as one opaque character.
 *
 * @example atOnce(aroundMarkup('2 {ni3} [sigh]', verbalizeWords)) // 'two {ni3} [sigh]'
 */
export function* aroundMarkup(text: string, rewrite: (text: string) => Steps<string>): Steps<string> {
  const kept: string[] = [];
  const hidden = text.replace(masked, (found) => {
    if (kept.length === mostMasks) return found;
    kept.push(found);
    return String.fromCodePoint(firstMask + kept.length - 1);
  });
  const rewritten = yield* rewrite(hidden);
  if (kept.length === 0) return rewritten;
  return rewritten.replace(/[\u{f0000}-\u{ffffd}]/gu, (mask) => kept[(mask.codePointAt(0) ?? 0) - firstMask] ?? mask);
}

/** The text without its tags, and with `phoneme` in place of each group of phonemes. */
export const withoutMarkup = (text: string, phoneme = ' '): string =>
  text.replace(markupPattern, (found) => (found.startsWith('{') ? phoneme : ' '));

const onlyTags = new RegExp(String.raw`^(?:${tag}|[\s\p{P}])*$`, 'u');

/**
 * Rejoins the pieces of a text where a tag or a phoneme was cut. A tag alone joins the words before it, else those after
 * it, as models speak it badly without any.
 */
export function* mendMarkup<Piece extends { readonly text: string }>(
  text: string,
  pieces: Iterable<Piece | undefined>,
): Generator<Piece | undefined> {
  const marks = text.matchAll(markupPattern);
  let mark = marks.next();
  let held = '';
  let end = 0;
  /** The last whole piece, until it is known that no tag alone follows. */
  let whole: Piece | undefined;
  let [wholeHasTag, wholeHasWords] = [false, false];
  for (const piece of pieces) {
    if (piece === undefined) {
      yield;
      continue;
    }
    held += piece.text;
    end += piece.text.length;
    while (!mark.done && mark.value.index + mark.value[0].length <= end) mark = marks.next();
    if (!mark.done && mark.value.index < end) continue;
    const hasWords = !onlyTags.test(held);
    const hasTag = held.includes('[');
    if (whole !== undefined && ((hasTag && !hasWords) || (wholeHasTag && !wholeHasWords))) {
      whole = { ...piece, text: whole.text + held };
      wholeHasTag ||= hasTag;
      wholeHasWords ||= hasWords;
    } else {
      if (whole !== undefined) yield whole;
      whole = { ...piece, text: held };
      [wholeHasTag, wholeHasWords] = [hasTag, hasWords];
    }
    held = '';
  }
  if (whole !== undefined) yield whole;
}
