/** Captions that roll, as recognizers make them: each shows the last lines of the one before again, or grows. */
import { unspaced } from '../engine/text/writing-systems.ts';
import type { Pace } from '../event-loop.ts';
import type { TimedLine, TimedLines } from './timed-lines.ts';

/** A caption that is shown for so short repeats what was shown, in seconds. */
const flash = 0.06;
/** Captions that are this close follow each other. */
const near = 1;
/** Share of captions that repeat the one before. */
const leastShare = 0.34;
const fewest = 2;
/** Captions with more lines don't roll. */
const mostLines = 8;

const plain = ({ text }: TimedLine): string => text.replace(/\s+/gu, ' ').trim();

interface Word {
  readonly text: string;
  /** Letters and digits, which stay the same while a recognizer corrects its marks; its signs where it has none. */
  readonly key: string;
  readonly line: number;
  /** Where it begins in its line. */
  readonly at: number;
}

interface Shown {
  readonly caption: TimedLines;
  /** Without blank ones, and without surplus spaces. */
  readonly lines: readonly TimedLine[];
  readonly words: readonly Word[];
}

const word = new RegExp(`[${unspaced}]\\p{M}*|(?:(?![${unspaced}])\\S)+`, 'gu');

function shownOf(caption: TimedLines): Shown {
  const lines = caption.lines.map((line) => ({ ...line, text: plain(line) })).filter(({ text }) => text !== '');
  const words = lines.flatMap(({ text }, line) =>
    [...text.matchAll(word)].map(({ 0: own, index: at }): Word => {
      const key = own.replace(/[^\p{L}\p{M}\p{N}]/gu, '').toLowerCase() || own;
      return { text: own, key, line, at };
    }),
  );
  return { caption, lines, words };
}

/** Number of first words that a caption repeats from the one before; the last may repeat the beginning of a longer word. */
interface Overlap {
  readonly words: number;
  readonly goesOn: boolean;
}

const none: Overlap = { words: 0, goesOn: false };

/** @param captions in order of time */
export async function withoutRolling(captions: readonly TimedLines[], pace: Pace): Promise<readonly TimedLines[]> {
  const shown: Shown[] = [];
  const overlaps: Overlap[] = [];
  for (const caption of captions) {
    await pace();
    const own = shownOf(caption);
    if (own.words.length === 0) continue;
    overlaps.push(overlapOf(shown.at(-1), own));
    shown.push(own);
  }
  if (!rolls(shown, overlaps)) return captions;
  const result: TimedLines[] = [];
  for (const [index, own] of shown.entries()) {
    const { words, goesOn } = overlaps[index] as Overlap;
    const lines = linesFrom(own, words - (goesOn ? 1 : 0));
    const last = result.at(-1);
    let { start } = own.caption;
    // One that grows from the same time says its new words behind the others.
    const isSame = shown[index - 1]?.caption.start === start;
    if (words > 0 && isSame && last !== undefined && last.end < own.caption.end) start = last.end;
    if (goesOn && last !== undefined) {
      const finished = withoutLastWord(last.lines);
      // A caption of nothing but the beginning of a word is when the word begins.
      if (finished.length === 0) start = last.start;
      result.pop();
      if (finished.length > 0) result.push({ ...last, lines: finished });
    }
    if (lines.length > 0) result.push({ ...own.caption, start, lines });
    else if (last !== undefined) result[result.length - 1] = { ...last, end: Math.max(last.end, own.caption.end) };
  }
  return result.map((caption, index) => {
    const next = result[index + 1];
    // Lines that have rolled on are read while the next words are spoken.
    return next !== undefined && next.start > caption.start && next.start < caption.end
      ? { ...caption, end: next.start }
      : caption;
  });
}

function linesFrom({ lines, words }: Shown, count: number): readonly TimedLine[] {
  const first = words[count];
  if (first === undefined) return [];
  return lines
    .slice(first.line)
    .map((line, index) => (index === 0 ? { ...line, text: line.text.slice(first.at) } : line));
}

function withoutLastWord(lines: readonly TimedLine[]): readonly TimedLine[] {
  const line = lines.at(-1);
  if (line === undefined) return [];
  const text = plain(line);
  const rest = text.slice(0, [...text.matchAll(word)].at(-1)?.index ?? 0).trimEnd();
  return rest === '' ? lines.slice(0, -1) : [...lines.slice(0, -1), { ...line, text: rest }];
}

const sentenceEnd = /[.!?…]["”’»)]*$/u;

/** Words that were shown before: from the beginning of a line on, as lines leave at the top. */
function overlapOf(before: Shown | undefined, own: Shown): Overlap {
  if (before === undefined || own.caption.start - before.caption.end > near) return none;
  if (before.lines.length > mostLines) return none;
  for (let line = 0; line < before.lines.length; line += 1) {
    const left = before.words.slice(before.words.findIndex((shown) => shown.line === line));
    if (left.length === 0 || left.length > own.words.length) continue;
    const last = left.length - 1;
    if (left.some(({ key }, index) => index < last && own.words[index]?.key !== key)) continue;
    const [ending, same] = [left[last] as Word, own.words[last] as Word];
    const isWhole = ending.key === same.key && (ending.text === same.text || !sentenceEnd.test(ending.text));
    const isAll = own.words.length === left.length;
    if (isWhole && (!isAll || left.every(({ text }, index) => text === own.words[index]?.text)))
      return { words: left.length, goesOn: false };
    if ((isAll || !isWhole) && same.key.startsWith(ending.key) && same.text.startsWith(ending.text))
      return { words: left.length, goesOn: true };
  }
  return none;
}

/** Whether the captions of a file roll: what people say again is not shown with something new, nor for a flash. */
function rolls(shown: readonly Shown[], overlaps: readonly Overlap[]): boolean {
  const isFlash = ({ caption }: Shown): boolean => caption.end - caption.start <= flash;
  let [pairs, rolling] = [0, 0];
  for (const [index, own] of shown.entries()) {
    const before = shown[index - 1];
    if (before === undefined || own.caption.start - before.caption.end > near) continue;
    pairs += 1;
    const { words, goesOn } = overlaps[index] as Overlap;
    if (words > 0 && (goesOn || own.words.length > words || isFlash(own) || isFlash(before))) rolling += 1;
  }
  return rolling >= fewest && rolling >= pairs * leastShare;
}
