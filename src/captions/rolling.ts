/** Captions that roll, as recognizers make them: each shows the last lines of the one before again, or grows word by word. */
import { isUnspaced } from '../engine/text/writing-systems.ts';
import type { TimedLine, TimedLines } from './timed-lines.ts';

/** A caption that is shown for so short repeats what was shown, in seconds. */
const flash = 0.06;
/** Captions that are this close follow each other. */
const near = 1;
/** Share of captions that repeat the one before. */
const leastShare = 0.34;
const fewest = 2;

const plain = ({ text }: TimedLine): string => text.replace(/\s+/gu, ' ').trim();

interface Shown {
  readonly caption: TimedLines;
  /** Without blank ones. */
  readonly lines: readonly TimedLine[];
  readonly texts: readonly string[];
}

/** @param captions in order of time */
export function withoutRolling(captions: readonly TimedLines[]): readonly TimedLines[] {
  const shown = captions.map((caption): Shown => {
    const lines = caption.lines.filter((line) => plain(line) !== '');
    return { caption, lines, texts: lines.map(plain) };
  });
  if (!rolls(shown)) return captions;
  const result: TimedLines[] = [];
  let before: Shown | undefined;
  for (const own of shown) {
    const follows = before !== undefined && own.caption.start - before.caption.end <= near;
    const overlap = follows && before !== undefined ? overlapOf(before, own) : { lines: 0, words: '' };
    const rest = own.lines.slice(overlap.lines);
    const [first, ...others] = rest;
    const grown =
      overlap.words === '' || first === undefined
        ? rest
        : [{ ...first, text: plain(first).slice(overlap.words.length).trim() }, ...others];
    const last = result.at(-1);
    if (grown.length > 0) result.push({ ...own.caption, lines: grown });
    else if (last !== undefined && own.lines.length > 0)
      result[result.length - 1] = { ...last, end: Math.max(last.end, own.caption.end) };
    if (own.lines.length > 0) before = own;
  }
  return result.map((caption, index) => {
    const next = result[index + 1];
    // Lines that have rolled on are read while the next words are spoken.
    return next !== undefined && next.start > caption.start && next.start < caption.end
      ? { ...caption, end: next.start }
      : caption;
  });
}

/** Lines at the end of a caption with which the next one begins, or the words of a line that goes on. */
function overlapOf(before: Shown, own: Shown): { readonly lines: number; readonly words: string } {
  for (let count = Math.min(before.texts.length, own.texts.length); count > 0; count -= 1) {
    if (before.texts.slice(-count).every((text, index) => text === own.texts[index]))
      return { lines: count, words: '' };
  }
  const [last = '', first = ''] = [before.texts.at(-1), own.texts[0]];
  const isGrown =
    first.startsWith(`${last} `) || (isUnspaced(last.at(-1)) && first.length > last.length && first.startsWith(last));
  return { lines: 0, words: last !== '' && isGrown ? last : '' };
}

/** Whether the captions of a file roll: what people say again is not shown with something new, nor for a flash. */
function rolls(shown: readonly Shown[]): boolean {
  let [pairs, rolling] = [0, 0];
  let before: Shown | undefined;
  for (const own of shown) {
    if (own.lines.length === 0) continue;
    if (before !== undefined && own.caption.start - before.caption.end <= near) {
      pairs += 1;
      const { lines, words } = overlapOf(before, own);
      const isFlash = (one: Shown): boolean => one.caption.end - one.caption.start <= flash;
      if (words !== '' || (lines > 0 && (own.lines.length > lines || isFlash(own) || isFlash(before)))) rolling += 1;
    }
    before = own;
  }
  return rolling >= fewest && rolling >= pairs * leastShare;
}
